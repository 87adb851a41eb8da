// The command lines of robots-polite-crawler and robots-polite-fleet.
#pragma once

#include <robots/adapters/curl/curl_options.hpp>
#include <robots/cache/cache_options.hpp>
#include <robots/polite/gate_options.hpp>
#include <robots/rep/read/purpose.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace robots::example {

/// The command line.
struct polite_settings {
  std::string state;  ///< where the crawl keeps its state
  std::vector<std::string> seeds;
  curl_options client{.keep_connections = true};
  robots::purpose purpose = robots::purpose::index;
  std::int64_t depth = 3;                      ///< links from a seed
  std::int64_t pages = 1'000;                  ///< pages of one run of one process
  int threads = 4;                             ///< threads of a process
  std::uint32_t processes = 1;                 ///< processes with the same state
  std::chrono::milliseconds delay{1'000};      ///< between two requests to a host
  std::chrono::milliseconds patience{60'000};  ///< the longest wait for a page
};

/// Reads `[OPTION]... STATE URL...`. Throws `std::exception` if it cannot.
[[nodiscard]] inline polite_settings read_settings(const std::vector<std::string>& given) {
  polite_settings wanted;
  std::vector<std::string> rest;
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (!given[i].starts_with("--")) {
      rest.push_back(given[i]);
      continue;
    }
    if (i + 1 == given.size()) {
      throw std::invalid_argument(given[i] + " needs a value");
    }
    const std::string& value = given[i + 1];
    if (given[i] == "--connect-to") {
      wanted.client.connect_to.push_back(value);
    } else if (given[i] == "--allow-address") {
      wanted.client.allowed_addresses.push_back(value);
    } else if (given[i] == "--depth") {
      wanted.depth = std::stoll(value);
    } else if (given[i] == "--pages") {
      wanted.pages = std::stoll(value);
    } else if (given[i] == "--threads") {
      wanted.threads = std::stoi(value);
    } else if (given[i] == "--processes") {
      wanted.processes = static_cast<std::uint32_t>(std::stoul(value));
    } else if (given[i] == "--delay") {
      wanted.delay = std::chrono::milliseconds{std::stoll(value)};
    } else if (given[i] == "--patience") {
      wanted.patience = std::chrono::milliseconds{std::stoll(value)};
    } else if (given[i] == "--purpose" && value == "ai_train") {
      wanted.purpose = robots::purpose::ai_train;
    } else if (given[i] == "--purpose" && value == "index") {
      wanted.purpose = robots::purpose::index;
    } else {
      throw std::invalid_argument("there is no option " + given[i] + " with the value " + value);
    }
    ++i;
  }
  if (rest.size() < 2) {
    throw std::invalid_argument("the arguments are: [OPTION]... STATE URL...");
  }
  wanted.state = rest.front();
  wanted.seeds.assign(rest.begin() + 1, rest.end());
  return wanted;
}

/// Returns the options of the cache.
[[nodiscard]] inline cache_options polite_cache() {
  return {.user_agent = "ExampleBot/1.0 (+https://bot.example/)",
          .fallback = fallback_policy::rfc9309()};
}

/// Returns the options of the gate.
[[nodiscard]] inline gate_options polite_pace(const polite_settings& wanted) {
  return {.delay = {.fixed_delay = wanted.delay,
                    .cap = std::chrono::minutes{2},
                    .skip_above_cap = true},
          .delay_from_response = true};
}

}  // namespace robots::example

// Many sites whose answers change with each request. A third of the answers are faulty. Records the
// statements in good answers.
#pragma once

#include <support/fault_server.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace robots::test {

/// The statements of a site in all its good answers so far.
struct said {
  bool allowed_a = false;  ///< a robots.txt that allows /a
  bool allowed_b = false;
  bool no_rules = false;  ///< an empty robots.txt
  bool no_file = false;   ///< 404 or 410
};

/// The requests to a site, and its answers.
struct site_record {
  robots::test::said said{};
  std::size_t requests = 0;
  std::size_t spoilt = 0;
  std::size_t asked_again = 0;  ///< requests that libcurl sent again on a new connection
};

/// A fixed schedule: the answer of a site to its n-th request depends on the seed, the site and n.
///
/// Every fourth site never allows anything in a good answer. The only rule that matters is in the
/// last line of a robots.txt, so that a part of the file allows URLs that the whole file denies.
class storm_sites {
 public:
  storm_sites(std::size_t count, std::uint64_t seed) : seed_(seed), records_(count) {}

  [[nodiscard]] static std::string host(std::size_t site) {
    return "s" + std::to_string(site) + ".storm.test";
  }
  [[nodiscard]] static std::size_t site_of(std::string_view host) {
    return std::stoul(std::string(host.substr(1)));
  }

  /// Returns the number of lines in a whole robots.txt, without blank lines.
  [[nodiscard]] static std::size_t lines() {
    const std::string whole = text("/");
    return static_cast<std::size_t>(std::count(whole.begin(), whole.end(), '\n'));
  }

  /// Is called with a site whenever it stalls.
  std::function<void(std::size_t)> on_stall{};

  /// Returns the answer to a request. Any thread may call it.
  [[nodiscard]] fault_plan answer(const fault_request& request) {
    const std::size_t site = site_of(request.host());
    fault_plan plan;
    {
      const std::lock_guard lock(mutex_);
      site_record& record = records_[site];
      std::mt19937_64 random(seed_ + site * 1'000'003 + ++record.requests);
      plan = is_one_of(random, 3) ? spoilt(random, request) : good(random, site);
      note(record, plan, request);
    }
    if (plan.kind == fault::stalled && on_stall) {
      on_stall(site);
    }
    return plan;
  }

  [[nodiscard]] site_record record(std::size_t site) const {
    const std::lock_guard lock(mutex_);
    return records_[site];
  }

 private:
  using generator = std::mt19937_64;

  [[nodiscard]] static bool is_one_of(generator& random, unsigned times) {
    return random() % times == 0;
  }

  [[nodiscard]] static std::string text(std::string_view forbidden) {
    std::string text = "User-agent: *\nDisallow: /never\n";
    for (char c = 'a'; c <= 't'; ++c) {
      text += std::string("Disallow: /never/") + c + '\n';
    }
    return text + "Disallow: " + std::string(forbidden) + '\n';
  }

  [[nodiscard]] static bool never_allows(std::size_t site) { return site % 4 == 3; }

  [[nodiscard]] static fault_plan good(generator& random, std::size_t site) {
    constexpr std::array statuses{401, 403, 429, 500, 503, 301};
    switch (random() % 8) {
      case 0:
        return {.status = statuses.at(random() % statuses.size()), .body = text("/")};
      case 1:
        return {.body = text("/")};
      default:
        break;
    }
    if (never_allows(site)) {
      return {.body = text("/")};
    }
    switch (random() % 6) {
      case 0:
        return {.status = is_one_of(random, 2) ? 404 : 410, .body = "nothing here\n"};
      case 1:
        return {.body = ""};
      case 2:
      case 3:
        return {.body = text("/a"), .headers = {{"Cache-Control", "max-age=600"}}};
      default:
        return {.body = text("/b"), .headers = {{"ETag", "\"b\""}}};
    }
  }

  [[nodiscard]] fault_plan spoilt(generator& random, const fault_request& request) {
    // Redirects often lead to further redirects.
    if (request.target.find('?') != std::string::npos && !is_one_of(random, 3)) {
      return {.kind =
                  request.target.ends_with("again") ? fault::redirect_loop : fault::redirect_chain};
    }
    fault kind = all_faults.at(random() % all_faults.size());
    constexpr std::size_t most_stalls = 16;
    if (kind == fault::stalled && ++stalls_ > most_stalls) {
      kind = fault::close_in_body;
    }
    return {.kind = kind, .body = text("/")};
  }

  static void note(site_record& record, const fault_plan& plan, const fault_request& request) {
    if (plan.kind != fault::none) {
      ++record.spoilt;
      const bool unanswered =
          plan.kind == fault::reset_before_response || plan.kind == fault::close_before_response;
      record.asked_again += unanswered && request.again ? 1U : 0U;
      return;  // a faulty answer that has an effect denies everything
    }
    record.said.no_file = record.said.no_file || plan.status == 404 || plan.status == 410;
    if (plan.status != 200) {
      return;
    }
    record.said.no_rules = record.said.no_rules || plan.body.empty();
    record.said.allowed_a = record.said.allowed_a || plan.body == text("/b");
    record.said.allowed_b = record.said.allowed_b || plan.body == text("/a");
  }

  std::uint64_t seed_;
  std::size_t stalls_ = 0;
  mutable std::mutex mutex_;
  std::vector<site_record> records_;
};

}  // namespace robots::test

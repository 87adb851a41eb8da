// The arguments for a polite crawl of some hosts of the generated web, and the checks of its log.
#pragma once

#include "generated_web.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace robots::example {

/// Returns the options with which a crawler reaches the web.
[[nodiscard]] inline std::vector<std::string> arguments_for(const generated_web& web) {
  std::vector<std::string> arguments;
  const curl_options client = web.client_options();
  for (const std::string& rule : client.connect_to) {
    arguments.insert(arguments.end(), {"--connect-to", rule});
  }
  for (const std::string& address : client.allowed_addresses) {
    arguments.insert(arguments.end(), {"--allow-address", address});
  }
  return arguments;
}

/// Returns the number of requests for a robots.txt.
[[nodiscard]] inline std::ptrdiff_t robots_requests(const generated_web& web) {
  return std::ranges::count(web.log(), "/robots.txt", &logged_request::target);
}

/// Checks that each allowed page of these hosts was fetched once, and that there was no other
/// request.
inline void check_log(const generated_web& web, const std::set<std::string>& crawled) {
  std::map<std::string, int> fetched;
  for (const logged_request& request : web.log()) {
    CAPTURE(request.host);
    CAPTURE(request.target);
    CHECK(crawled.contains(request.host));
    const auto host = std::ranges::find(web.hosts(), request.host, &generated_host::name);
    REQUIRE(host != web.hosts().end());
    for (const std::string& beginning : host->forbidden) {
      REQUIRE_FALSE(request.target.starts_with(beginning));
    }
    if (request.target != "/robots.txt" && request.status == 200) {
      CHECK(++fetched[request.host + request.target] == 1);
    }
  }
  for (const generated_host& host : web.hosts()) {
    if (crawled.contains(host.name)) {
      const auto of_host = std::ranges::count_if(
          fetched, [&host](const auto& one) { return one.first.starts_with(host.name); });
      CHECK(of_host == host.pages_allowed);
    }
  }
}

}  // namespace robots::example

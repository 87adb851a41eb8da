// Is the example crawler polite? The server's log tells.
#include "crawl.hpp"
#include "generated_web.hpp"
#include "polite_options.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <vector>

using namespace std::chrono_literals;
using robots::example::crawler;
using robots::example::generated_host;
using robots::example::generated_web;
using robots::example::host_result;
using robots::example::logged_request;
using robots::example::polite_options;
using std::chrono::nanoseconds;

namespace {

/// The log by host, in the order in which the requests came.
std::map<std::string, std::vector<logged_request>> by_host(const generated_web& web) {
  std::map<std::string, std::vector<logged_request>> sorted;
  for (const logged_request& each : web.log()) {
    sorted[each.host].push_back(each);
  }
  for (auto& [host, requests] : sorted) {
    std::ranges::sort(requests, {}, &logged_request::came);
  }
  return sorted;
}

std::size_t sum(const std::map<std::string, std::size_t>& counts) {
  std::size_t total = 0;
  for (const auto& [what, count] : counts) {
    total += count;
  }
  return total;
}

}  // namespace

TEST_CASE(
    "the example crawls 2,000 pages on 20 hosts without one request that it should not make") {
  const generated_web web;
  REQUIRE(web.hosts().size() * generated_web::pages_per_host == 2'000);
  crawler crawl{polite_options(web)};
  crawl.run(web.seeds());
  MESSAGE("\n" << table_of(crawl.results()));

  auto log = by_host(web);
  nanoseconds closest = 1h;
  std::size_t requests = 0;
  for (const generated_host& host : web.hosts()) {
    CAPTURE(host.name);
    const std::vector<logged_request>& seen = log[host.name];
    requests += seen.size();
    const host_result& result = crawl.results().at(host.name);

    // Nothing that robots.txt disallows, nothing before robots.txt, nothing of an excluded host.
    if (host.name == "agency.gov") {
      CHECK(seen.empty());
      CHECK(result.refused.at("excluded") == 1);
      continue;
    }
    REQUIRE_FALSE(seen.empty());
    CHECK(seen.front().target == "/robots.txt");
    std::set<std::string> pages;
    for (const logged_request& each : seen) {
      CAPTURE(each.target);
      for (const std::string& beginning : host.forbidden) {
        REQUIRE_FALSE(each.target.starts_with(beginning));
      }
      REQUIRE((!host.all_forbidden || each.target == "/robots.txt"));
      if (each.target != "/robots.txt" && each.status == 200) {
        REQUIRE(pages.insert(each.target).second);  // no page twice
      }
    }

    // Every page that is allowed came, and every other one was refused.
    CHECK(pages.size() == static_cast<std::size_t>(host.pages_allowed));
    CHECK(result.fetched == pages.size());
    CHECK(result.failed == 0);
    CHECK(result.links_off_limits == 0);
    if (!host.all_forbidden) {
      CHECK(result.fetched + sum(result.refused) == generated_web::pages_per_host);
    }

    // No two requests closer than the delay in force.
    if (host.all_forbidden) {
      continue;
    }
    for (std::size_t i = 1; i < seen.size(); ++i) {
      const nanoseconds gap = seen[i].came - seen[i - 1].came;
      closest = std::min(closest, gap);
      REQUIRE(gap >= std::max<nanoseconds>(host.delay, 1ms));
      if (seen[i - 1].status == 503) {
        REQUIRE(gap >= 10ms);
      }
      if (seen[i - 1].status == 429) {
        REQUIRE(gap >= 1s);
      }
    }
  }
  MESSAGE(requests << " requests, the two closest " << closest.count() << " ns apart");
  CHECK(web.log().size() == requests);

  // What was refused was refused for the right reason.
  CHECK(crawl.results().at("host04.test").refused.at("disallowed") == 1);
  CHECK(crawl.results().at("host06.test").refused.at("disallowed") == 1);
  CHECK(crawl.results().at("host08.test").refused.at("skip_host") == 1);
  CHECK(crawl.results().at("host12.test").refused.at("too_late (visit_time)") == 1);
  CHECK(crawl.results().at("host10.test").tried_again > 0);
  CHECK(crawl.results().at("host15.test").tried_again == 1);
  CHECK(crawl.results().at("host15.test").delayed.at("retry_after") == 1);
  CHECK(crawl.results().at("host02.test").delayed.contains("request_rate"));
  CHECK(crawl.results().at("host03.test").delayed.contains("file_delay"));
  CHECK(crawl.results().at("host05.test").delayed.contains("crawl_delay"));
}

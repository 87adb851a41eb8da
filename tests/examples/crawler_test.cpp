// The log of the server shows that the example crawler is polite.
#include "crawl.hpp"
#include "generated_web.hpp"
#include "polite_options.hpp"
#include <robots/observe/json_log.hpp>
#include <robots/observe/metrics.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

using namespace std::chrono_literals;
using robots::example::crawl_options;
using robots::example::crawler;
using robots::example::generated_host;
using robots::example::generated_web;
using robots::example::host_result;
using robots::example::logged_request;
using robots::example::polite_options;
using robots::example::watched_by;
using std::chrono::nanoseconds;

namespace {

/// Returns the requests by host, in their order.
std::map<std::string, std::vector<logged_request>> by_host(const generated_web& web) {
  std::map<std::string, std::vector<logged_request>> sorted;
  for (const logged_request& request : web.log()) {
    sorted[request.host].push_back(request);
  }
  for (auto& [host, requests] : sorted) {
    std::ranges::sort(requests, {}, &logged_request::came);
  }
  return sorted;
}

std::size_t sum(const std::map<std::string, std::size_t>& counts) {
  std::size_t total = 0;
  for (const auto& [kind, count] : counts) {
    total += count;
  }
  return total;
}

}  // namespace

TEST_CASE("The example crawls 2,000 pages on 20 hosts without a request that it must not send") {
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

    // The crawler requests no disallowed page, no page before robots.txt, and no page of an
    // excluded host.
    if (host.name == "agency.gov") {
      CHECK(seen.empty());
      CHECK(result.refused.at("excluded") == 1);
      continue;
    }
    REQUIRE_FALSE(seen.empty());
    CHECK(seen.front().target == "/robots.txt");
    std::set<std::string> pages;
    for (const logged_request& request : seen) {
      CAPTURE(request.target);
      for (const std::string& beginning : host.forbidden) {
        REQUIRE_FALSE(request.target.starts_with(beginning));
      }
      REQUIRE((!host.all_forbidden || request.target == "/robots.txt"));
      if (request.target != "/robots.txt" && request.status == 200) {
        REQUIRE(pages.insert(request.target).second);  // each page is requested once
      }
    }

    // The crawler fetches every allowed page, and refuses every other page.
    CHECK(pages.size() == static_cast<std::size_t>(host.pages_allowed));
    CHECK(result.fetched == pages.size());
    CHECK(result.failed == 0);
    CHECK(result.links_off_limits == 0);
    if (!host.all_forbidden) {
      CHECK(result.fetched + sum(result.refused) == generated_web::pages_per_host);
    }

    // Two requests are at least the delay apart.
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
  MESSAGE(requests << " requests; the shortest delay was " << closest.count() << " ns");
  CHECK(web.log().size() == requests);

  // Each refusal has the right reason.
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

TEST_CASE("16 threads with a log and metrics obey rules that change during the crawl") {
  const generated_web web{true};
  crawl_options options = polite_options(web);
  options.threads = 16;
  std::map<std::string, std::size_t> lines;  // the number of lines by level, event and site
  robots::JsonLog log{
      [&lines](std::string_view line) {
        const auto value = [line](std::string_view name) {
          const std::size_t begin = line.find(name) + name.size();
          return std::string{line.substr(begin, line.find('"', begin) - begin)};
        };
        ++lines[value(R"("level":")") + ' ' + value(R"("event":")") + ' ' + value(R"("site":")")];
      },
      {.least = robots::log_level::debug, .queue_bytes = 1 << 26}};
  robots::Metrics metrics;
  options.watchers.all = {watched_by(log), watched_by(metrics)};
  crawler crawl{std::move(options)};
  crawl.run(web.seeds());
  log.flush();
  MESSAGE("\n" << table_of(crawl.results()));

  // The last answer of a host applies from the moment of that answer.
  auto requests = by_host(web);
  for (const generated_host& host : web.hosts()) {
    if (host.turn.after_pages == 0) {
      continue;
    }
    CAPTURE(host.name);
    const std::vector<logged_request>& seen = requests[host.name];
    const auto reported = std::find_if(seen.begin(), seen.end(), [](const logged_request& request) {
      return request.turned && request.target == "/robots.txt";
    });
    // A site that has revoked access gets no request, not even for robots.txt.
    REQUIRE((reported != seen.end() || host.turn.page_status != 200));
    for (auto request = reported; request != seen.end(); ++request) {
      for (const std::string& beginning : host.turn.forbidden) {
        REQUIRE((request->target == "/robots.txt" || !request->target.starts_with(beginning)));
      }
    }
  }
  CHECK(crawl.results().at("changes.test").refused.at("disallowed") > 18);
  CHECK(crawl.results().at("hostile.test").refused.at("halted") > 18);
  CHECK(crawl.results().at("revokes.test").refused.at("halted") > 18);
  CHECK(crawl.results().at("revokes.test").failed == 1);
  std::size_t halted = 0;
  std::size_t quarantined = 0;
  for (const std::string& url : crawl.for_review()) {
    if (url.starts_with("http://garbles.test/")) {
      ++quarantined;
    } else {
      CHECK((url.starts_with("http://hostile.test/") || url.starts_with("http://revokes.test/")));
      ++halted;
    }
  }
  CHECK(quarantined > 0);
  CHECK(halted == crawl.results().at("hostile.test").refused.at("halted") +
                      crawl.results().at("revokes.test").refused.at("halted"));
  CHECK(crawl.results().at("garbles.test").refused.at("disallowed") > 18);
  CHECK(crawl.results().at("fails.test").fetched == 82);  // fetched by the last good copy

  // The log, the metrics and the results of the crawl agree.
  const robots::JsonLog::counts written = log.stats();
  CHECK(written.lost == 0);
  CHECK(lines["ERROR fallback http://fails.test"] == 1);
  CHECK(lines["CRITICAL parse http://garbles.test"] == 1);
  CHECK(lines["CRITICAL quarantine http://garbles.test"] == 1);
  CHECK(lines["ERROR policy_change http://changes.test"] == 1);
  CHECK(lines["CRITICAL policy_change http://hostile.test"] == 1);
  CHECK(lines["CRITICAL halt hostile.test"] == 1);
  CHECK(lines["CRITICAL access_revoked http://revokes.test"] == 1);
  CHECK(lines["CRITICAL halt revokes.test"] == 1);
  std::map<std::string, std::size_t> events;
  for (const auto& [kind, count] : lines) {
    const std::size_t name = kind.find(' ') + 1;
    events[kind.substr(name, kind.find(' ', name) - name)] += count;
  }
  const robots::metrics_snapshot now = metrics.snapshot();
  CHECK(events["decision"] == now.allowed + now.denied);
  CHECK(events["look_up"] == now.look_ups());
  CHECK(events["retrieval"] == now.retrievals);
  CHECK(events["admission"] == now.admissions.total());
  std::size_t pages = 0;
  for (const auto& [host, result] : crawl.results()) {
    pages += result.fetched + result.failed + result.tried_again + sum(result.refused);
  }
  CHECK(now.admissions.total() == pages);
  CHECK(crawl.stats().observer_failures == 0);
}

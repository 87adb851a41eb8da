// The log of the server shows that two processes, which one script starts, crawl as one crawler.
#include "generated_web.hpp"
#include "polite_log.hpp"
#include "redis_frontier.hpp"
#include "support/redis_server.hpp"
#include "support/run_program.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

using namespace std::chrono_literals;
using robots::example::crawl_url;
using robots::example::generated_web;
using robots::example::logged_request;
using robots::example::redis_frontier;
using robots::test::program_result;
using robots::test::redis_server;
using robots::test::run_program;

TEST_CASE("A fleet of two processes fetches each page once, and shares rules, turns and rulings") {
  const redis_server redis;
  const generated_web web;
  const program_result halt = run_program(
      ROBOTS_CHECK_PROGRAM, {"rulings", "halt", "--maker", "ann", redis.url(), "host05.test"});
  REQUIRE(halt.status == 0);

  constexpr auto delay = 20ms;
  std::vector<std::string> arguments = robots::example::arguments_for(web);
  arguments.insert(arguments.begin(), ROBOTS_POLITE_FLEET);
  arguments.insert(arguments.end(), {"--depth", "200", "--patience", "20000", "--threads", "1",
                                     "--delay", std::to_string(delay.count()), redis.address()});
  const std::set<std::string> crawled{"host00.test", "host01.test", "host03.test"};
  for (const std::string& host : crawled) {
    arguments.push_back("http://" + host + "/");
  }
  arguments.push_back("http://host05.test/");
  const program_result result = run_program(ROBOTS_POLITE_FLEET_SCRIPT, arguments);
  CAPTURE(result.output);
  CAPTURE(result.errors);
  CHECK(result.status == 0);
  robots::example::check_log(web, crawled);  // no request to the halted host, not even the first
  CHECK(robots::example::robots_requests(web) == 3);

  // Both processes have fetched pages.
  constexpr std::string_view title = "URLs of this run: ";
  const auto first = result.output.find(title);
  REQUIRE(first != std::string::npos);
  const auto second = result.output.find(title, first + 1);
  REQUIRE(second != std::string::npos);
  for (const auto report : {first, second}) {
    CHECK(std::stoi(result.output.substr(report + title.size())) > 10);
  }

  // The turns are in Redis, and each process obeys them. A delay is at least half of `--delay`. A
  // busy machine can send a request late, so that the next gap is shorter.
  CHECK(redis.tell({"KEYS", "robots:pace:*"}).find("host") != std::string::npos);
  std::map<std::string, robots::time_point> last;
  int gaps = 0;
  int short_gaps = 0;
  for (const logged_request& request : web.log()) {
    if (request.target != "/robots.txt") {
      const auto [before, is_first] = last.try_emplace(request.host, request.came);
      gaps += is_first ? 0 : 1;
      short_gaps += !is_first && request.came - before->second < delay / 4 ? 1 : 0;
      before->second = request.came;
    }
  }
  CHECK(gaps > 200);
  MESSAGE(short_gaps << " of " << gaps << " gaps are short");
  CHECK(short_gaps * 10 < gaps);
}

TEST_CASE("If a process of a fleet ends, another one takes its URL when the lease is over") {
  const redis_server redis;
  redis_frontier lost{redis.address(), 0ms};
  redis_frontier other{redis.address(), 1h};
  lost.add("http://a.example/", "a.example", 0);
  lost.add("http://a.example/", "a.example", 3);  // is known
  lost.add("http://a.example/b", "a.example", 1);
  const auto taken = lost.take();
  REQUIRE(taken);
  CHECK(taken->url == "http://a.example/");
  CHECK(taken->depth == 0);

  const auto again = other.take();
  REQUIRE(again);
  CHECK(again->url == taken->url);
  CHECK_FALSE(lost.take());  // a host has one URL in progress
  CHECK_FALSE(lost.is_done());
  other.give_back(*again);
  const auto once_more = other.take();
  REQUIRE(once_more);
  CHECK(once_more->url == taken->url);
  other.end(*once_more, "answered 200", "yes");
  lost.end(*taken, "failed", "");  // came too late
  CHECK(other.results() == std::map<std::string, std::int64_t>{{"answered 200", 1}});
  CHECK(other.uses() == std::map<std::string, std::int64_t>{{"yes", 1}});

  const auto next = other.take();
  REQUIRE(next);
  CHECK(next->url == "http://a.example/b");
  CHECK(next->depth == 1);
  other.end(*next, "refused", "");
  CHECK(lost.is_done());
  CHECK_FALSE(lost.take());
  CHECK(lost.states() ==
        std::map<std::string, std::int64_t>{{"done", 2}, {"in progress", 0}, {"new", 0}});
}

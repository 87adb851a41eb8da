#include <robots/polite/detail/host_state.hpp>

#include <robots/policy/policy.hpp>
#include <robots/policy/record.hpp>
#include <robots/rep/rules/crawler_directives.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace std::chrono_literals;
using delay_term = robots::computed_delay::source;
using robots::gate_options;
using robots::policy;
using robots::request_report;
using robots::start_limit;
using robots::start_plan;
using robots::time_point;
using robots::wall_anchor;
using robots::wall_time;
using robots::polite_detail::gate_moment;
using robots::polite_detail::host_reservation;
using robots::polite_detail::host_state;

constexpr time_point origin{1'000h};

/// Returns the moment `later` after `origin`, which is noon of 2026-11-21.
constexpr wall_anchor moment(std::chrono::nanoseconds later) {
  constexpr std::chrono::sys_days day = std::chrono::year{2026} / 11 / 21;
  const auto shift = std::chrono::duration_cast<wall_time::duration>(later);
  return {.steady = origin + later, .wall = wall_time{day} + 12h + shift};
}

using policy_pointer = std::shared_ptr<const policy>;

policy_pointer rules(std::string_view lines) {
  return std::make_shared<const policy>(
      robots::directives_for("User-agent: *\nAllow: /\n" + std::string{lines}, "FooBot"),
      robots::record_head{{.outcome = robots::outcome::success, .status = 200}});
}

constexpr double middle = 0.5;  // the draw for which the delay is the fixed delay

gate_options options(std::chrono::nanoseconds fixed = 1s) {
  gate_options options;
  options.delay.fixed_delay = fixed;
  return options;
}

/// A host and its options. Its members take times since `origin`.
struct one_host {
  gate_options chosen = options();
  host_state state{};

  [[nodiscard]] gate_moment at(std::chrono::nanoseconds now) const {
    return {moment(now), &chosen, middle};
  }
  [[nodiscard]] start_plan plan(std::chrono::nanoseconds now,
                                const policy_pointer& limits = {}) const {
    return state.plan(limits.get(), at(now));
  }
  host_reservation reserve(std::chrono::nanoseconds now, const policy_pointer& limits = {}) {
    return state.reserve(plan(now, limits).at, limits, at(now));
  }
  std::optional<time_point> start(host_reservation& reserved, std::chrono::nanoseconds now) {
    return state.start(reserved, at(now));
  }
  /// Makes a request that starts now and ends `took` later.
  void request(std::chrono::nanoseconds now, const request_report& report = {.status = 200},
               const policy_pointer& limits = {}) {
    host_reservation reserved = reserve(now, limits);
    REQUIRE(start(reserved, now) == std::nullopt);
    state.complete(reserved, report, at(now + report.response_time));
  }
};

}  // namespace

TEST_CASE("A request to a new host can start at once") {
  const one_host host;
  CHECK(host.plan(0s).at == origin);
  CHECK(host.plan(0s).decided_by == start_limit::none);
  CHECK(host.plan(0s, rules("Crawl-delay: 10")).at == origin);
}

TEST_CASE("The next request starts after the delay that follows the previous one") {
  one_host host;
  host.request(0s);
  const start_plan next = host.plan(200ms);
  CHECK(next.at == origin + 1s);
  CHECK(next.decided_by == start_limit::delay);
  CHECK(next.delay.term == delay_term::fixed_delay);
  CHECK(host.plan(5s).at == origin + 5s);
  CHECK(host.plan(5s).decided_by == start_limit::none);
}

TEST_CASE("Each kind of line in robots.txt can be the reason for a wait") {
  for (const auto& [lines, term] : {std::pair{"Crawl-delay: 10", delay_term::crawl_delay},
                                    std::pair{"Request-rate: 6/1m", delay_term::request_rate}}) {
    one_host host;
    const policy_pointer limits = rules(lines);
    host.request(0s, {.status = 200}, limits);
    CHECK(host.plan(0s, limits).at == origin + 10s);
    CHECK(host.plan(0s, limits).delay.term == term);
  }
  one_host host;
  const auto file = std::make_shared<const policy>(
      robots::directives_for("Crawl-delay: 10\nUser-agent: *\nDisallow:\n", "FooBot"),
      robots::record_head{});
  host.request(0s, {.status = 200}, file);
  CHECK(host.plan(0s, file).delay.term == delay_term::file_delay);
}

TEST_CASE("The rules at the time of the previous request set a delay, too") {
  one_host host;
  host.request(0s, {.status = 200}, rules("Crawl-delay: 10"));
  CHECK(host.plan(0s).at == origin + 10s);
  CHECK(host.plan(0s, rules("Crawl-delay: 20")).at == origin + 20s);
  CHECK(host.plan(0s, rules("Crawl-delay: 5")).at == origin + 10s);
}

TEST_CASE("A slow response asks for a delay of the square of its seconds") {
  one_host host;
  host.request(0s, {.response_time = 3s, .status = 200});
  const start_plan next = host.plan(3s);
  CHECK(next.at == origin + 9s);
  CHECK(next.delay.term == delay_term::last_response);
  // The slow answer counts for a minute.
  host.request(20s, {.status = 200});
  CHECK(host.plan(21s).at == origin + 29s);
  host.request(70s, {.status = 200});
  CHECK(host.plan(70s).at == origin + 71s);
}

TEST_CASE("The printed reason of a wait is the delay that set its end") {
  SUBCASE("after a slow page that the gate no longer remembers") {
    one_host host;
    host.chosen.delay.response_cap = 100s;
    host.request(0s, {.response_time = 9s, .status = 200});
    CHECK(explain(host.plan(70s), origin + 70s) ==
          "in 11.000 s: delay of 81.000 s (last_response)");
  }
  SUBCASE("after a 503 that took long") {
    one_host host;
    host.request(0s, {.response_time = 9s, .status = 503});
    const start_plan next = host.plan(70s);
    CHECK(next.at == origin + 120s);
    CHECK(next.slowed == 120s);
    CHECK(next.overloads == 1);
    CHECK(explain(next, origin + 70s) ==
          "in 50.000 s: delay of 120.000 s after 429 or 503, without them 60.000 s "
          "(last_response)");
  }
  SUBCASE("after a success that ended the slowdown, while its delay is not over") {
    one_host host{.chosen = options(100s)};
    host.request(0s, {.status = 503});
    host.state.add_response({.status = 200}, host.at(1s));
    CHECK(explain(host.plan(150s), origin + 150s) ==
          "in 50.000 s: delay of 200.000 s after 429 or 503, without them 100.000 s (fixed_delay)");
  }
  SUBCASE("for two sites with one key") {
    one_host host;
    host.request(0s, {.status = 200}, rules("Crawl-delay: 20"));
    host.state.add_request({.status = 200}, nullptr, host.at(1s));
    const start_plan next = host.plan(2s);
    CHECK(next.at == origin + 20s);
    CHECK(explain(next, origin + 2s) == "in 18.000 s: delay of 20.000 s (crawl_delay)");
  }
  SUBCASE("for a site that asks for more than the cap, whatever set the wait") {
    one_host host;
    host.chosen.delay = {.fixed_delay = 20s, .cap = 30s, .skip_above_cap = true};
    host.request(0s, {.status = 503});
    host.state.add_response({.status = 200}, host.at(1s));
    CHECK(explain(host.plan(2s, rules("Crawl-delay: 31")), origin + 2s) ==
          "never: crawl_delay asks for 31.000 s, more than the cap");
  }
}

TEST_CASE("When a delay is over, the plan has the delay for the present time") {
  one_host host;
  host.request(0s, {.response_time = 9s, .status = 503});
  const start_plan later = host.plan(20min);
  CHECK(later.decided_by == start_limit::none);
  CHECK(later.delay.term == delay_term::fixed_delay);
  CHECK(later.overloads == 0);
}

TEST_CASE("The delay can begin at the response") {
  one_host host;
  host.chosen.delay_from_response = true;
  host.request(0s, {.response_time = 500ms, .status = 200});
  CHECK(host.plan(500ms).at == origin + 1500ms);
}

TEST_CASE("429 and 503 double the delay each time, and a success halves it") {
  for (const int status : {429, 503}) {
    one_host host;
    host.request(0s, {.status = status});
    CHECK(host.plan(0s).at == origin + 2s);
    CHECK(host.plan(0s).decided_by == start_limit::slow_down);
    CHECK(host.plan(0s).overloads == 1);
    host.request(2s, {.status = status});
    CHECK(host.plan(2s).at == origin + 6s);
    host.request(6s, {.status = status});
    CHECK(host.plan(6s).at == origin + 14s);
    host.request(14s, {.status = 200});
    CHECK(host.plan(14s).overloads == 3);      // those of the delay that the plan has
    CHECK(host.plan(14s).at == origin + 22s);  // the delay that applied at the last start
    host.request(22s, {.status = 304});
    CHECK(host.plan(22s).at == origin + 26s);
    host.request(26s, {.status = 200});
    CHECK(host.plan(26s).at == origin + 28s);
    host.request(28s, {.status = 200});
    CHECK(host.plan(28s).at == origin + 29s);
    CHECK(host.plan(28s).decided_by == start_limit::delay);
  }
}

TEST_CASE("Other failures do not change the slowdown of a host") {
  one_host host;
  host.request(0s, {.status = 429});
  auto now = 0s;
  for (const int status : {404, 500, 0, -7, 1'000}) {
    now += 2s;
    host.request(now, {.status = status});
    CHECK(host.plan(now).at == origin + now + 2s);
  }
}

TEST_CASE("A host without any delay is slowed down, too, up to a limit and for a limited time") {
  one_host host{.chosen = options(0s)};
  auto now = 0s;
  for (int i = 0; i < 100; ++i) {
    host.request(now, {.status = 503});
    now += 300s;
  }
  now -= 300s;
  CHECK(host.plan(now).at == origin + now + 5min);
  CHECK(host.plan(now + 9min).overloads > 0);
  CHECK(host.plan(now + 10min).overloads == 0);
  host.request(now + 10min);
  CHECK(host.plan(now + 10min).at == origin + now + 10min);
}

TEST_CASE("A slowdown never makes a delay shorter") {
  one_host host;
  const policy_pointer limits = rules("Crawl-delay: 3600");
  host.request(0s, {.status = 429}, limits);
  CHECK(host.plan(0s, limits).at == origin + 1h);
}

TEST_CASE("Retry-After delays all requests, up to a limit") {
  one_host host;
  host.request(0s, {.status = 503, .retry_after = 120s});
  CHECK(host.plan(1s).at == origin + 120s);
  CHECK(host.plan(1s).decided_by == start_limit::retry_after);
  CHECK(host.plan(120s).at == origin + 120s);
  // A shorter Retry-After does not replace a longer one.
  host.state.add_response({.status = 503, .retry_after = 10s}, host.at(1s));
  CHECK(host.plan(1s).at == origin + 120s);
  host.state.add_response({.status = 503, .retry_after = std::chrono::seconds::max()}, host.at(1s));
  CHECK(host.plan(1s).at == origin + 1s + 24h);
  host.state.add_response({.status = 503, .retry_after = -10s}, host.at(1s));
  CHECK(host.plan(1s).at == origin + 1s + 24h);
}

TEST_CASE("Requests stay within the hours of Visit-time") {
  one_host host;
  const policy_pointer limits = rules("Visit-time: 1230-1300\nCrawl-delay: 60\n");
  CHECK(host.plan(0s, limits).at == origin + 30min);
  CHECK(host.plan(0s, limits).decided_by == start_limit::visit_time);
  host.request(59min + 59s, {.status = 200}, limits);
  CHECK(host.plan(60min, limits).at == origin + 24h + 30min);
}

TEST_CASE("A reservation after the end of its hours waits for the next ones") {
  one_host host;
  host_reservation reserved = host.reserve(59min, rules("Visit-time: 1200-1300\n"));
  CHECK(reserved.request.at == origin + 59min);
  CHECK(host.start(reserved, 60min) == origin + 24h);
  CHECK(host.start(reserved, 24h) == std::nullopt);
}

TEST_CASE("The Request-rate for the time of the next request applies") {
  one_host host;
  const policy_pointer limits = rules("Request-rate: 1/5s\nRequest-rate: 1/1m 1230-1259\n");
  host.request(0s, {.status = 200}, limits);
  CHECK(host.plan(0s, limits).at == origin + 5s);
  // The fast rate applied to the previous request, but the slow rate applies to this one.
  host.request(29min + 58s, {.status = 200}, limits);
  CHECK(host.plan(30min, limits).at == origin + 30min + 58s);
  CHECK(host.plan(30min, limits).delay.term == delay_term::request_rate);
}

TEST_CASE("A wait that reaches the hours of a slower rate becomes longer, once for each rate") {
  one_host host;
  const policy_pointer limits =
      rules("Request-rate: 1/5s\nRequest-rate: 1/1m 1230-1232\nRequest-rate: 1/2m 1232-1259\n");
  host.request(29min + 50s, {.status = 200}, limits);
  CHECK(host.plan(29min + 50s, limits).at == origin + 29min + 55s);
  host.request(29min + 58s, {.status = 200}, limits);
  CHECK(host.plan(29min + 58s, limits).at == origin + 30min + 58s);
  host.request(31min + 30s, {.status = 200}, limits);
  CHECK(host.plan(31min + 30s, limits).at == origin + 33min + 30s);
}

TEST_CASE("Hosts that ask for too long a delay are skipped, even at the first request") {
  one_host host;
  host.chosen.delay.cap = 30s;
  CHECK_FALSE(host.plan(0s, rules("Crawl-delay: 31")).skip_host);
  host.chosen.delay.skip_above_cap = true;
  CHECK(host.plan(0s, rules("Crawl-delay: 31")).skip_host);
  CHECK(host.plan(0s, rules("Request-rate: 1/1h")).skip_host);
  CHECK_FALSE(host.plan(0s, rules("Crawl-delay: 30")).skip_host);
}

TEST_CASE("Reservations are a delay apart, and the plan says if no more are possible") {
  one_host host;
  host.chosen.concurrency = 3;
  CHECK(host.reserve(0s).request.at == origin);
  CHECK(host.reserve(0s).request.at == origin + 1s);
  CHECK(host.plan(0s).can_reserve);
  CHECK(host.reserve(0s).request.at == origin + 2s);
  CHECK_FALSE(host.plan(0s).can_reserve);
}

TEST_CASE("A reservation keeps the delay of the reservation before it") {
  one_host host;
  host.chosen.concurrency = 2;
  host.reserve(0s, rules("Crawl-delay: 10"));
  CHECK(host.plan(0s).at == origin + 10s);
}

TEST_CASE("A cancelled reservation has no effect on later ones") {
  one_host host;
  host.request(0s);
  const start_plan before = host.plan(0s);
  for (int i = 0; i < 3; ++i) {
    host_reservation reserved = host.reserve(0s);
    CHECK(host.plan(0s).at == origin + 2s);
    host.state.cancel(reserved);
    CHECK(host.plan(0s).at == before.at);
    CHECK(host.state.outstanding() == 0);
  }
}

TEST_CASE("Reservations that are cancelled in any order leave no gap") {
  one_host host;
  host.chosen.concurrency = 3;
  host.request(0s);
  for (const bool last_first : {false, true}) {
    std::vector<host_reservation> reserveds{host.reserve(0s), host.reserve(0s), host.reserve(0s)};
    CHECK(reserveds.back().request.at == origin + 3s);
    if (last_first) {
      std::ranges::reverse(reserveds);
    }
    for (host_reservation& reserved : reserveds) {
      host.state.cancel(reserved);
    }
    CHECK(host.plan(0s).at == origin + 1s);
  }
}

TEST_CASE("Cancelled reservations never delay later ones, however many there are") {
  one_host host;
  host.chosen.concurrency = 2;
  host_reservation held = host.reserve(0s);
  for (int round = 0; round < 1'000; ++round) {
    host_reservation next = host.reserve(0s);
    REQUIRE(next.request.at <= origin + 2s);
    host.state.cancel(held);
    held = next;
  }
  host.state.cancel(held);
  CHECK(host.plan(0s).at == origin);
}

TEST_CASE("The time of a cancelled reservation can be reserved if this keeps all delays") {
  one_host host{.chosen = options(0s)};
  host.chosen.delay.floor = 2s;
  host.chosen.concurrency = 4;
  host_reservation first = host.reserve(0s);
  host_reservation second = host.reserve(0s);
  CHECK(host.reserve(0s).request.at == origin + 4s);
  host.state.cancel(second);
  CHECK(host.plan(0s, rules("Crawl-delay: 3")).at == origin + 7s);
  CHECK(host.plan(1s).at == origin + 2s);
  CHECK(host.plan(2500ms).at == origin + 6s);
  host.state.cancel(first);
  CHECK(host.plan(1s).at == origin + 1s);
  CHECK(host.plan(2001ms).at == origin + 6s);
}

TEST_CASE("The time of the last reservation, once cancelled, goes to the next caller") {
  one_host host;
  host.chosen.concurrency = 3;
  host_reservation first = host.reserve(0s);
  host_reservation second = host.reserve(0s);
  host.state.cancel(second);
  CHECK(host.plan(0s).at == origin + 1s);
  CHECK(host.start(first, 0s) == std::nullopt);
}

TEST_CASE("A late start delays the next start") {
  one_host host;
  host.chosen.concurrency = 2;
  host_reservation first = host.reserve(0s);
  host_reservation second = host.reserve(0s);
  CHECK(second.request.at == origin + 1s);
  CHECK(host.start(first, 900ms) == std::nullopt);
  CHECK(host.start(second, 1s) == origin + 1900ms);
  CHECK(second.request.at == origin + 1900ms);
  CHECK(host.start(second, 1899ms) == origin + 1900ms);
  CHECK(host.start(second, 1900ms) == std::nullopt);
}

TEST_CASE("A plan keeps the delay after a late start, even if an earlier time is free") {
  one_host host;
  host.chosen.concurrency = 3;
  host_reservation first = host.reserve(0s);
  CHECK(host.reserve(0s).request.at == origin + 1s);
  CHECK(host.start(first, 5s) == std::nullopt);
  CHECK(host.plan(5s).at == origin + 6s);
  CHECK(host.plan(5s, rules("Crawl-delay: 10")).at == origin + 15s);
}

TEST_CASE("A start before its time is refused with the remaining wait") {
  one_host host;
  host.request(0s);
  host_reservation reserved = host.reserve(0s);
  CHECK(host.start(reserved, 0s) == origin + 1s);
  CHECK(host.start(reserved, 999ms) == origin + 1s);
  CHECK(host.start(reserved, 1s) == std::nullopt);
}

TEST_CASE("A Retry-After also delays reservations that were made before") {
  one_host host;
  host.chosen.concurrency = 2;
  host_reservation first = host.reserve(0s);
  host_reservation second = host.reserve(0s);
  CHECK(host.start(first, 0s) == std::nullopt);
  host.state.complete(first, {.status = 429, .retry_after = 60s}, host.at(0s));
  CHECK(host.start(second, 1s) == origin + 60s);
}

TEST_CASE("A request without a reported start counts from its latest possible start") {
  one_host host;
  host_reservation reserved = host.reserve(0s);
  host.state.complete(reserved, {.response_time = 200ms, .status = 200}, host.at(5s));
  CHECK(host.plan(5s).at == origin + 5800ms);
  CHECK(host.state.outstanding() == 0);

  one_host other;
  host_reservation unknown = other.reserve(0s);
  other.state.complete(unknown, {.status = 200}, other.at(5s));
  CHECK(other.plan(5s).at == origin + 6s);
}

TEST_CASE("The delay of a request without a reported start ends like that of any other request") {
  for (const bool starts : {true, false}) {
    CAPTURE(starts);
    one_host host;
    host_reservation reserved = host.reserve(0s, rules("Crawl-delay: 10"));
    if (starts) {
      CHECK(host.start(reserved, 0s) == std::nullopt);
    }
    host.state.complete(reserved, {.status = 200}, host.at(0s));
    host.request(10s, {.status = 503});
    CHECK(host.plan(10s).at == origin + 12s);
  }
}

TEST_CASE("The delay also follows requests without a reservation") {
  one_host host;
  host.state.add_request({}, nullptr, host.at(0s));
  CHECK(host.plan(0s).at == origin + 1s);
  host.state.add_request({.response_time = 1s}, nullptr, host.at(0s));
  CHECK(host.plan(0s).at == origin + 1s);
  CHECK(host.state.outstanding() == 0);
}

TEST_CASE("A request without a reservation does not move reservations") {
  one_host host;
  host.chosen.concurrency = 3;
  host.reserve(0s);
  CHECK(host.reserve(0s).request.at == origin + 1s);
  host.state.add_request({.response_time = 500ms}, nullptr, host.at(0s));
  CHECK(host.plan(0s).at == origin + 2s);
  host.state.add_request({}, nullptr, host.at(400ms));
  CHECK(host.plan(400ms).at == origin + 2s);
}

TEST_CASE("The response to an earlier request does not affect the time of the last request") {
  one_host host;
  host.request(0s);
  host.state.add_request({.response_time = 1s}, nullptr, host.at(0s));
  CHECK(host.plan(0s, rules("Crawl-delay: 10")).at == origin + 10s);
}

TEST_CASE("Redirects from other sites delay a host once, not forever") {
  one_host host;
  host.request(0s);
  host.state.add_robots_request(origin + 500ms, nullptr, false, host.at(500ms));
  CHECK(host.plan(500ms).at == origin + 1500ms);
  for (std::chrono::nanoseconds now = 1s; now < 1500ms; now += 100ms) {
    host.state.add_robots_request(origin + now, nullptr, false, host.at(now));
    CHECK(host.plan(now).at == origin + 1500ms);
  }
  host.request(1500ms);
  host.state.add_robots_request(origin + 2s, nullptr, false, host.at(2s));
  CHECK(host.plan(2s).at == origin + 3s);
}

TEST_CASE("Cancelling more reservations than exist has no effect") {
  one_host host;
  host_reservation reserved;
  host.state.cancel(reserved);
  host.state.complete(reserved, {.status = 200}, host.at(0s));
  CHECK(host.state.outstanding() == 0);
  CHECK(host.plan(0s).can_reserve);
}

TEST_CASE("Extreme times, delays and answers neither overflow nor shorten a wait") {
  one_host host{.chosen = options(robots::longest_delay)};
  const policy_pointer limits = rules(
      "Crawl-delay: 999999999999999999999\nRequest-rate: 1/999999999999d\n"
      "Visit-time: 0000-0000\n");
  const wall_anchor end{.steady = time_point::max() - 1s, .wall = wall_time::max()};
  for (const wall_anchor& anchor : {moment(0s), end}) {
    const gate_moment now{anchor, &host.chosen, 1.0};
    host_reservation reserved =
        host.state.reserve(host.state.plan(limits.get(), now).at, limits, now);
    static_cast<void>(host.state.start(reserved, now));
    host.state.complete(reserved,
                        {.response_time = std::chrono::nanoseconds::max(),
                         .status = 503,
                         .retry_after = std::chrono::seconds::max()},
                        now);
    CHECK(host.state.plan(limits.get(), now).at >= now.steady);
  }
  CHECK(host.plan(0s).at > origin + robots::longest_delay);
  host.state.add_response({.response_time = std::chrono::nanoseconds::min(), .status = -1},
                          host.at(0s));
}

TEST_CASE("A host is remembered for a minute after a request and after a response") {
  one_host host{.chosen = options(0s)};
  CHECK(host.state.needed_until(host.chosen) <= origin);
  host_reservation reserved = host.reserve(0s);
  CHECK(host.start(reserved, 0s) == std::nullopt);
  CHECK_FALSE(host.state.needed_until(host.chosen) <= origin + 1h);
  host.state.cancel(reserved);
  CHECK_FALSE(host.state.needed_until(host.chosen) <= origin + 60s - 1ns);
  CHECK(host.state.needed_until(host.chosen) <= origin + 60s);
  host.state.add_response({.response_time = 1s, .status = 200}, host.at(100s));
  CHECK_FALSE(host.state.needed_until(host.chosen) <= origin + 160s - 1ns);
  CHECK(host.state.needed_until(host.chosen) <= origin + 160s);
}

TEST_CASE("A host can be forgotten only if that does not change its pace") {
  std::mt19937_64 random{48};
  const auto up_to = [&](int most) { return std::uniform_int_distribution<int>{0, most}(random); };
  int forgettable = 0;
  for (int round = 0; round < 300; ++round) {
    one_host host;
    host.chosen.concurrency = 3;
    const policy_pointer limits = rules("Crawl-delay: " + std::to_string(up_to(40)));
    std::vector<host_reservation> reserveds;
    std::chrono::nanoseconds now = 0s;
    for (int step = 0; step < 40; ++step) {
      now += std::chrono::milliseconds{up_to(up_to(4) == 0 ? 300'000 : 3'000)};
      if (host.state.needed_until(host.chosen) <= origin + now) {
        ++forgettable;
        const start_plan known = host.plan(now, limits);
        const start_plan fresh = host_state{}.plan(limits.get(), host.at(now));
        REQUIRE(reserveds.empty());
        REQUIRE(known.at == fresh.at);
        REQUIRE(known.overloads == fresh.overloads);
        one_host next{.chosen = host.chosen};
        host_state past = host.state;
        for (host_state* copy : {&past, &next.state}) {
          host_reservation reserved = copy->reserve(fresh.at, limits, host.at(now));
          REQUIRE(copy->start(reserved, host.at(now)) == std::nullopt);
        }
        REQUIRE(past.plan(limits.get(), host.at(now)).at == next.plan(now, limits).at);
      }
      if (reserveds.empty() || (reserveds.size() < 3 && up_to(1) == 0)) {
        reserveds.push_back(host.reserve(now, limits));
        continue;
      }
      host_reservation reserved = reserveds.back();
      reserveds.pop_back();
      if (up_to(4) == 0) {
        host.state.cancel(reserved);
        continue;
      }
      now = std::max(now, reserved.request.at - origin);
      while (const auto until = host.start(reserved, now)) {
        now = *until - origin;
      }
      const std::chrono::milliseconds took{up_to(8'000)};
      now += took;
      host.state.complete(reserved, {.response_time = took, .status = up_to(2) == 0 ? 503 : 200},
                          host.at(now));
    }
  }
  CHECK(forgettable > 100);
}

TEST_CASE("No start violates a delay, a rate, a pause, the hours or the limits") {
  std::mt19937_64 random{49};
  const auto up_to = [&](int most) { return std::uniform_int_distribution<int>{0, most}(random); };
  int starts = 0;
  int told_to_wait = 0;
  for (int round = 0; round < 400; ++round) {
    one_host host;
    host.chosen.concurrency = 1 + static_cast<unsigned>(up_to(4));
    host.chosen.delay_from_response = up_to(1) != 0;
    const std::chrono::seconds delay{up_to(20)};
    const std::chrono::seconds rate{1 + up_to(20)};
    std::string lines = "Crawl-delay: " + std::to_string(delay.count()) + "\nRequest-rate: 1/" +
                        std::to_string(rate.count()) + "s\n";
    // The rounds begin at noon, and 60 steps of 6 s take about 6 minutes.
    const bool hours = up_to(1) == 0;
    lines += hours ? "Visit-time: 1201-1203\nVisit-time: 1204-1209\n" : "";
    const policy_pointer limits = rules(lines);
    const auto in_force = std::max<std::chrono::nanoseconds>({delay, rate, 500ms});
    std::vector<host_reservation> waiting;
    std::vector<host_reservation> under_way;
    std::optional<time_point> last;
    time_point pause = time_point::min();
    std::chrono::nanoseconds now = 0s;
    for (int step = 0; step < 60; ++step) {
      now += std::chrono::milliseconds{up_to(12'000)};
      const start_plan planned = host.plan(now, limits);
      REQUIRE(planned.can_reserve == (waiting.size() + under_way.size() < host.chosen.concurrency));
      REQUIRE(planned.at >= origin + now);
      REQUIRE(planned.at >= pause);
      REQUIRE((!last || planned.at - *last >= in_force));
      if (planned.can_reserve && up_to(1) == 0) {
        gate_moment drawn = host.at(now);
        drawn.draw = std::uniform_real_distribution<double>{}(random);
        waiting.push_back(host.state.reserve(planned.at, limits, drawn));
        REQUIRE(waiting.back().request.at == planned.at);
        continue;
      }
      if (!waiting.empty() && up_to(3) != 0) {
        const auto chosen = waiting.begin() + up_to(static_cast<int>(waiting.size()) - 1);
        if (up_to(5) == 0) {
          host.state.cancel(*chosen);
        } else if (const auto until = host.start(*chosen, now)) {
          REQUIRE(*until > origin + now);
          ++told_to_wait;
          continue;
        } else {
          REQUIRE((!last || origin + now - *last >= in_force));
          REQUIRE(origin + now >= pause);
          const auto minute = std::chrono::floor<std::chrono::minutes>(now);
          REQUIRE((!hours || minute == 1min || minute == 2min || minute >= 4min));
          last = origin + now;
          ++starts;
          under_way.push_back(*chosen);
        }
        waiting.erase(chosen);
      } else if (!under_way.empty()) {
        const std::chrono::milliseconds took{up_to(100)};
        request_report report{.response_time = took, .status = 200};
        if (up_to(9) == 0) {
          report.status = 503;
          report.retry_after = std::chrono::seconds{up_to(40)};
          pause = std::max(pause, origin + now + *report.retry_after);
        }
        host.state.complete(under_way.back(), report, host.at(now));
        under_way.pop_back();
      }
    }
  }
  CHECK(starts > 1'000);
  CHECK(told_to_wait > 1'000);
}

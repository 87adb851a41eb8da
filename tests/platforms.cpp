// A small program for ./run platforms: parses, decides and paces without a network.
#include <robots/robots.hpp>
#include <robots/testing.hpp>

#include <chrono>
#include <cstdio>
#include <string>

static_assert(!robots::parse("User-agent: *\nDisallow: /a\n").allows("/a", "FooBot"));

int main() {
  using namespace std::chrono_literals;
  const robots::ManualClock clock;
  robots::ScriptedFetcher web;
  web.otherwise(robots::ScriptedFetcher::ok("User-agent: *\nDisallow: /*.pdf$\nCrawl-delay: 2\n"));
  robots::basic_robots_cache cache{
      {.user_agent = "FooBot/1.0", .fallback = robots::fallback_policy::rfc9309()},
      web,
      clock,
      robots::LruStorage<64>{}};
  robots::basic_host_gate gate{{}, clock};
  robots::basic_admission front{cache, gate};
  const robots::time_point start = clock.now();
  const bool refused = !front.admit("https://example.com/a.pdf");
  auto admitted = front.admit("https://example.com/a");
  const bool waited = admitted.reservation.at() == start + 2s;
  admitted.reservation.complete({.response_time = 10ms, .status = 200});
  const bool is_well = refused && admitted && waited && web.count() == 1;
  std::puts(is_well ? "works" : "FAILS");
  return is_well ? 0 : 1;
}

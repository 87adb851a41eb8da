// `prefetch` over libcurl.
#include <robots/cache/prefetch.hpp>

#include <robots/adapters/curl/curl_fetcher.hpp>
#include <robots/adapters/curl/curl_multi_fetcher.hpp>
#include <robots/cache/basic_robots_cache.hpp>
#include <robots/testing/manual_clock.hpp>
#include <robots/testing/scripted_fetcher.hpp>

#include <cache/cache_fixture.hpp>
#include <doctest/doctest.h>
#include <support/gate.hpp>
#include <support/loopback_server.hpp>
#include <support/many_sites.hpp>
#include <support/raw_server.hpp>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <ranges>
#include <set>
#include <sstream>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

namespace {

using robots::prefetch_outcome;
using robots::prefetch_progress;
using robots::prefetch_summary;
using robots::ScriptedFetcher;
using robots::test::foo_bot;
using robots::test::foo_bot_that_asks_once;
using robots::test::gate;
using robots::test::loopback_reply;
using robots::test::loopback_request;
using robots::test::loopback_server;
using robots::test::many_sites;

using manual_cache = robots::basic_robots_cache<ScriptedFetcher, robots::ManualClock>;

/// The limits of a `prefetch` over libcurl, its callback, and the options of its exchanges.
struct prefetch_options : robots::prefetch_limits {
  std::function<void(const robots::prefetch_progress&)> progress{};
  robots::curl_options curl{};
};

template <class Cache, class Hosts>
prefetch_summary prefetch(Cache& cache, Hosts&& hosts, const prefetch_options& options) {
  robots::curl_multi_fetcher web{options.curl};
  return robots::prefetch(cache, std::forward<Hosts>(hosts), web, options, options.progress);
}

/// Returns options that ignore the proxies of the machine and permit loopback addresses.
robots::curl_options direct() {
  robots::curl_options options;
  options.proxy = "";
  options.allowed_addresses = {"127.0.0.0/8"};
  return options;
}

/// Returns options that send requests for any host to the server.
template <class Server>
prefetch_options to(const Server& server) {
  prefetch_options options;
  options.curl = direct();
  options.curl.connect_to = {server.connect_to()};
  return options;
}

prefetch_options to(const loopback_server& server) {
  prefetch_options options;
  options.curl = direct();
  options.curl.connect_to = {server.connect_to("", 80)};
  return options;
}

std::string site(std::size_t i) { return "http://host-" + std::to_string(i) + ".example/"; }

auto sites(std::size_t count) {
  return std::views::iota(std::size_t{0}, count) | std::views::transform(site);
}

std::string rules_of(std::string_view host) {
  return "User-agent: *\nDisallow: /only-" + std::string(host) + "\n";
}

long peak_kib() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

}  // namespace

TEST_CASE("One thread warms 2,000 hosts over at most 64 connections") {
  const many_sites server([](std::string_view host) { return many_sites::ok(rules_of(host)); });
  manual_cache cache(foo_bot());
  prefetch_options options = to(server);
  std::set<std::thread::id> threads;
  std::size_t taken = 0;
  std::size_t most_open = 0;
  std::size_t last = 0;
  options.progress = [&](const prefetch_progress& now) {
    threads.insert(std::this_thread::get_id());
    CHECK(now.done == last + 1);
    CHECK(now.total == 2000);
    CHECK(now.outcome == prefetch_outcome::fetched);
    last = now.done;
    most_open = std::max(most_open, taken - now.done + 1);
  };
  const auto hosts = std::views::iota(std::size_t{0}, std::size_t{2000}) |
                     std::views::transform([&](std::size_t i) {
                       ++taken;
                       return site(i);
                     });
  const long before = peak_kib();
  const auto began = std::chrono::steady_clock::now();
  const prefetch_summary summary = prefetch(cache, hosts, options);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
  MESSAGE("2,000 hosts in " << took.count() << " s, at most " << server.most_connections()
                            << " connections, peak memory grew by " << peak_kib() - before
                            << " KiB to " << peak_kib() << " KiB");

  CHECK(summary.fetched == 2000);
  CHECK(summary.done() == 2000);
  CHECK(summary.complete);
  CHECK(server.requests() == 2000);
  CHECK(server.most_connections() <= 64);
  CHECK(server.most_connections() > 1);
  CHECK(threads == std::set{std::this_thread::get_id()});
  // prefetch reads the next host only when it has room, so memory does not grow with the range.
  CHECK(most_open <= 64);
  CHECK(cache.stats().size == 2000);
  CHECK(cache.allowed("http://host-7.example/page"));
  CHECK(!cache.allowed("http://host-1999.example/only-host-1999.example"));
  CHECK(cache.stats().misses == 2000);
}

TEST_CASE("Each host gets the outcome for its responses") {
  const many_sites server([](std::string_view host) {
    if (host == "closes.example") {
      return std::string();
    }
    if (host == "fails.example") {
      return many_sites::status(503);
    }
    if (host == "none.example") {
      return many_sites::status(404);
    }
    if (host == "shut.example") {
      return many_sites::status(403);
    }
    return many_sites::ok(rules_of(host));
  });
  const robots::test::closed_port nobody;
  auto crawler = foo_bot_that_asks_once();
  crawler.excluded = {"gov"};
  manual_cache cache(crawler);
  prefetch_options options = to(server);
  std::map<std::string, prefetch_outcome> came_to;
  options.progress = [&](const prefetch_progress& now) {
    came_to[std::string(now.host)] = now.outcome;
    CHECK(now.policy != nullptr);
  };
  const std::string refuses = nobody.url("/");
  const std::vector<std::string> hosts{"http://kept.example/",     "http://none.example/",
                                       "http://fails.example/x?y", "http://closes.example",
                                       "http://shut.example",      "http://example.gov/",
                                       "not a hostname",           refuses};
  CHECK(prefetch(cache, std::vector<std::string_view>{"http://kept.example"}, options).fetched ==
        1);
  const prefetch_summary summary = prefetch(cache, hosts, options);
  CHECK(came_to["http://kept.example/"] == prefetch_outcome::kept);
  CHECK(came_to["http://none.example/"] == prefetch_outcome::fetched);
  CHECK(came_to["http://fails.example/x?y"] == prefetch_outcome::failed);
  CHECK(came_to["http://closes.example"] == prefetch_outcome::failed);
  CHECK(came_to["http://shut.example"] == prefetch_outcome::failed);
  CHECK(came_to["http://example.gov/"] == prefetch_outcome::excluded);
  CHECK(came_to["not a hostname"] == prefetch_outcome::invalid);
  CHECK(came_to[refuses] == prefetch_outcome::failed);
  CHECK(summary.kept == 1);
  CHECK(summary.fetched == 1);
  CHECK(summary.failed == 4);
  CHECK(summary.excluded == 1);
  CHECK(cache.stats().excluded == 1);
  CHECK(summary.invalid == 1);
  CHECK(summary.complete);
  CHECK(server.requests() == 5);
}

TEST_CASE("A host without a scheme is asked over http if https cannot be reached") {
  const many_sites server([](std::string_view host) { return many_sites::ok(rules_of(host)); });
  const robots::test::closed_port nobody;
  manual_cache cache(foo_bot());
  prefetch_options options = to(server);
  options.curl.connect_to.push_back(":443:127.0.0.1:" + std::to_string(nobody.number()));
  CHECK(prefetch(cache, std::vector<std::string>{"bare.example"}, options).fetched == 1);
  CHECK(!cache.allowed("http://bare.example/only-bare.example"));
}

TEST_CASE("A host that the range has twice gets one request") {
  const many_sites server([](std::string_view host) { return many_sites::ok(rules_of(host)); });
  manual_cache cache(foo_bot());
  const auto hosts = std::views::iota(std::size_t{0}, std::size_t{300}) |
                     std::views::transform([](std::size_t i) { return site(i % 30); });
  for (const std::size_t most : {std::size_t{1}, std::size_t{8}, std::size_t{64}}) {
    cache.clear();
    const std::size_t before = server.requests();
    prefetch_options options = to(server);
    options.max_in_flight = most;
    const prefetch_summary summary = prefetch(cache, hosts, options);
    CHECK(summary.fetched == 30);
    CHECK(summary.kept + summary.joined == 270);
    CHECK(server.requests() == before + 30);
  }
}

TEST_CASE("Retries wait by the clock of the cache, and hold no connection while they wait") {
  std::map<std::string, int, std::less<>> asked;
  const many_sites server([&](std::string_view host) {
    const int before = asked[std::string(host)]++;
    return before < 2 ? many_sites::status(503) : many_sites::ok(rules_of(host));
  });
  auto crawler = foo_bot();
  crawler.retry.attempts = 3;
  const robots::ManualClock clock;
  const auto began = clock.now();
  manual_cache cache(crawler, {}, clock);
  prefetch_options options = to(server);
  options.max_in_flight = 4;
  const prefetch_summary summary = prefetch(cache, sites(200), options);
  CHECK(summary.fetched == 200);
  CHECK(server.requests() == 600);
  CHECK(server.most_connections() <= 4);
  // All hosts waited at the same time: about 1 s before the first retry and 2 s before the second.
  CHECK(clock.now() - began >= std::chrono::seconds{1});
  CHECK(clock.now() - began < std::chrono::seconds{10});
}

TEST_CASE("At most max_pending hosts are in work or wait for a retry") {
  const many_sites server([](std::string_view) { return many_sites::status(503); });
  auto crawler = foo_bot();
  crawler.retry.attempts = 2;
  manual_cache cache(crawler);
  prefetch_options options = to(server);
  options.max_in_flight = 2;
  options.max_pending = 5;
  std::size_t taken = 0;
  std::size_t most_open = 0;
  options.progress = [&](const prefetch_progress& now) {
    most_open = std::max(most_open, taken - now.done + 1);
  };
  const auto hosts =
      std::views::iota(std::size_t{0}, std::size_t{50}) | std::views::transform([&](std::size_t i) {
        ++taken;
        return site(i);
      });
  CHECK(prefetch(cache, hosts, options).failed == 50);
  CHECK(server.requests() == 100);
  CHECK(most_open == 5);
}

TEST_CASE("Good hosts are fetched after hanging hosts that occupied all connections") {
  loopback_server server;
  gate& closed = server.make_gate();
  constexpr std::size_t hanging = 4;
  server.otherwise([&closed](const loopback_request& request) -> loopback_reply {
    if (std::stoul(request.host().substr(std::string_view{"host-"}.size())) < hanging) {
      closed.pass();
    }
    return {.body = rules_of(request.host())};
  });
  robots::cache_options asking = foo_bot();
  asking.timeout = std::chrono::milliseconds{900};
  asking.retry.attempts = 1;
  manual_cache cache(asking);
  prefetch_options options = to(server);
  options.max_in_flight = 2;
  const prefetch_summary summary = prefetch(cache, sites(hanging + 6), options);
  CHECK(summary.failed == hanging);
  CHECK(summary.fetched == 6);
}

TEST_CASE("prefetch waits for the flight of another thread") {
  loopback_server server;
  server.otherwise([](const loopback_request&) { return loopback_reply{.body = "fetched here"}; });
  manual_cache cache(foo_bot());
  std::optional<robots::look_up> led = cache.begin("http://shared.example/");
  std::atomic<bool> others_done = false;
  bool lands = false;
  SUBCASE("and uses its result") { lands = true; }
  SUBCASE("and fetches itself if the flight is abandoned") {}
  std::thread other([&] {
    while (!others_done) {
      std::this_thread::yield();
    }
    if (lands) {
      led->on_response(ScriptedFetcher::ok("User-agent: *\nDisallow: /there"));
    }
    led.reset();
  });
  prefetch_options options = to(server);
  options.progress = [&](const prefetch_progress& now) {
    others_done = others_done || now.host == "http://own.example/";
  };
  const prefetch_summary summary = prefetch(
      cache, std::vector<std::string>{"http://shared.example/", "http://own.example/"}, options);
  other.join();
  CHECK(summary.done() == 2);
  CHECK(summary.joined == (lands ? 1 : 0));
  CHECK(server.requests() == (lands ? 1 : 2));
}

TEST_CASE("Blocking threads share the responses of a prefetch") {
  loopback_server server;
  gate& hold = server.make_gate();
  server.otherwise([&](const loopback_request&) {
    hold.pass();
    return loopback_reply{.body = "User-agent: *\nDisallow: /private"};
  });
  robots::ScriptedFetcher nothing;
  robots::test::WatchedStorage storage;
  robots::basic_robots_cache<ScriptedFetcher, robots::SteadyClock, robots::test::WatchedStorage>
      cache(foo_bot(), nothing, {}, storage);
  std::thread other;
  prefetch_options options = to(server);
  std::thread helper([&] {
    hold.wait_for_arrivals();
    other = std::thread([&] { CHECK(!cache.allowed("http://slow.example/private")); });
    storage.wait_for_misses(2);
    hold.open();
  });
  CHECK(prefetch(cache, std::vector<std::string>{"http://slow.example/"}, options).fetched == 1);
  helper.join();
  other.join();
  CHECK(server.requests() == 1);
}

TEST_CASE("A stop cancels the requests in flight, and other callers start their own") {
  loopback_server server;
  gate& hold = server.make_gate();
  server.otherwise([&](const loopback_request&) {
    hold.pass();
    return loopback_reply{};
  });
  manual_cache cache(foo_bot());
  std::stop_source stop;
  prefetch_options options = to(server);
  options.stop = stop.get_token();
  options.max_in_flight = 3;
  std::thread helper([&] {
    hold.wait_for_arrivals(3);
    stop.request_stop();
  });
  const prefetch_summary summary = prefetch(cache, sites(10), options);
  helper.join();
  CHECK(summary.done() == 0);
  CHECK(summary.abandoned == 3);
  CHECK(!summary.complete);
  CHECK(std::holds_alternative<robots::fetch_request>(cache.begin(site(0)).next()));
}

TEST_CASE("A stop that was requested before prefetch begins prevents every fetch") {
  const many_sites server([](std::string_view) { return many_sites::ok(""); });
  manual_cache cache(foo_bot());
  std::stop_source stop;
  stop.request_stop();
  prefetch_options options = to(server);
  options.stop = stop.get_token();
  const prefetch_summary summary = prefetch(cache, sites(10), options);
  CHECK(summary.done() == 0);
  CHECK(summary.abandoned == 0);
  CHECK(!summary.complete);
  CHECK(server.requests() == 0);
}

TEST_CASE("A callback can stop the prefetch") {
  const many_sites server([](std::string_view) { return many_sites::ok(""); });
  manual_cache cache(foo_bot());
  std::stop_source stop;
  prefetch_options options = to(server);
  options.stop = stop.get_token();
  options.max_in_flight = 4;
  options.progress = [&](const prefetch_progress& now) {
    if (now.done == 10) {
      stop.request_stop();
    }
  };
  const prefetch_summary summary =
      prefetch(cache, std::views::iota(0) | std::views::transform(site), options);
  CHECK(summary.done() >= 10);
  CHECK(summary.done() < 20);
  CHECK(!summary.complete);
}

TEST_CASE("After the deadline, no fetch begins, and a wait before a retry ends with the failure") {
  const many_sites server([](std::string_view) { return many_sites::status(503); });
  auto crawler = foo_bot();
  crawler.retry.attempts = 3;
  const robots::ManualClock clock;
  manual_cache cache(crawler, {}, clock);
  prefetch_options options = to(server);
  SUBCASE("during the wait before the first retry") {
    options.deadline = clock.now() + std::chrono::milliseconds{10};
    const prefetch_summary summary = prefetch(cache, sites(5), options);
    CHECK(summary.failed == 5);
    CHECK(summary.complete);
    CHECK(server.requests() == 5);
  }
  SUBCASE("before the first fetch") {
    options.deadline = clock.now();
    const prefetch_summary summary = prefetch(cache, sites(5), options);
    CHECK(summary.done() == 0);
    CHECK(!summary.complete);
    CHECK(server.requests() == 0);
  }
}

TEST_CASE("prefetch throws what its callback throws, after it has cancelled all requests") {
  const many_sites server([](std::string_view) { return many_sites::ok(""); });
  manual_cache cache(foo_bot());
  prefetch_options options = to(server);
  options.max_in_flight = 8;
  options.progress = [](const prefetch_progress& now) {
    if (now.done == 20) {
      throw std::runtime_error("enough");
    }
  };
  CHECK_THROWS_WITH_AS(static_cast<void>(prefetch(cache, sites(100), options)), "enough",
                       std::runtime_error);
  options.progress = nullptr;
  CHECK(prefetch(cache, sites(100), options).done() == 100);
}

TEST_CASE("prefetch throws what the range throws, and the cache stays usable") {
  const many_sites server([](std::string_view) { return many_sites::ok(""); });
  manual_cache cache(foo_bot());
  const auto hosts =
      std::views::iota(std::size_t{0}, std::size_t{100}) | std::views::transform([](std::size_t i) {
        return i == 50 ? throw std::runtime_error("no more") : site(i);
      });
  CHECK_THROWS_WITH_AS(static_cast<void>(prefetch(cache, hosts, to(server))), "no more",
                       std::runtime_error);
  CHECK(prefetch(cache, sites(100), to(server)).done() == 100);
}

TEST_CASE("A callback can ask the cache and prefetch more hosts") {
  const many_sites server(
      [](std::string_view) { return many_sites::ok("User-agent: *\nDisallow: /private"); });
  manual_cache cache(foo_bot());
  prefetch_options options = to(server);
  std::size_t inner = 0;
  options.progress = [&](const prefetch_progress& now) {
    CHECK(!cache.allowed(std::string(now.host) + "private"));
    if (now.done == 1) {
      inner = prefetch(cache, std::vector<std::string>{"http://more.example/"}, to(server)).fetched;
    }
  };
  CHECK(prefetch(cache, sites(20), options).fetched == 20);
  CHECK(inner == 1);
}

TEST_CASE("A prefetch of 10,000 hosts that refuse connections reports a failure for each") {
  const robots::test::closed_port nobody;
  auto crawler = foo_bot();
  crawler.retry.attempts = 2;
  robots::basic_robots_cache<ScriptedFetcher, robots::ManualClock, robots::LruStorage<64>> cache(
      crawler);
  prefetch_options options;
  options.curl = direct();
  options.curl.connect_to = {"::127.0.0.1:" + std::to_string(nobody.number())};
  const long before = peak_kib();
  CHECK(prefetch(cache, sites(10'000), options).failed == 10'000);
  MESSAGE("10,000 refusing hosts: peak memory grew by " << peak_kib() - before << " KiB");
}

TEST_CASE("Several threads can warm one cache") {
  const many_sites server([](std::string_view host) { return many_sites::ok(rules_of(host)); });
  robots::basic_robots_cache<ScriptedFetcher> cache(foo_bot());
  std::vector<std::thread> threads;
  std::atomic<std::size_t> done = 0;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      prefetch_options options = to(server);
      options.max_in_flight = 8;
      done += prefetch(cache, sites(200), options).done();
    });
  }
  for (std::thread& one : threads) {
    one.join();
  }
  CHECK(done == 800);
  CHECK(server.requests() == 200);
}

TEST_CASE("prefetch accepts a range that is readable only once, and refuses impossible options") {
  const many_sites server([](std::string_view) { return many_sites::ok(""); });
  manual_cache cache(foo_bot());
  std::istringstream list{"http://one.example http://two.example http://one.example"};
  prefetch_options options = to(server);
  std::optional<std::size_t> total;
  options.progress = [&](const prefetch_progress& now) { total = now.total; };
  const auto summary = prefetch(cache, std::views::istream<std::string>(list), options);
  CHECK(summary.fetched == 2);
  CHECK(summary.done() == 3);
  CHECK(!total);
  options.max_in_flight = 0;
  CHECK_THROWS_AS(static_cast<void>(prefetch(cache, sites(1), options)), std::invalid_argument);
}

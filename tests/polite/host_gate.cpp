#include <robots/polite/host_gate.hpp>

#include "gate_fixture.hpp"
#include <robots/http/site.hpp>
#include <robots/testing/manual_clock.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

namespace {

using namespace std::chrono_literals;
using robots::admission_reason;
using delay_term = robots::computed_delay::source;
using robots::gate_options;
using robots::ManualClock;
using robots::start_limit;
using robots::time_point;
using robots::test::fine;
using robots::test::gate_with;
using robots::test::home;
using robots::test::policy_with;

using gate = robots::basic_host_gate<ManualClock>;

static_assert(std::movable<gate::reservation> && !std::copyable<gate::reservation>);
static_assert(std::is_nothrow_move_constructible_v<gate::reservation>);
constexpr const char* other = "https://other.example/";

gate_options with_concurrency(unsigned at_once) {
  gate_options options = gate_with();
  options.concurrency = at_once;
  return options;
}

/// Makes options with a delay that is not random.
gate_options exactly(std::chrono::nanoseconds delay) {
  gate_options options = gate_with(0s);
  options.delay.floor = delay;
  return options;
}

/// Returns the policy of an empty robots.txt that was fetched with requests for `urls`.
std::shared_ptr<const robots::policy> fetched_at(time_point fetched,
                                                 const std::vector<std::string>& urls) {
  robots::record_head source{{.outcome = robots::outcome::success, .status = 200}};
  for (const std::string& url : urls) {
    source.exchanges.push_back({.url = url, .status = 200});
  }
  return std::make_shared<const robots::policy>(robots::directives_for("", "FooBot"), source,
                                                fetched);
}

}  // namespace

TEST_CASE("A reservation begins now at a new host, and after the delay at any other host") {
  const ManualClock clock;
  const time_point begin = clock.now();
  gate paced{exactly(2s), clock};
  gate::answer first = paced.acquire(home);
  REQUIRE(first);
  CHECK(first.reservation.at() == begin);
  first.reservation.complete(fine);
  gate::answer second = paced.acquire(home);
  CHECK(second.reservation.at() == begin + 2s);
  CHECK(clock.now() == begin + 2s);
  CHECK(second.plan.decided_by == start_limit::delay);
  CHECK(second.plan.delay.term == delay_term::floor);
}

TEST_CASE("Hosts do not wait for each other, and each origin is a host") {
  const ManualClock clock;
  const time_point begin = clock.now();
  gate paced{exactly(2s), clock};
  for (const char* url : {home, other, "http://example.com/", "https://example.com:8443/"}) {
    gate::answer got = paced.try_acquire(url);
    REQUIRE(got);
    CHECK(got.reservation.at() == begin);
  }
  CHECK(paced.stats().hosts == 4);
  CHECK(paced.try_acquire("HTTPS://EXAMPLE.COM:443/x?y").reason == admission_reason::not_yet);
  REQUIRE(paced.try_acquire("https://[2606:4700::0.0.17.18]/"));
  CHECK(paced.try_acquire("https://[2606:4700:0::1112]/x").reason == admission_reason::not_yet);
}

TEST_CASE("The user chooses which sites share a pace") {
  const ManualClock clock;
  gate_options options = exactly(2s);
  options.key = [](std::string_view) { return std::string{"one address for all"}; };
  gate by_address{options, clock};
  by_address.acquire(home).reservation.complete(fine);
  CHECK(by_address.try_acquire(other).reason == admission_reason::not_yet);
}

TEST_CASE("A text that is not a URL gets no reservation") {
  gate paced{gate_with(), ManualClock{}};
  for (const char* no_url : {"", "example.com", "mailto:a@b", "ftp://example.com/", "https://"}) {
    CHECK(paced.acquire(no_url).reason == admission_reason::invalid_url);
    CHECK(paced.try_reserve(no_url).reason == admission_reason::invalid_url);
    CHECK(paced.try_acquire(no_url).reason == admission_reason::invalid_url);
    paced.note_request(no_url, fine);
  }
  CHECK(paced.stats().hosts == 0);
}

TEST_CASE("The options limit the reservations at one time") {
  gate paced{with_concurrency(2), ManualClock{}};
  const gate::answer one = paced.try_reserve(home);
  gate::answer two = paced.try_reserve(home);
  const gate::answer three = paced.try_reserve(home);
  CHECK(one);
  CHECK(two);
  CHECK_FALSE(three);
  CHECK(three.reason == admission_reason::busy);
  CHECK_FALSE(three.plan.can_reserve);
  CHECK(two.reservation.at() > one.reservation.at());
  two.reservation.cancel();
  CHECK(paced.try_reserve(home));
}

TEST_CASE("An unused reservation has no effect on later ones") {
  const ManualClock clock;
  gate paced{exactly(2s), clock};
  paced.acquire(home).reservation.complete(fine);
  const time_point next = paced.next_allowed_at(home).at;
  {
    const gate::answer dropped = paced.try_reserve(home);
    CHECK(dropped.reservation.at() == next);
    CHECK(paced.next_allowed_at(home).at == next + 2s);
  }
  CHECK(paced.next_allowed_at(home).at == next);
}

TEST_CASE("A request that started and was cancelled keeps its delay") {
  const ManualClock clock;
  gate paced{exactly(2s), clock};
  const time_point begin = clock.now();
  {
    const gate::answer started = paced.acquire(home);
  }
  CHECK(paced.next_allowed_at(home).at == begin + 2s);
}

TEST_CASE("A reservation can be completed or cancelled twice, and used when it is empty") {
  const ManualClock clock;
  gate paced{with_concurrency(2), clock};
  gate::answer got = paced.acquire(home);
  const gate::answer stored = paced.try_reserve(home);
  got.reservation.complete({.status = 503});
  const time_point next = paced.next_allowed_at(home).at;
  got.reservation.complete({.status = 503});
  got.reservation.cancel();
  CHECK(paced.next_allowed_at(home).at == next);
  CHECK(paced.next_allowed_at(home).overloads == 1);
  CHECK(paced.try_reserve(home));
  CHECK_FALSE(got.reservation);

  gate::reservation nothing;
  nothing.complete(fine);
  nothing.cancel();
  CHECK(nothing.start().reason == admission_reason::invalid_url);
  CHECK(nothing.at() == time_point::max());
}

TEST_CASE("A reservation can be moved, completed without a start, and outlive its gate") {
  const ManualClock clock;
  std::optional<gate> paced{std::in_place, exactly(2s), clock};
  gate::reservation stored;
  {
    gate::answer got = paced->try_reserve(home);
    stored = std::move(got.reservation);
  }
  CHECK(paced->try_reserve(home).reason == admission_reason::busy);
  stored.complete(fine);
  CHECK(paced->next_allowed_at(home).at == clock.now() + 2s);
  stored = paced->try_reserve(home).reservation;
  gate::reservation& same = stored;
  stored = std::move(same);
  CHECK(stored);
  paced.reset();
  clock.advance(1h);
  CHECK(stored.start());
  stored.complete(fine);
}

TEST_CASE("A response with 429 or 503 delays the next request to its host") {
  const ManualClock clock;
  const time_point begin = clock.now();
  gate paced{exactly(1s), clock};
  paced.acquire(home).reservation.complete({.status = 429, .retry_after = 60s});
  CHECK(paced.next_allowed_at(home).decided_by == start_limit::retry_after);
  CHECK(paced.next_allowed_at(home).at == begin + 60s);
  CHECK(paced.try_acquire(home).reason == admission_reason::not_yet);
  CHECK(paced.try_acquire(home).plan.at == begin + 60s);
  clock.advance(60s);
  paced.acquire(home).reservation.complete({.status = 503});
  CHECK(paced.next_allowed_at(home).decided_by == start_limit::slow_down);
  CHECK(paced.next_allowed_at(home).at == begin + 64s);
  CHECK(paced.next_allowed_at(other).decided_by == start_limit::none);
}

TEST_CASE("The delay also follows a request without a reservation") {
  const ManualClock clock;
  gate paced{exactly(2s), clock};
  paced.note_request(home, {.response_time = 500ms, .status = 200});
  CHECK(paced.next_allowed_at(home).at == clock.now() + 1500ms);
  paced.note_request(home, {.status = 503, .retry_after = 30s});
  CHECK(paced.next_allowed_at(home).at == clock.now() + 30s);
}

TEST_CASE("The requests that fetched a robots.txt delay the host once, for all callers") {
  const ManualClock clock;
  const time_point begin = clock.now();
  gate paced{exactly(2s), clock};
  const auto limits = fetched_at(begin, {"https://example.com/robots.txt"});
  clock.advance(500ms);
  CHECK(paced.next_allowed_at(home, limits).at == begin + 2s);
  CHECK(paced.stats().hosts == 0);
  CHECK(paced.try_acquire(home, limits).plan.at == begin + 2s);
  CHECK(paced.next_allowed_at(home).at == begin + 2s);
  paced.acquire(home, limits).reservation.complete(fine);
  CHECK(clock.now() == begin + 2s);
  CHECK(paced.next_allowed_at(home, limits).at == begin + 4s);
}

TEST_CASE("A newer robots.txt delays requests, even if an older one was counted before") {
  const ManualClock clock;
  gate paced{exactly(2s), clock};
  const auto limits_now = [&clock] {
    return fetched_at(clock.now(), {"https://example.com/robots.txt"});
  };
  const auto limits = limits_now();
  paced.acquire(home, limits).reservation.complete(fine);
  clock.advance(10s);
  paced.try_reserve(home, limits).reservation.cancel();
  CHECK(paced.try_acquire(home, limits_now()).plan.at == clock.now() + 2s);
}

TEST_CASE("A robots.txt that is fetched after a redirect delays each of its hosts") {
  const ManualClock clock;
  gate paced{exactly(2s), clock};
  const auto limits =
      fetched_at(clock.now(), {"https://example.com/robots.txt", "https://example.com/moved.txt",
                               "https://other.example/robots.txt"});
  CHECK(paced.try_acquire(home, limits).reason == admission_reason::not_yet);
  CHECK(paced.next_allowed_at(home).at == clock.now() + 2s);
  CHECK(paced.next_allowed_at("https://other.example/").at == clock.now() + 2s);
}

TEST_CASE(
    "The requests that fetched a policy are examined once, even if none of them was for the host") {
  const ManualClock clock;
  int keys = 0;
  gate_options options = exactly(2s);
  options.key = [&keys](std::string_view url) {
    ++keys;
    return to_string(robots::detail::parse_origin(url).value());
  };
  gate paced{options, clock};
  const auto limits = fetched_at(clock.now(), {"https://other.example/robots.txt"});
  paced.acquire(home, limits).reservation.complete(fine);
  CHECK(keys == 2);
  for (int page = 0; page < 3; ++page) {
    keys = 0;
    paced.acquire(home, limits).reservation.complete(fine);
    CHECK(keys == 1);
  }
}

TEST_CASE("A robots.txt with a fetch time in the future delays requests no longer than a new one") {
  const ManualClock clock;
  const time_point begin = clock.now();
  gate paced{exactly(2s), clock};
  const auto limits = fetched_at(begin + 24h, {"https://example.com/robots.txt"});
  for (int i = 1; i <= 3; ++i) {
    paced.acquire(home, limits).reservation.complete(fine);
    CHECK(clock.now() == begin + i * 2s);
  }
}

TEST_CASE("Hosts that ask for more delay than the options accept are skipped") {
  gate_options options = gate_with();
  options.delay.cap = 1min;
  options.delay.skip_above_cap = true;
  gate paced{options, ManualClock{}};
  const gate::answer got = paced.acquire(home, policy_with("Crawl-delay: 3600"));
  CHECK(got.reason == admission_reason::skip_host);
  CHECK(got.plan.delay.asked_by == delay_term::crawl_delay);
  CHECK(paced.try_reserve(home, policy_with("Crawl-delay: 60")));
}

TEST_CASE("The hours of Visit-time delay a reservation") {
  const ManualClock clock;
  gate paced{gate_with(), clock};
  const gate::answer got = paced.try_reserve(home, policy_with("Visit-time: 1300-1400"));
  CHECK(got.reservation.at() == clock.now() + 1h);
  CHECK(got.plan.decided_by == start_limit::visit_time);
}

TEST_CASE("A deadline before the start ends the call at once, without a reservation") {
  const ManualClock clock;
  gate paced{exactly(10s), clock};
  gate::answer first = paced.acquire(home);
  CHECK(paced.acquire(home, {}, {.deadline = clock.now()}).reason == admission_reason::too_late);
  first.reservation.complete(fine);
  const time_point next = paced.next_allowed_at(home).at;
  const gate::answer late = paced.acquire(home, {}, {.deadline = next - 1ns});
  CHECK(late.reason == admission_reason::too_late);
  CHECK(late.plan.at == next);
  CHECK(clock.now() < next);
  CHECK(paced.next_allowed_at(home).at == next);
  CHECK(paced.acquire(home, {}, {.deadline = next}));
}

TEST_CASE("A call that was stopped makes no reservation") {
  std::stop_source stop;
  stop.request_stop();
  gate paced{exactly(10s), ManualClock{}};
  CHECK(paced.acquire(home, {}, {.stop = stop.get_token()}).reason == admission_reason::stopped);
  CHECK(paced.next_allowed_at(home).decided_by == start_limit::none);
  gate::answer first = paced.acquire(home);
  CHECK(paced.acquire(home, {}, {.stop = stop.get_token()}).reason == admission_reason::stopped);
}

TEST_CASE("Threads that wait for a reservation or for their time can be stopped") {
  robots::host_gate paced{exactly(24h)};
  robots::host_gate::answer first = paced.acquire(home);
  for (const bool asleep : {false, true}) {
    if (asleep) {
      first.reservation.complete(fine);
    }
    std::stop_source stop;
    admission_reason ended = admission_reason::go;
    std::thread waiter{[&] { ended = paced.acquire(home, {}, {.stop = stop.get_token()}).reason; }};
    while (asleep ? paced.next_allowed_at(home).can_reserve : paced.waiting(home) == 0) {
      std::this_thread::yield();
    }
    stop.request_stop();
    waiter.join();
    CHECK(ended == admission_reason::stopped);
    CHECK(paced.waiting(home) == 0);
  }
  CHECK(paced.try_reserve(home));
}

TEST_CASE("Reservations are served in order of arrival") {
  constexpr std::size_t threads = 16;
  gate paced{with_concurrency(1), ManualClock{}};
  std::mutex mutex;
  std::vector<std::size_t> order;
  gate::answer first = paced.acquire(home);
  {
    std::vector<std::jthread> waiters;
    for (std::size_t i = 0; i < threads; ++i) {
      waiters.emplace_back([&, i] {
        gate::answer got = paced.acquire(home);
        const std::lock_guard lock{mutex};
        order.push_back(i);
        got.reservation.complete(fine);
      });
      while (paced.waiting(home) <= i) {
        std::this_thread::yield();
      }
    }
    CHECK(paced.try_reserve(home).reason == admission_reason::busy);
    first.reservation.complete(fine);
  }
  REQUIRE(order.size() == threads);
  CHECK(std::ranges::is_sorted(order));
}

TEST_CASE("Each reservation that ends serves one waiter, even before earlier waiters have woken") {
  constexpr std::size_t most = 8;
  gate paced{with_concurrency(most), ManualClock{}};
  std::vector<gate::answer> held;
  std::vector<gate::answer> next(most);
  {
    std::vector<std::jthread> waiters;
    for (std::size_t i = 0; i < most; ++i) {
      held.push_back(paced.try_reserve(home));
    }
    for (std::size_t i = 0; i < most; ++i) {
      waiters.emplace_back([&, i] { next[i] = paced.acquire(home); });
      while (paced.waiting(home) <= i) {
        std::this_thread::yield();
      }
    }
    for (std::size_t left = most; left > 0; --left) {
      held[left - 1].reservation.cancel();
      CHECK(paced.waiting(home) == left - 1);
    }
  }
  CHECK(std::ranges::all_of(next, [](const gate::answer& got) { return static_cast<bool>(got); }));
}

TEST_CASE("A waiter that leaves does not block the next waiter") {
  gate paced{with_concurrency(1), ManualClock{}};
  gate::answer first = paced.acquire(home);
  std::stop_source stop;
  admission_reason gave_up = admission_reason::go;
  bool served = false;
  std::thread impatient{
      [&] { gave_up = paced.acquire(home, {}, {.stop = stop.get_token()}).reason; }};
  while (paced.waiting(home) < 1) {
    std::this_thread::yield();
  }
  std::thread patient{[&] { served = static_cast<bool>(paced.acquire(home)); }};
  while (paced.waiting(home) < 2) {
    std::this_thread::yield();
  }
  stop.request_stop();
  impatient.join();
  first.reservation.complete(fine);
  patient.join();
  CHECK(gave_up == admission_reason::stopped);
  CHECK(served);
}

TEST_CASE("A waiter whose host is skipped does not block the next waiter") {
  gate_options options = with_concurrency(1);
  options.delay.cap = 1min;
  options.delay.skip_above_cap = true;
  gate paced{options, ManualClock{}};
  gate::answer first = paced.acquire(home);
  admission_reason skipped = admission_reason::go;
  bool served = false;
  std::thread one{[&] { skipped = paced.acquire(home, policy_with("Crawl-delay: 90")).reason; }};
  while (paced.waiting(home) < 1) {
    std::this_thread::yield();
  }
  std::thread two{[&] { served = static_cast<bool>(paced.acquire(home)); }};
  while (paced.waiting(home) < 2) {
    std::this_thread::yield();
  }
  first.reservation.complete(fine);
  one.join();
  two.join();
  CHECK(skipped == admission_reason::skip_host);
  CHECK(served);
}

TEST_CASE("The gate forgets only hosts that need not be remembered") {
  constexpr std::size_t most = 128;
  const ManualClock clock;
  gate_options options = exactly(2s);
  options.max_hosts = most;
  gate paced{options, clock};
  const gate::answer held = paced.try_reserve("https://held.example/");
  for (int i = 0; i < 10'000; ++i) {
    gate::answer got = paced.try_acquire("https://host" + std::to_string(i) + ".example/");
    REQUIRE(got);
    got.reservation.complete(fine);
    clock.advance(1s);
    REQUIRE(paced.stats().hosts <= most);
  }
  MESSAGE("one new host each second, remembered for a minute: " << paced.stats().hosts << " hosts");
  CHECK(paced.stats().hosts <= 100);
  CHECK(paced.try_reserve("https://held.example/").reason == admission_reason::busy);
}

TEST_CASE("If all hosts must be remembered, a new host is refused until one can be forgotten") {
  constexpr std::size_t most = 8;
  const ManualClock clock;
  gate_options options = exactly(2s);
  options.max_hosts = most;
  gate paced{options, clock};
  for (std::size_t i = 0; i < most; ++i) {
    paced.acquire("https://host" + std::to_string(i) + ".example/").reservation.complete(fine);
  }
  CHECK(paced.try_acquire(home).reason == admission_reason::no_room);
  CHECK(paced.acquire(home).reason == admission_reason::no_room);
  CHECK(paced.next_allowed_at(home).decided_by == start_limit::none);
  CHECK(paced.stats().hosts == most);
  clock.advance(2min);
  CHECK(paced.try_acquire(home));
}

TEST_CASE("A host that recovers makes room for others sooner") {
  const ManualClock clock;
  gate_options options = exactly(2s);
  options.max_hosts = 1;
  gate paced{options, clock};
  paced.note_request(home, {.status = 503});
  clock.advance(2min);
  CHECK(paced.try_acquire(other).reason == admission_reason::no_room);
  paced.note_request(home, {.status = 200});
  clock.advance(1min);
  CHECK(paced.try_acquire(other));
}

TEST_CASE("There is room for exactly the number of hosts in the options") {
  for (const std::size_t most : {std::size_t{1}, std::size_t{1'000}, std::size_t{4'096}}) {
    gate_options options = exactly(2s);
    options.max_hosts = most;
    gate paced{options, ManualClock{}};
    for (std::size_t i = 0; i < most; ++i) {
      REQUIRE(paced.try_acquire("https://host" + std::to_string(i) + ".example/"));
    }
    CHECK(paced.stats().hosts == most);
    CHECK(paced.try_acquire(home).reason == admission_reason::no_room);
  }
}

TEST_CASE("Hosts that ask for absurd delays do not prevent requests to other hosts") {
  constexpr int most = 1'000;
  const ManualClock clock;
  gate_options options = exactly(2s);
  options.max_hosts = most;
  gate paced{options, clock};
  const auto absurd = policy_with("Crawl-delay: 999999999");
  const auto hour = policy_with("Crawl-delay: 3600");
  paced.acquire(home, hour).reservation.complete(fine);
  const gate::answer held = paced.try_reserve("https://held.example/", absurd);
  for (int i = 0; i < 2 * most; ++i) {
    const std::string url = "https://host" + std::to_string(i) + ".example/";
    gate::answer got = paced.try_acquire(url, absurd);
    REQUIRE(got);
    got.reservation.complete(fine);
  }
  // The gate remembers these hosts while there is room.
  CHECK(paced.stats().hosts == most);
  CHECK(paced.try_acquire(other));
  CHECK(paced.try_acquire(home, hour).reason == admission_reason::not_yet);
  CHECK(paced.try_reserve("https://held.example/").reason == admission_reason::busy);
  clock.advance(24h * 365);
  CHECK(paced.try_acquire("https://late.example/"));
}

TEST_CASE("If there is room, the gate keeps even the longest delay") {
  const ManualClock clock;
  gate paced{exactly(2s), clock};
  const auto absurd = policy_with("Crawl-delay: 999999999");
  paced.acquire(home, absurd).reservation.complete(fine);
  clock.advance(24h * 365);
  for (int i = 0; i < 100; ++i) {
    CHECK(paced.try_acquire("https://host" + std::to_string(i) + ".example/"));
  }
  CHECK(paced.try_acquire(home).reason == admission_reason::not_yet);
}

TEST_CASE("A wait ends when a manual clock passes the deadline") {
  const ManualClock clock;
  gate paced{exactly(2s), clock};
  const gate::answer first = paced.acquire(home);
  admission_reason ended = admission_reason::go;
  std::thread waiter{
      [&] { ended = paced.acquire(home, {}, {.deadline = clock.now() + 2h}).reason; }};
  while (paced.waiting(home) == 0) {
    std::this_thread::yield();
  }
  clock.advance(1h);
  CHECK(paced.waiting(home) == 1);
  clock.advance(2h);
  waiter.join();
  CHECK(ended == admission_reason::too_late);
  CHECK(paced.waiting(home) == 0);
}

TEST_CASE("A URL is decided again at its reserved time, not before") {
  const ManualClock clock;
  gate paced{exactly(2s), clock};
  paced.acquire(home).reservation.complete(fine);
  int asked = 0;
  admission_reason allowed = admission_reason::go;
  const auto decide_again = [&](const auto& /*site_policy*/) {
    ++asked;
    return allowed;
  };
  gate::answer got = paced.try_reserve(home, {}, decide_again);
  CHECK(got.reservation.start().ask_again == clock.now() + 2s);
  CHECK(asked == 0);
  clock.advance(2s);
  allowed = admission_reason::disallowed;
  CHECK(got.reservation.start().reason == admission_reason::disallowed);
  CHECK(asked == 1);
  CHECK_FALSE(got.reservation);
  CHECK(got.reservation.start().reason == admission_reason::disallowed);
  CHECK(paced.stats().cancelled == 1);
  // Another request can be reserved, and its time has come.
  gate::answer next = paced.try_acquire(home);
  REQUIRE(next);
  next.reservation.complete(fine);
  CHECK(paced.acquire(home, {}, {}, decide_again).reason == admission_reason::disallowed);
  CHECK(paced.try_acquire(home));
}

TEST_CASE("A page is decided again only after a wait, also on a running clock") {
  struct TickingClock : ManualClock {
    [[nodiscard]] time_point now() const {
      advance(1ns);
      return ManualClock::now();
    }
  };
  robots::basic_host_gate<TickingClock> paced{exactly(2s), TickingClock{}};
  int asked = 0;
  const auto decide_again = [&](const auto& /*site_policy*/) {
    ++asked;
    return admission_reason::go;
  };
  paced.acquire(home, {}, {}, decide_again).reservation.complete(fine);
  CHECK(asked == 0);
  paced.acquire(home, {}, {}, decide_again).reservation.complete(fine);
  CHECK(asked == 1);
}

TEST_CASE(
    "If a decision needs a fetch of robots.txt, the page waits for the delay after this fetch") {
  const ManualClock clock;
  gate paced{exactly(2s), clock};
  paced.acquire(home).reservation.complete(fine);
  gate::answer got = paced.try_reserve(home, {}, [&](gate::policy_pointer& site_policy) {
    if (site_policy == nullptr) {
      site_policy = fetched_at(clock.now(), {"https://example.com/robots.txt"});
    }
    return admission_reason::go;
  });
  clock.advance(2s);
  CHECK(got.reservation.start().ask_again == clock.now() + 2s);
  clock.advance(2s);
  CHECK(got.reservation.start());
}

TEST_CASE("A gate counts its answers, and its completed and cancelled reservations") {
  gate paced{exactly(2s), ManualClock{}};
  paced.acquire(home).reservation.complete(fine);
  CHECK(paced.try_acquire(home).reason == admission_reason::not_yet);
  CHECK(paced.try_acquire("x").reason == admission_reason::invalid_url);
  gate::answer early = paced.try_reserve(home);
  CHECK(early.reservation.start().reason == admission_reason::not_yet);
  early.reservation.cancel();
  paced.try_reserve(home).reservation.complete(fine);
  const gate::statistics stats = paced.stats();
  CHECK(stats.answers[admission_reason::go] == 3);
  CHECK(stats.answers[admission_reason::not_yet] == 1);
  CHECK(stats.answers[admission_reason::invalid_url] == 1);
  CHECK(stats.started == 2);
  CHECK(stats.cancelled == 1);
  CHECK(stats.hosts == 1);
}

TEST_CASE("Equal seeds give equal delays") {
  for (int round = 0; round < 2; ++round) {
    const ManualClock one_clock;
    const ManualClock other_clock;
    gate_options options = gate_with();
    gate one{options, one_clock};
    options.seed = round == 0 ? 42 : 43;
    gate another{options, other_clock};
    for (int i = 0; i < 20; ++i) {
      one.acquire(home).reservation.complete(fine);
      another.acquire(home).reservation.complete(fine);
    }
    CHECK((one_clock.now() == other_clock.now()) == (round == 0));
  }
}

TEST_CASE("Many threads at a few hosts with several reservations never start too early") {
  constexpr int threads = 32;
  constexpr int one = 40;
  gate_options options = exactly(100ms);
  options.concurrency = 3;
  const ManualClock clock;
  gate paced{options, clock};
  std::mutex mutex;
  std::map<std::string, std::vector<time_point>> starts;
  {
    std::vector<std::jthread> workers;
    for (int i = 0; i < threads; ++i) {
      workers.emplace_back([&, i] {
        for (int k = 0; k < one; ++k) {
          const std::string url = "https://host" + std::to_string((i + k) % 5) + ".example/";
          gate::answer got = paced.acquire(url);
          if (k % 10 == 9) {
            got.reservation.cancel();
            continue;
          }
          {
            const std::lock_guard lock{mutex};
            starts[url].push_back(got.reservation.at());
          }
          got.reservation.complete(fine);
        }
      });
    }
  }
  std::size_t count = 0;
  for (auto& [url, times] : starts) {
    std::ranges::sort(times);
    count += times.size();
    for (std::size_t i = 1; i < times.size(); ++i) {
      REQUIRE(times[i] - times[i - 1] >= 100ms);
    }
  }
  CHECK(count == threads * one * 9 / 10);
  CHECK(paced.waiting("https://host0.example/") == 0);
}

TEST_CASE("Options that a gate cannot follow are refused") {
  CHECK_THROWS_AS(gate{with_concurrency(0)}, std::invalid_argument);
}

TEST_CASE("A reservation that is withdrawn before its start is cancelled, with the reason") {
  const ManualClock clock;
  gate paced{exactly(2s), clock};
  gate::answer begun = paced.acquire(home);
  gate::answer elsewhere = paced.try_reserve(other);
  paced.withdraw(home);
  paced.withdraw("https://unknown.example/");
  paced.withdraw("no URL");
  CHECK(begun.reservation.start());  // a started request is not withdrawn
  CHECK(elsewhere.reservation.start());
  begun.reservation.complete(fine);

  gate::answer planned = paced.try_reserve(home);
  paced.withdraw(home);
  CHECK(planned.reservation.start().reason == admission_reason::halted);
  CHECK_FALSE(planned.reservation);
  CHECK(paced.stats().cancelled == 1);
  CHECK(paced.try_reserve(home));  // a later request is not affected
}

TEST_CASE("A reservation that has ended never starts, even if its last decision was to go") {
  const ManualClock clock;
  gate paced{exactly(2s), clock};
  for (const bool is_completed : {true, false}) {
    gate::answer reserved = paced.try_reserve(
        home, {}, [](const auto& /*site_policy*/) { return admission_reason::go; });
    clock.sleep_until(reserved.plan.at, {});
    CHECK(reserved.reservation.start());
    if (is_completed) {
      reserved.reservation.complete(fine);
    } else {
      reserved.reservation.cancel();
    }
    CHECK_FALSE(reserved.reservation.start());
  }
}

TEST_CASE("A withdrawn reservation continues if its decide_again allows the page") {
  const ManualClock clock;
  gate paced{exactly(2s), clock};
  admission_reason answer = admission_reason::go;
  int asked = 0;
  const auto decide_again = [&](const auto& /*site_policy*/) {
    ++asked;
    return answer;
  };
  gate::answer got = paced.try_reserve(home, {}, decide_again);
  paced.withdraw(home);
  CHECK(got.reservation.start());
  CHECK(asked == 1);
  got.reservation.complete(fine);

  got = paced.try_reserve(home, {}, decide_again);
  paced.withdraw(home);
  CHECK(got.reservation.start().reason == admission_reason::not_yet);
  CHECK(got.reservation);  // it is still too early
  answer = admission_reason::halted;
  paced.withdraw(home);
  CHECK(got.reservation.start().reason == admission_reason::halted);
}

TEST_CASE("If decide_again throws, the next start calls it once more") {
  const ManualClock clock;
  gate paced{exactly(2s), clock};
  paced.try_acquire(home).reservation.complete(fine);
  int calls = 0;
  gate::answer got = paced.try_reserve(home, {}, [&calls](const auto& /*site_policy*/) {
    if (++calls == 1) {
      throw std::runtime_error{"no answer"};
    }
    return admission_reason::halted;
  });
  REQUIRE(got.reservation.at() > clock.now());
  paced.withdraw(home);
  CHECK_THROWS_AS((void)got.reservation.start(), std::runtime_error);
  CHECK(got.reservation.start().reason == admission_reason::halted);
}

TEST_CASE("Threads that wait for a reservation or for their time wake when it is withdrawn") {
  robots::host_gate paced{exactly(1h)};
  auto first = paced.acquire(home);
  std::vector<admission_reason> ended(4, admission_reason::go);
  std::vector<std::jthread> waiters;
  const auto wait_in_the_queue = [&](std::size_t i) {
    waiters.emplace_back([&paced, &ended, i] { ended[i] = paced.acquire(home).reason; });
    while (paced.waiting(home) < i + 1) {
      std::this_thread::yield();
    }
  };
  wait_in_the_queue(0);
  wait_in_the_queue(1);
  wait_in_the_queue(2);
  paced.withdraw(home);
  waiters.clear();
  first.reservation.complete(fine);
  // This thread gets a reservation and sleeps for an hour.
  std::thread sleeper{[&] { ended[3] = paced.acquire(home).reason; }};
  while (paced.try_reserve(home)) {
    std::this_thread::yield();
  }
  paced.withdraw(home);
  sleeper.join();
  CHECK(ended == std::vector(4, admission_reason::halted));
}

TEST_CASE(
    "A thread whose reservation was withdrawn waits in the queue again if its page is still "
    "allowed") {
  robots::host_gate paced{exactly(0s)};
  auto first = paced.acquire(home);
  int asked = 0;
  bool served = false;
  std::jthread waiter{[&] {
    served = static_cast<bool>(paced.acquire(home, {}, {}, [&](const auto& /*site_policy*/) {
      ++asked;
      return admission_reason::go;
    }));
  }};
  while (paced.waiting(home) == 0) {
    std::this_thread::yield();
  }
  paced.withdraw(home);
  first.reservation.complete(fine);
  waiter.join();
  CHECK(served);
  CHECK(asked > 0);
}

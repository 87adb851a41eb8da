#include <robots/cache/detail/site_look_up.hpp>

#include "../cache_fixture.hpp"
#include <robots/cache/detail/look_up_environment.hpp>
#include <robots/cache/detail/site_keys.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

using namespace std::chrono_literals;
using robots::cache_options;
using robots::fetch_request;
using robots::fetch_response;
using robots::ManualClock;
using robots::ScriptedFetcher;
using robots::cache_detail::look_up_step;
using robots::cache_detail::site_look_up;
using robots::cache_detail::site_work;
using robots::test::foo_bot;
using robots::test::ok;

namespace {

enum class look_up_event_kind {
  none,            // only `proceed`
  file_comes,      // the site answers the request of this look-up
  redirect_comes,  // the site redirects to another site
  is_passed_on,    // another thread takes over the work
  other_fetches,   // the other thread gets the file
  other_offers,    // the other thread has asked the store in vain, and offers the fetch
  call_ends,
  caller_leaves,
  memory_is_out,  // in the step of the work
};

struct expected_step {
  look_up_event_kind event;
  look_up_step step;
};

/// A cache whose look-ups a test drives by events.
struct look_up_desk {
  explicit look_up_desk(cache_options options = foo_bot()) : cache(std::move(options), parts) {}

  [[nodiscard]] std::unique_ptr<site_look_up> begin(site_look_up::call asked_by = {}) {
    auto begun = std::make_unique<site_look_up>(
        cache, robots::cache_detail::keys_of("https://example.com/"), std::move(asked_by));
    CHECK(begun->next() == look_up_step::proceed);
    begun->proceed();
    return begun;
  }

  void respond(site_work& work, fetch_response response) {
    REQUIRE(std::holds_alternative<fetch_request>(work.fetch().next()));
    work.fetch().on_response(std::move(response), clock.now(), clock.wall_now());
    work.settle({.steady = clock.now(), .wall = clock.wall_now()});
  }

  /// Reports an event to the look-up, and returns its next step.
  [[nodiscard]] look_up_step after(site_look_up& look, look_up_event_kind event) {
    using enum look_up_event_kind;
    switch (event) {
      case none:
        break;
      case file_comes:
        REQUIRE(look.work());
        respond(*look.work(), ok());
        break;
      case redirect_comes:
        REQUIRE(look.work());
        respond(*look.work(), ScriptedFetcher::redirect(301, "https://other.example/robots.txt"));
        break;
      case is_passed_on:
        passed_on = look.pass_work_on();
        break;
      case other_fetches:
        respond(*passed_on, ok());
        break;
      case other_offers:
        CHECK(passed_on->own_flight().offer(passed_on));
        passed_on = nullptr;
        break;
      case call_ends:
        look.give_up();
        break;
      case caller_leaves:
        look.caller_left();
        break;
      case memory_is_out:
        look.drop_work();
        break;
    }
    look.proceed();
    return look.next();
  }

  void drive(site_look_up& look, const std::vector<expected_step>& events) {
    for (std::size_t i = 0; i < events.size(); ++i) {
      INFO("event " << i);
      CHECK(after(look, events[i].event) == events[i].step);
    }
  }

  ManualClock clock;
  robots::cache_detail::own_parts<ScriptedFetcher, ManualClock, robots::LruStorage<16>,
                                  robots::NullObserver>
      parts{{}, clock, {}, {}};
  robots::cache_detail::look_up_environment cache;
  std::shared_ptr<site_work> passed_on;
};

}  // namespace

TEST_CASE("A look-up alone: each list of events leads to its steps") {
  using enum look_up_event_kind;
  using enum look_up_step;
  std::vector<expected_step> events;
  SUBCASE("the file comes") { events = {{none, work}, {file_comes, answered}, {none, answered}}; }
  SUBCASE("the site redirects to another site, which is asked next") {
    events = {{redirect_comes, work}, {file_comes, answered}};
  }
  SUBCASE("another thread does the work") {
    events = {{is_passed_on, wait}, {none, wait}, {other_fetches, answered}};
  }
  SUBCASE("another thread offers the work, and the look-up takes it back") {
    events = {{is_passed_on, wait}, {other_offers, work}, {file_comes, answered}};
  }
  SUBCASE("the call ends while this look-up waits") {
    events = {{is_passed_on, wait}, {call_ends, answered}};
  }
  SUBCASE("the caller leaves, and the work goes on to its end") {
    events = {{caller_leaves, work}, {none, work}, {file_comes, left}, {caller_leaves, left}};
  }
  SUBCASE("the caller leaves while another thread works") {
    events = {{is_passed_on, wait}, {caller_leaves, left}, {other_fetches, left}};
  }
  SUBCASE("the caller leaves after the answer, which stays") {
    events = {{file_comes, answered}, {caller_leaves, answered}};
  }
  SUBCASE("memory runs out, and the site is looked up again") {
    events = {{memory_is_out, work}, {file_comes, answered}};
  }
  SUBCASE("memory runs out after the caller has left") {
    events = {{caller_leaves, work}, {memory_is_out, left}};
  }
  look_up_desk desk;
  const auto look = desk.begin();
  REQUIRE(look->next() == work);
  CHECK_FALSE(look->answer().policy);
  desk.drive(*look, events);
  CHECK((look->answer().policy != nullptr) == (look->next() == answered));
}

TEST_CASE(
    "Two look-ups of a site: each list of events of the leader leads to steps of the waiter") {
  using enum look_up_event_kind;
  using enum look_up_step;
  look_up_desk desk;
  auto leader = desk.begin();
  const auto waiter = desk.begin();
  REQUIRE(waiter->next() == wait);
  const auto next_of_waiter = [&] { return desk.after(*waiter, none); };
  SUBCASE("the leader gets the file") {
    desk.drive(*leader, {{file_comes, answered}});
    CHECK(next_of_waiter() == answered);
    CHECK(waiter->answer().policy == leader->answer().policy);
    CHECK_FALSE(waiter->has_fetched());
  }
  SUBCASE("the caller of the leader leaves, and the leader gets the file") {
    desk.drive(*leader, {{caller_leaves, work}});
    CHECK(next_of_waiter() == wait);
    desk.drive(*leader, {{file_comes, left}});
    CHECK(next_of_waiter() == answered);
  }
  SUBCASE("the leader is destroyed, and the waiter leads a new flight") {
    leader.reset();
    CHECK(next_of_waiter() == work);
    desk.drive(*waiter, {{file_comes, answered}});
    CHECK(waiter->has_fetched());
  }
  SUBCASE("memory runs out for the leader, and the waiter leads") {
    leader->drop_work();
    CHECK(next_of_waiter() == work);
    CHECK(desk.after(*leader, none) == wait);
  }
  SUBCASE("the work is offered, and the waiter takes it") {
    desk.drive(*leader, {{is_passed_on, wait}});
    CHECK(desk.passed_on->own_flight().offer(std::exchange(desk.passed_on, nullptr)));
    CHECK(next_of_waiter() == work);
    CHECK(desk.after(*leader, none) == wait);
    desk.drive(*waiter, {{file_comes, answered}});
    CHECK(desk.after(*leader, none) == answered);
  }
  SUBCASE("an order detaches the flight, whose result is for these look-ups only") {
    desk.cache.invalidate(*robots::parse_site("https://example.com"));
    const auto later = desk.begin();
    CHECK(later->next() == work);
    desk.drive(*leader, {{file_comes, answered}});
    CHECK(next_of_waiter() == answered);
    CHECK(desk.after(*later, none) == work);
  }
}

TEST_CASE("A look-up that needs no work is answered by its first step") {
  cache_options options = foo_bot();
  options.stale_while_revalidate = 1h;
  look_up_desk desk{options};
  const auto first = desk.begin();
  REQUIRE(desk.after(*first, look_up_event_kind::file_comes) == look_up_step::answered);
  const auto age_when_stale = 24h + 10min;
  SUBCASE("by a fresh entry") {
    const auto look = desk.begin();
    CHECK(look->next() == look_up_step::answered);
    CHECK(look->answer().from_cache);
    CHECK(look->take_other_works().empty());
  }
  SUBCASE("by a stale entry, with the work to renew it") {
    desk.clock.advance(age_when_stale);
    const auto look = desk.begin();
    CHECK(look->next() == look_up_step::answered);
    CHECK(look->answer().stale);
    CHECK(look->take_other_works().size() == 1);
    CHECK(look->take_other_works().empty());
  }
  SUBCASE("by what there is, if the call has no time") {
    desk.clock.advance(age_when_stale + options.stale_while_revalidate);
    const auto look = desk.begin({.has_no_time = true});
    CHECK(look->next() == look_up_step::answered);
    CHECK_FALSE(look->answer().from_cache);
  }
  SUBCASE("but a refresh asks the site") {
    CHECK(desk.begin({.refreshes = true})->next() == look_up_step::work);
  }
}

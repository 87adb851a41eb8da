#include <robots/cache/detail/site_work.hpp>

#include "../cache_fixture.hpp"
#include <robots/cache/detail/cache_parts.hpp>
#include <robots/cache/detail/look_up_environment.hpp>
#include <robots/cache/detail/resilient_store.hpp>
#include <robots/cache/detail/site_look_up.hpp>
#include <robots/cache/detail/store_side.hpp>
#include <robots/cache/detail/store_work.hpp>
#include <robots/cache/tiered_storage.hpp>
#include <robots/testing/memory_store.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

using namespace std::chrono_literals;
using robots::cache_options;
using robots::fallback_policy;
using robots::fetch_request;
using robots::fetch_response;
using robots::lease_wish;
using robots::ManualClock;
using robots::outcome;
using robots::ScriptedFetcher;
using robots::store_reply;
using robots::cache_detail::flight;
using robots::cache_detail::kept_entry;
using robots::cache_detail::publish_answer;
using robots::cache_detail::site_work;
using robots::cache_detail::store_side;
using robots::cache_detail::store_work_of;
using robots::cache_detail::work_start;
using robots::cache_detail::work_step;
using robots::test::foo_bot;
using robots::test::ok;
using robots::test::robots_url;

namespace {

using memory_store = robots::MemoryStore<ManualClock>;

/// The work on https://example.com, step by step. A test makes the replies of the store and the
/// responses of the site.
struct workplace {
  explicit workplace(bool has_store, cache_options chosen = foo_bot()) {
    using near = robots::LruStorage<16>;
    if (has_store) {
      parts = make_parts(robots::TieredStorage{near{}, shared, sharing});
    } else {
      parts = make_parts(near{});
    }
    cache.emplace(std::move(chosen), *parts);
  }

  /// Begins work that a caller waits for.
  std::shared_ptr<site_work> begin(const kept_entry& known = {}, bool refreshes = false) {
    auto [joined, lead] = cache->flights.join("example.com", example_keys);
    place = std::move(joined);
    const bool is_fresh = known.policy && !known.is_suspect && clock.now() < known.fresh_until;
    return std::make_shared<site_work>(
        *cache, std::move(lead),
        work_start{
            .known = known, .refreshes = refreshes, .is_fresh = is_fresh, .began = clock.now()});
  }

  /// The entry of the site in this process.
  [[nodiscard]] kept_entry known() { return cache->policies.find(*example_keys, clock.now()); }

  /// Answers the request of the work.
  void answer(site_work& work, fetch_response response) {
    REQUIRE(work.next() == work_step::fetch);
    REQUIRE(std::holds_alternative<fetch_request>(work.fetch().next()));
    work.fetch().on_response(std::move(response), clock.now(), clock.wall_now());
    work.settle(now());
  }

  // The steps of the shared store.

  [[nodiscard]] robots::store_question question(site_work& work) {
    return store_work_of(work).question(clock.now());
  }
  void reply(site_work& work, store_reply reply) {
    work.on_decision(store_work_of(work).on_reply(std::move(reply), now()), clock.now());
  }
  void published(site_work& work, publish_answer answer) {
    work.on_published();
    store_work_of(work).on_published(answer, clock.now());
  }
  [[nodiscard]] store_side& side() { return dynamic_cast<store_side&>(*cache->far_tier); }

  /// A reply that grants the lease, and has no record of the site.
  [[nodiscard]] store_reply lease() {
    return {.lease = robots::store_lease{"example.com", "token"}, .is_answered = true};
  }

  ManualClock clock;
  memory_store shared{clock};
  robots::tiered_options sharing;
  std::unique_ptr<robots::cache_detail::cache_parts> parts;
  std::optional<robots::cache_detail::look_up_environment> cache;
  const std::shared_ptr<const robots::cache_detail::site_keys> example_keys =
      robots::cache_detail::keys_of("https://example.com/");
  robots::cache_detail::single_flight::waiter place;

 private:
  [[nodiscard]] robots::wall_anchor now() const {
    return {.steady = clock.now(), .wall = clock.wall_now()};
  }

  template <class Storage>
  [[nodiscard]] std::unique_ptr<robots::cache_detail::cache_parts> make_parts(Storage storage) {
    return std::make_unique<robots::cache_detail::own_parts<ScriptedFetcher, ManualClock, Storage,
                                                            robots::NullObserver>>(
        ScriptedFetcher{}, clock, std::move(storage), robots::NullObserver{});
  }
};

}  // namespace

TEST_CASE("Without a shared store, the site is fetched and the answer is kept") {
  workplace files{false};
  const auto work = files.begin();
  files.answer(*work, ok());
  CHECK(work->next() == work_step::done);
  REQUIRE(files.place->ended()->result);
  CHECK_FALSE(files.place->ended()->result->allows("/private"));
  CHECK(files.known().policy == files.place->ended()->result);
}

TEST_CASE("A fetch can take several requests and waits") {
  cache_options options = foo_bot();
  options.retry.attempts = 2;
  workplace files{false, options};
  const auto work = files.begin();
  files.answer(*work, ScriptedFetcher::status(503));
  CHECK(work->next() == work_step::fetch);
  const auto pause = std::get<robots::detail::retry_wait>(work->fetch().next());
  files.clock.advance(pause.until - files.clock.now());
  work->fetch().on_wait_over(files.clock.now());
  files.answer(*work, ok());
  CHECK(files.place->ended()->result->basis() == robots::policy_basis::rules);
}

TEST_CASE(
    "A site that is unknown in the fleet is fetched under a lease, and published after the fetch") {
  workplace files{true};
  const auto work = files.begin();
  CHECK(work->next() == work_step::ask_store);
  CHECK(files.question(*work).key == "https://example.com");
  CHECK(files.question(*work).other_key == "example.com");
  CHECK(files.question(*work).lease_key == "example.com");
  CHECK(files.question(*work).wish == lease_wish::if_missing);
  files.reply(*work, files.lease());
  files.answer(*work, ok());
  CHECK(files.place->ended());
  CHECK(work->next() == work_step::publish);
  REQUIRE(store_work_of(*work).lease());
  CHECK(store_work_of(*work).lease()->token == "token");
  const auto published = robots::detail::decode_site(store_work_of(*work).value()).value;
  REQUIRE(published);
  CHECK(published->latest.outcome == outcome::success);
  CHECK(store_work_of(*work).lifetime() > 24h);
  files.published(*work, publish_answer::stored);
  CHECK(files.side().store().owed() == 0);
  CHECK(work->next() == work_step::done);
}

TEST_CASE("If another process asks a site, the store is read again, and then the site is asked") {
  workplace files{true};
  const auto work = files.begin();
  const auto last_look = files.clock.now() + files.sharing.wait;
  int looks = 0;
  for (; files.clock.now() < last_look; ++looks) {
    files.reply(*work, {.is_answered = true});
    REQUIRE(work->next() == work_step::wait);
    CHECK(store_work_of(*work).next_look() >= files.clock.now() + files.sharing.poll - 1ms);
    files.clock.advance(store_work_of(*work).next_look() - files.clock.now());
    work->on_wait_over();
    CHECK(work->next() == work_step::ask_store);
  }
  CHECK(looks < 15);
  files.reply(*work, {.is_answered = true});
  CHECK(work->next() == work_step::fetch);
  files.answer(*work, ok());
  CHECK(work->next() == work_step::done);  // nothing is published without a lease
}

TEST_CASE("A work takes the time from its events, and reads no clock") {
  workplace files{true};
  const auto work = files.begin();
  const auto reply_at = [&](robots::time_point now) {
    const robots::wall_anchor then{.steady = now, .wall = files.clock.wall_now()};
    work->on_decision(store_work_of(*work).on_reply({.is_answered = true}, then), now);
  };
  const auto began = files.clock.now();
  reply_at(began + 2s);
  REQUIRE(work->next() == work_step::wait);
  CHECK(store_work_of(*work).next_look() == began + 3s);
  work->on_wait_over();
  reply_at(began + files.sharing.wait);
  REQUIRE(work->next() == work_step::fetch);
  CHECK(files.clock.now() == began);
  work->fetch().on_response(ok(), began + 6s, files.clock.wall_now());
  work->settle({.steady = began + 7s, .wall = files.clock.wall_now()});
  REQUIRE(files.place->ended()->result);
  CHECK(files.place->ended()->result->fetched_at() == began + 7s);
}

TEST_CASE("A fresh record of another process completes the work") {
  workplace first{true};
  const auto fetched = first.begin();
  first.reply(*fetched, first.lease());
  first.answer(*fetched, ok());
  workplace second{true};
  const auto work = second.begin();
  second.reply(*work, {.value = store_work_of(*fetched).value(), .is_answered = true});
  CHECK(work->next() == work_step::done);
  CHECK(second.place->ended()->from_store);
  CHECK_FALSE(second.place->ended()->result->allows("/private"));
}

TEST_CASE("An expired record leads to a lease, and then to a request with its validators") {
  workplace first{true};
  const auto fetched = first.begin();
  first.reply(*fetched, first.lease());
  first.answer(*fetched, ok(robots::test::rules, {{"ETag", "\"1\""}}));
  workplace second{true};
  second.clock.advance(25h);
  const auto work = second.begin();
  second.reply(*work, {.value = store_work_of(*fetched).value(), .is_answered = true});
  CHECK(work->next() == work_step::ask_store);
  CHECK(second.question(*work).wish == lease_wish::if_free);
  store_reply reply = second.lease();
  reply.value = store_work_of(*fetched).value();
  second.reply(*work, std::move(reply));
  REQUIRE(work->next() == work_step::fetch);
  const auto request = std::get<fetch_request>(work->fetch().next());
  CHECK(robots::detail::find_header(request.headers, "If-None-Match") == "\"1\"");
  second.answer(*work, ScriptedFetcher::status(304));
  CHECK_FALSE(second.place->ended()->result->allows("/private"));
  CHECK(work->next() == work_step::publish);
}

TEST_CASE("If the store fails, the process fetches by itself and publishes nothing") {
  workplace files{true};
  const auto work = files.begin();
  files.reply(*work, {});
  files.answer(*work, ok());
  CHECK(work->next() == work_step::done);
}

TEST_CASE("A refresh takes the lease, and erases a record that it could not publish") {
  workplace files{true};
  const auto work = files.begin({}, true);
  CHECK(files.question(*work).wish == lease_wish::take);
  files.reply(*work, files.lease());
  files.answer(*work, ok());
  CHECK(store_work_of(*work).announces());
  for (const char* const key : {"https://example.com", "example.com"}) {
    files.shared.publish(key, "older", 1h);
  }
  files.published(*work, publish_answer::failed);
  files.side().store().deliver();
  CHECK_FALSE(files.shared.load("https://example.com"));
  CHECK_FALSE(files.shared.load("example.com"));
}

TEST_CASE("Until a refresh is published, the older records of the store do not answer") {
  workplace files{true};
  const auto work = files.begin({}, true);
  const robots::store_question question = files.question(*work);
  for (const std::string& key : {question.key, question.other_key}) {
    files.shared.publish(key, "older", 1h);
  }
  files.reply(*work, files.lease());
  files.answer(*work, ok());
  REQUIRE(work->next() == work_step::publish);
  const auto replies = [&] { return files.side().store().ask({&question, 1}); };
  CHECK(replies().front().value == robots::cache_detail::outdated_value);
  CHECK(replies().front().other_value == robots::cache_detail::outdated_value);
  files.published(*work, publish_answer::stored);
  CHECK(replies().front().value == "older");  // the test did not publish the new value
  CHECK_FALSE(replies().front().other_value);
}

TEST_CASE("A stale record of the store that answers replaces an older entry") {
  workplace other{true};
  other.clock.advance(1h);
  const auto fetched = other.begin();
  other.reply(*fetched, other.lease());
  other.answer(*fetched, ok("User-agent: *\nDisallow: /new\n"));
  workplace files{true};
  const auto first = files.begin();
  files.reply(*first, files.lease());
  files.answer(*first, ok());
  files.published(*first, publish_answer::stored);
  files.clock.advance(26h);
  const auto work = files.begin(files.known());
  while (work->next() != work_step::done) {
    if (work->next() == work_step::wait) {
      files.clock.advance(store_work_of(*work).next_look() - files.clock.now());
      work->on_wait_over();
    }
    REQUIRE(work->next() == work_step::ask_store);
    files.reply(*work, {.value = store_work_of(*fetched).value(), .is_answered = true});
  }
  CHECK_FALSE(files.place->ended()->result->allows("/new"));
  REQUIRE(files.known().policy);
  CHECK_FALSE(files.known().policy->allows("/new"));
}

TEST_CASE("A record that is erased while a process waits for another is not its last good copy") {
  workplace other{true};
  const auto fetched = other.begin();
  other.reply(*fetched, other.lease());
  other.answer(*fetched, ok());
  workplace files{true, robots::test::foo_bot_that_asks_once()};
  files.clock.advance(25h);
  const auto work = files.begin();
  files.reply(*work, {.value = store_work_of(*fetched).value(), .is_answered = true});
  files.reply(*work, {.value = store_work_of(*fetched).value(), .is_answered = true});
  REQUIRE(work->next() == work_step::wait);
  files.clock.advance(store_work_of(*work).next_look() - files.clock.now());
  work->on_wait_over();
  bool is_erased = true;
  SUBCASE("erased") { files.reply(*work, files.lease()); }
  SUBCASE("not erased") {
    is_erased = false;
    store_reply reply = files.lease();
    reply.value = store_work_of(*fetched).value();
    files.reply(*work, std::move(reply));
  }
  files.answer(*work, ScriptedFetcher::status(503));
  const auto ended = files.place->ended();
  REQUIRE(ended);
  CHECK(ended->result->allows("/") != is_erased);
  CHECK_FALSE(ended->result->allows("/private"));
}

TEST_CASE("A look-up that joins a flight which missed the store asks the store itself") {
  workplace files{true, robots::test::foo_bot_that_asks_once()};
  const auto first = files.begin();
  files.reply(*first, files.lease());
  files.answer(*first, ok());
  files.published(*first, publish_answer::stored);
  files.clock.advance(25h);
  files.side().on_message("");  // changes may have been missed
  const auto work = files.begin(files.known());
  files.reply(*work, {});
  robots::cache_detail::site_look_up joined{*files.cache, files.example_keys, {}};
  joined.proceed();
  REQUIRE(joined.next() == robots::cache_detail::look_up_step::wait);
  files.answer(*work, ScriptedFetcher::status(503));
  joined.proceed();
  REQUIRE(joined.work());
  CHECK(joined.work()->next() == work_step::ask_store);
}

TEST_CASE("A file that was fetched under a lost lease is forgotten") {
  workplace files{true};
  for (const bool expired : {false, true}) {
    const auto work = files.begin();
    files.reply(*work, files.lease());
    files.answer(*work, ok());
    CHECK(files.known().policy);
    if (expired) {
      files.clock.advance(files.sharing.lease);
    }
    files.published(*work, publish_answer::lost);
    CHECK(files.side().store().owed() == 0);
    CHECK((files.known().policy != nullptr) == expired);
  }
}

TEST_CASE("A file that was fetched before an invalidation is not published after it") {
  workplace files{true};
  const std::string key = "https://example.com";
  const auto work = files.begin();
  files.reply(*work, {.lease = files.shared.take_lease("example.com", 30s), .is_answered = true});
  files.answer(*work, ok());
  REQUIRE(work->next() == work_step::publish);
  files.side().store().owe(key);  // as `invalidate` does
  files.side().publish(*work);
  CHECK(work->next() == work_step::done);
  CHECK(files.side().store().owed() == 0);
  CHECK_FALSE(files.shared.load(key));
}

TEST_CASE("A refresh that loses its lease before it is published erases the older record") {
  for (const bool expired : {false, true}) {
    workplace files{true};
    files.shared.publish("https://example.com", "older", 1h);
    const auto work = files.begin({}, true);
    files.reply(*work, files.lease());
    files.answer(*work, ok());
    if (expired) {
      files.clock.advance(files.sharing.lease);
    }
    files.published(*work, publish_answer::lost);
    CHECK((files.known().policy != nullptr) == expired);
    files.side().store().deliver();
    CHECK_FALSE(files.shared.load("https://example.com"));
  }
}

TEST_CASE("A fresh answer remains valid if the store has no newer one") {
  workplace files{true};
  const auto fetched = files.begin();
  files.reply(*fetched, {});
  files.answer(*fetched, ok());
  kept_entry known = files.known();
  REQUIRE(known.policy);
  const auto work = files.begin(known);
  CHECK(files.question(*work).wish == lease_wish::none);
  files.reply(*work, {.is_answered = true});
  CHECK(work->next() == work_step::done);
  CHECK(files.place->ended()->result == known.policy);
  SUBCASE("but not if a message said that the site was erased") {
    known.is_changed_elsewhere = true;
    const auto events = files.begin(known);
    files.reply(*events, {.is_answered = true});
    CHECK(events->next() == work_step::ask_store);
    CHECK(files.question(*events).wish == lease_wish::if_free);
  }
}

TEST_CASE("Work that is destroyed abandons its flight") {
  workplace files{false};
  auto work = files.begin();
  work.reset();
  CHECK(files.place->ended());
  CHECK(files.place->ended()->result == nullptr);
  CHECK(files.cache->flights.join("example.com").lead);
}

TEST_CASE("A waiting caller can take over work that is offered") {
  workplace files{false};
  auto work = files.begin();
  auto second = files.cache->flights.join("example.com");
  int called = 0;
  second.place.on_news([&called] { ++called; });
  CHECK(work->own_flight().offer(work));
  CHECK(called == 1);
  CHECK(second.place->wait(*files.parts, {}));
  CHECK(second.place->take_work() == work);
  CHECK(files.place->take_work() == nullptr);
  CHECK_FALSE(files.place->wait(*files.parts, {.deadline = files.clock.now()}));
  files.answer(*work, ok());
  CHECK(files.place->ended()->result == second.place->ended()->result);
}

TEST_CASE("Work without waiters stays with its owner") {
  workplace files{false};
  const auto work = files.begin();
  files.place = {};
  CHECK_FALSE(work->own_flight().offer(work));
  CHECK(work->own_flight().stop.stop_requested());
}

TEST_CASE("Work that every caller has left is dropped") {
  workplace files{false};
  auto work = files.begin();
  REQUIRE(work->own_flight().offer(work));
  work.reset();
  files.place = {};
  CHECK(files.cache->flights.join("example.com").lead);
}

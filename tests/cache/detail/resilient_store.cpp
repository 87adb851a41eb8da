#include <robots/cache/detail/resilient_store.hpp>

#include "../cache_fixture.hpp"
#include <robots/cache/detail/cache_parts.hpp>
#include <robots/testing/memory_store.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

using namespace std::chrono_literals;
using robots::lease_wish;
using robots::ManualClock;
using robots::ScriptedFetcher;
using robots::store_question;
using robots::cache_detail::publish_answer;
using robots::cache_detail::resilient_store;

namespace {

using memory_store = robots::MemoryStore<ManualClock>;

constexpr const char* key = "https://example.com";
constexpr const char* host_key = "example.com";

/// Runs `on_change` when the store fails or recovers, and notes lost invalidations.
struct ChangeObserver {
  std::shared_ptr<std::function<void()>> on_change = std::make_shared<std::function<void()>>();

  void on(const robots::far_store_event& /*event*/) {
    if (*on_change) {
      (*on_change)();
    }
  }
  std::shared_ptr<std::vector<std::string>> lost = std::make_shared<std::vector<std::string>>();

  void on(const robots::lost_invalidation_event& event) { lost->emplace_back(event.site); }
};

struct fixture {
  ManualClock clock;
  memory_store shared{clock};
  robots::tiered_options options;
  ChangeObserver observer;
  robots::cache_detail::own_parts<ScriptedFetcher, ManualClock, robots::LruStorage<16>,
                                  ChangeObserver>
      parts{{}, clock, {}, observer};
  std::optional<resilient_store> store{std::in_place, shared, options, parts};

  ~fixture() {
    *observer.on_change = {};
    store.reset();
  }

  /// Makes the shared store fail so often that the cache does not use it any more.
  void fail_until_down() {
    shared.fail("out of reach");
    for (int i = 0; i < 16; ++i) {
      store->owe("https://site" + std::to_string(i) + ".test");
      store->release_and_catch_up(parts.now());
    }
  }

  robots::store_lease lease() {
    const store_question question{
        .key = key, .other_key = {}, .lease_key = host_key, .wish = lease_wish::take};
    return store->ask({&question, 1}).front().lease.value();
  }
};

}  // namespace

TEST_CASE("A late erasure does not delete a value that is published meanwhile") {
  fixture test;
  const robots::store_lease lease = test.lease();
  test.shared.fail("out of reach");
  test.store->owe(key);
  test.store->release_and_catch_up(test.parts.now());
  REQUIRE(test.store->owed() == 1);

  std::promise<void> erasing;
  std::promise<void> publishing;
  const std::thread::id eraser = std::this_thread::get_id();
  test.shared.on_call([&](std::string_view /*key*/) {
    if (std::this_thread::get_id() != eraser) {
      publishing.set_value();
      return;
    }
    erasing.set_value();
    // A publication that did not wait for the erasure would be complete before it.
    static_cast<void>(publishing.get_future().wait_for(100ms));
  });
  auto published = std::async(std::launch::async, [&] {
    erasing.get_future().wait();
    return test.store->publish(key, "value", 1h, lease, test.store->orders());
  });
  test.store->release_and_catch_up(test.parts.now());
  CHECK(published.get() == publish_answer::stored);
  test.shared.recover();
  CHECK(test.shared.load(key) == "value");
  CHECK(test.store->owed() == 0);
}

TEST_CASE(
    "A value that was requested before an erasure is not published, and the erasure goes out") {
  fixture test;
  test.shared.publish(key, "older", 1h);
  const robots::store_lease lease = test.lease();
  const std::uint64_t orders = test.store->orders();
  SUBCASE("if the store was asked for the first time") {}
  SUBCASE("if an earlier erasure was pending when the value was requested") {
    test.shared.fail("out of reach");
    test.store->owe(key);
    test.store->release_and_catch_up(test.parts.now());
    test.shared.recover();
  }
  test.store->owe(key);
  CHECK(test.store->publish(key, "value", 1h, lease, orders) == publish_answer::outdated);
  CHECK(test.shared.load(key) == "older");
  test.store->deliver();
  CHECK_FALSE(test.shared.load(key));
}

TEST_CASE("An observer can call the store while it handles the event of a failure or a recovery") {
  fixture test;
  int changes = 0;
  *test.observer.on_change = [&] {
    ++changes;
    test.store->deliver();
  };
  test.fail_until_down();
  CHECK(changes == 1);
  test.shared.recover();
  test.clock.advance(1h);
  test.store->release_and_catch_up(test.parts.now());
  CHECK(changes == 2);
  CHECK(test.store->owed() == 0);
}

TEST_CASE("A store that is destroyed while it is down is not reported as up") {
  fixture test;
  int changes = 0;
  *test.observer.on_change = [&] { ++changes; };
  test.fail_until_down();
  REQUIRE(changes == 1);
  test.store.reset();
  CHECK(changes == 1);
}

TEST_CASE("An observer can call the store while it handles the failure of a publication") {
  fixture test;
  const robots::store_lease lease = test.lease();
  int changes = 0;
  *test.observer.on_change = [&] {
    ++changes;
    test.store->deliver();
  };
  test.shared.fail("out of reach");
  test.store->owe(key);
  for (int i = 0; i < 16; ++i) {
    CHECK(test.store->publish(key, "value", 1h, lease, test.store->orders()) ==
          publish_answer::failed);
  }
  CHECK(changes == 1);
}

TEST_CASE("A reply does not contain a value that must still be erased") {
  fixture test;
  test.shared.publish(key, "value", 1h);
  test.store->owe(key);
  test.shared.on_call([&](std::string_view one) {
    if (one == key) {
      throw robots::store_part_error{"the part of the site is down"};
    }
  });
  const store_question question{.key = host_key, .other_key = key, .lease_key = host_key};
  test.store->release_and_catch_up(test.parts.now());
  test.shared.on_call({});
  const auto replies = test.store->ask({&question, 1});
  CHECK(replies.front().other_value == robots::cache_detail::outdated_value);
  CHECK_FALSE(replies.front().value);
  test.clock.advance(1s);
  CHECK_FALSE(test.store->ask({&question, 1}).front().other_value);
}

TEST_CASE("A failure of only one part of the store means that the other parts answer") {
  fixture test;
  int changes = 0;
  *test.observer.on_change = [&] { ++changes; };
  const auto fails = [](std::string_view /*key*/) { throw std::bad_alloc{}; };
  const auto part_fails = [](std::string_view /*key*/) {
    throw robots::store_part_error{"the part of the site is down"};
  };
  for (int i = 0; i < 20; ++i) {
    test.shared.on_call(fails);
    test.store->announce(key);
    test.shared.on_call(part_fails);
    test.store->announce(key);
  }
  CHECK(changes == 0);
  for (int i = 0; i < 20; ++i) {
    test.shared.on_call(fails);
    test.store->announce(key);
  }
  CHECK(changes == 1);
}

TEST_CASE("A refusal is reported once, and ends when the store has stored something in peace") {
  fixture test;
  int changes = 0;
  *test.observer.on_change = [&] { ++changes; };
  const auto refuses = [](std::string_view /*key*/) {
    throw robots::store_refusal{"the store is full"};
  };
  for (int i = 0; i < 20; ++i) {
    test.shared.on_call(refuses);
    test.store->announce(key);
    test.shared.on_call({});
    static_cast<void>(test.lease());  // a store that is nearly full stores some values
  }
  CHECK(changes == 1);
  CHECK(test.parts.counters.read()[robots::cache_detail::cache_event::far_failures] == 20);
  test.clock.advance(1min);
  test.store->announce(key);  // stores nothing
  CHECK(changes == 1);
  static_cast<void>(test.lease());
  test.store->announce(key);
  CHECK(changes == 2);
}

TEST_CASE("A refusal is reported even if other questions of the same call are answered") {
  struct FullStore : memory_store {
    using memory_store::memory_store;
    [[nodiscard]] robots::store_lease take_lease(std::string_view /*key*/,
                                                 std::chrono::milliseconds /*time*/) override {
      throw robots::store_refusal{"the store is full"};
    }
    [[nodiscard]] std::vector<robots::store_reply> load_or_lease(
        std::span<const store_question> questions, std::chrono::milliseconds duration) override {
      return SharedStore::load_or_lease(questions, duration);
    }
  };
  fixture test;
  FullStore shared{test.clock};
  shared.publish(key, "value", 1h);
  resilient_store store{shared, test.options, test.parts};
  int changes = 0;
  *test.observer.on_change = [&] { ++changes; };
  const std::vector<store_question> questions{
      {.key = "https://other.test",
       .other_key = "http://other.test",
       .lease_key = "other.test",
       .wish = lease_wish::take},
      {.key = key, .other_key = "http://example.com", .lease_key = host_key}};
  const auto replies = store.ask(questions);
  CHECK_FALSE(replies[0].is_answered);
  CHECK(replies[1].value == "value");
  CHECK(changes == 1);
}

TEST_CASE("A watch that a store refuses is counted and reported once") {
  struct MuteStore : memory_store {
    using memory_store::memory_store;
    [[nodiscard]] robots::watch_state watching() const override { return state; }
    robots::watch_state state{};
  };
  fixture test;
  MuteStore shared{test.clock};
  resilient_store store{shared, test.options, test.parts};
  int changes = 0;
  *test.observer.on_change = [&] { ++changes; };
  shared.state = {.refusals = 2, .failure = "the store reports no changes"};
  store.announce(key);
  store.announce(key);
  CHECK(changes == 1);
  CHECK(test.parts.counters.read()[robots::cache_detail::cache_event::far_failures] == 2);
  shared.state.failure.clear();
  store.announce(key);
  CHECK(changes == 2);
}

TEST_CASE("A failed release of one lease does not prevent the release of the others") {
  fixture test;
  std::vector<robots::store_lease> leases;
  for (const char* const host : {"a.test", "b.test", "c.test"}) {
    leases.push_back(test.shared.take_lease(host, 1min));
    test.store->release_later(leases.back());
  }
  test.shared.on_call([&](std::string_view one) {
    if (one == "b.test") {
      throw std::bad_alloc{};
    }
  });
  test.store->release_and_catch_up(test.parts.now());
  test.shared.on_call({});
  CHECK(test.shared.try_lease("a.test", 1min));
  CHECK_FALSE(test.shared.try_lease("b.test", 1min));
  CHECK(test.shared.try_lease("c.test", 1min));
}

TEST_CASE(
    "An erasure that succeeds replaces the earlier erasures of its key that the store missed") {
  fixture test;
  test.shared.fail("out of reach");
  test.store->owe(key);
  test.store->release_and_catch_up(test.parts.now());
  CHECK(test.store->owed() == 1);
  test.shared.recover();
  test.store->owe(key);
  test.store->release_and_catch_up(test.parts.now());
  CHECK(test.store->owed() == 0);
  test.shared.publish(key, "of another process", 1h);
  test.store->deliver();
  CHECK(test.shared.load(key) == "of another process");
}

TEST_CASE(
    "Missed erasures of hosts are repeated before those of origins, since hosts have the leases") {
  fixture test;
  for (int i = 0; i < 8; ++i) {
    const std::string host = "site" + std::to_string(i) + ".test";
    test.store->owe("https://" + host);
    test.store->owe(host);
  }
  std::vector<std::string> erased;
  test.shared.on_call([&](std::string_view one) { erased.emplace_back(one); });
  test.store->deliver();
  test.shared.recover();
  REQUIRE(erased.size() == 16);
  CHECK(std::is_partitioned(erased.begin(), erased.end(),
                            [](const std::string& one) { return !one.starts_with("https://"); }));
}

TEST_CASE(
    "An observer gets an event for each missed erasure that exceeds the limit on remembered keys") {
  fixture test;
  for (int i = 0; i < 65'536; ++i) {
    test.store->owe("site" + std::to_string(i) + ".test");
  }
  CHECK(test.observer.lost->empty());
  test.shared.fail("out of reach");
  test.store->owe("erased.later.test");
  CHECK(*test.observer.lost == std::vector<std::string>{"erased.later.test"});
  test.store->owe("site0.test");  // is remembered already
  CHECK(test.observer.lost->size() == 1);
}

TEST_CASE("A delivery calls a failing store only once, so that the breaker does not open") {
  fixture test;
  test.shared.fail("out of reach");
  for (const char* const name : {"https://a.test", "https://b.test", "https://c.test"}) {
    test.store->owe(name);
  }
  test.store->deliver();
  CHECK(test.parts.counters.read()[robots::cache_detail::cache_event::far_failures] == 1);
}

TEST_CASE("A call to the store does not wait while the watch ends") {
  struct AskingStore : memory_store {
    using memory_store::memory_store;
    void watch(std::function<void(std::string_view)> on_change) override {
      if (!on_change && while_ending) {
        while_ending();
      }
      memory_store::watch(std::move(on_change));
    }
    std::function<void()> while_ending{};
  };

  fixture test;
  AskingStore shared{test.clock};
  resilient_store store{shared, test.options, test.parts};
  store.watch([](std::string_view) {}, [] {});
  bool is_answered = false;
  shared.while_ending = [&] {
    const store_question question{.key = key, .other_key = {}, .lease_key = host_key};
    auto asking = std::async(std::launch::async, [&] { return store.ask({&question, 1}); });
    is_answered = asking.get().front().is_answered;
  };
  store.unwatch();
  CHECK(is_answered);
  shared.while_ending = {};
}

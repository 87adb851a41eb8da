#include <robots/cache/detail/resilient_store.hpp>

#include "../cache_fixture.hpp"
#include <robots/cache/detail/own_parts.hpp>
#include <robots/testing/memory_store.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <optional>
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
constexpr const char* lease_key = "example.com";

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
  std::optional<resilient_store> store{std::in_place,
                                       robots::cache_detail::shared_part{&shared, &options}, parts};

  ~fixture() {
    *observer.on_change = {};
    store.reset();
  }

  robots::store_lease lease() {
    const store_question question{
        .key = key, .other_key = {}, .lease_key = lease_key, .wish = lease_wish::take};
    return store->ask({&question, 1}).front().lease.value();
  }
};

}  // namespace

TEST_CASE("A late erasure does not delete a value that is published meanwhile") {
  fixture test;
  const robots::store_lease lease = test.lease();
  test.shared.fail("out of reach");
  test.store->erase(key);
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
    // A publication that does not wait for the erasure comes first here.
    static_cast<void>(publishing.get_future().wait_for(100ms));
  });
  auto published = std::async(std::launch::async, [&] {
    erasing.get_future().wait();
    return test.store->publish(key, "value", 1h, lease);
  });
  test.store->give_back();
  CHECK(published.get() == publish_answer::stored);
  test.shared.recover();
  CHECK(test.shared.load(key) == "value");
  CHECK(test.store->owed() == 0);
}

TEST_CASE("An observer may use the store when it gets the event that it fails or recovers") {
  fixture test;
  int changes = 0;
  *test.observer.on_change = [&] {
    ++changes;
    test.store->deliver();
  };
  test.shared.fail("out of reach");
  for (int i = 0; i < 16; ++i) {
    test.store->erase_later("https://site" + std::to_string(i) + ".test");
    test.store->give_back();
  }
  CHECK(changes == 1);
  test.shared.recover();
  test.clock.advance(1h);
  test.store->give_back();
  CHECK(changes == 2);
  CHECK(test.store->owed() == 0);
}

TEST_CASE("An erasure that succeeds makes good those of its key that the store has missed") {
  fixture test;
  test.shared.fail("out of reach");
  test.store->erase(key);
  CHECK(test.store->owed() == 1);
  test.shared.recover();
  test.store->erase(key);
  CHECK(test.store->owed() == 0);
  test.shared.publish(key, "of another process", 1h);
  test.store->deliver();
  CHECK(test.shared.load(key) == "of another process");
}

TEST_CASE("Missed erasures begin with the leases of the sites") {
  fixture test;
  for (int i = 0; i < 8; ++i) {
    const std::string host = "site" + std::to_string(i) + ".test";
    test.store->erase_later("https://" + host);
    test.store->erase_later(host);
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
    "An observer gets an event for each key that finds no room among those that the store missed") {
  fixture test;
  for (int i = 0; i < 65'536; ++i) {
    test.store->erase_later("site" + std::to_string(i) + ".test");
  }
  CHECK(test.observer.lost->empty());
  test.shared.fail("out of reach");
  test.store->erase("erased.test");
  test.store->erase_later("erased.later.test");
  test.store->publish_later("published.later.test", "value");
  CHECK(*test.observer.lost ==
        std::vector<std::string>{"erased.test", "erased.later.test", "published.later.test"});
  test.store->erase("site0.test");  // has its room already
  CHECK(test.observer.lost->size() == 3);
}

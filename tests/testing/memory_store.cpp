#include <robots/testing/memory_store.hpp>

#include "store/store_conformance.hpp"
#include <robots/testing/manual_clock.hpp>
#include <robots/time/steady_clock.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <concepts>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

using namespace std::chrono_literals;
using robots::ManualClock;
using robots::MemoryStore;

static_assert(std::derived_from<MemoryStore<ManualClock>, robots::SharedStore>);

TEST_CASE("MemoryStore is a shared store with any clock") {
  const auto copies = [](const auto& first) { return [&first] { return first; }; };
  SUBCASE("such as a manual clock") {
    const ManualClock clock;
    const MemoryStore<ManualClock> first{clock};
    robots::test::store_conformance(
        copies(first), [&clock](std::chrono::milliseconds time) { clock.advance(time); });
  }
  SUBCASE("such as the machine's clock") {
    const MemoryStore<robots::SteadyClock> first{robots::SteadyClock{}};
    robots::test::store_conformance(copies(first));
  }
}

TEST_CASE("A value of a MemoryStore expires at the exact time of the store's clock") {
  const ManualClock clock;
  MemoryStore store{clock};
  store.publish("https://example.com", "value", 1h);
  clock.advance(1h - 1ns);
  CHECK(store.load("https://example.com") == "value");
  clock.advance(1ns);
  CHECK(store.load("https://example.com") == std::nullopt);
}

TEST_CASE("A MemoryStore fails and recovers together with all its copies") {
  MemoryStore store{ManualClock{}};
  MemoryStore other = store;
  store.publish("https://example.com", "value", 1h);
  store.fail("no route to host");
  CHECK_THROWS_WITH_AS((void)other.load("https://example.com"), "no route to host",
                       robots::store_error);
  CHECK_THROWS_AS(store.erase("https://example.com"), robots::store_error);
  other.recover();
  CHECK(store.load("https://example.com") == "value");
  store.clear();
  CHECK(store.load("https://example.com") == std::nullopt);
}

TEST_CASE("A MemoryStore reports a change before the call that makes the change returns") {
  MemoryStore store{ManualClock{}};
  MemoryStore other = store;
  std::string last = "nothing";
  store.watch([&last](std::string_view key) { last = key; });
  other.announce("https://example.com");
  CHECK(last == "https://example.com");
  other.lose_changes();
  CHECK(last.empty());
}

TEST_CASE("The hook of a MemoryStore gets the key of each call and can make the call fail") {
  MemoryStore store{ManualClock{}};
  int calls = 0;
  store.on_call([&calls](std::string_view key) {
    ++calls;
    if (key == "bad") {
      throw robots::store_error{"refused"};
    }
  });
  store.publish("good", "value", 1h);
  CHECK(store.load("good") == "value");
  CHECK_THROWS_AS(store.publish("bad", "value", 1h), robots::store_error);
  CHECK(calls == 3);
}

namespace {

/// Loads and takes leases in separate calls, like a store that does not override `load_or_lease`.
struct PlainStore : MemoryStore<ManualClock> {
  using MemoryStore::MemoryStore;

  [[nodiscard]] std::vector<robots::store_reply> load_or_lease(
      std::span<const robots::store_question> questions,
      std::chrono::milliseconds duration) override {
    return SharedStore::load_or_lease(questions, duration);
  }
};

}  // namespace

TEST_CASE("A lease is released if the load after it fails") {
  PlainStore store{ManualClock{}};
  const robots::store_question question{.key = "https://a.test",
                                        .other_key = "http://a.test",
                                        .lease_key = "a.test",
                                        .wish = robots::lease_wish::if_missing};
  int loads = 0;
  store.on_call([&](std::string_view key) {
    if (key == question.key && ++loads == 2) {
      throw robots::store_error{"no route to host"};
    }
  });
  CHECK_THROWS_AS((void)store.load_or_lease({&question, 1}, 1h), robots::store_error);
  CHECK(loads == 2);
  CHECK(store.load_or_lease({&question, 1}, 1h).front().lease);
}

TEST_CASE("Leases are released if a later question of the same call fails") {
  PlainStore store{ManualClock{}};
  const std::vector<robots::store_question> questions{{.key = "https://a.test",
                                                       .other_key = {},
                                                       .lease_key = "a.test",
                                                       .wish = robots::lease_wish::if_missing},
                                                      {.key = "https://b.test",
                                                       .other_key = {},
                                                       .lease_key = "b.test",
                                                       .wish = robots::lease_wish::if_missing}};
  store.on_call([](std::string_view key) {
    if (key == "https://b.test") {
      throw robots::store_error{"no route to host"};
    }
  });
  CHECK_THROWS_AS((void)store.load_or_lease(questions, 1h), robots::store_error);
  CHECK(store.try_lease("a.test", 1h));
}

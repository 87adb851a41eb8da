// The promises of `SharedStore`, as tests that run against any model.
#pragma once

#include <robots/store/shared_store.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace robots::test {

/// Lets time pass for stores that use the machine's own clock.
struct real_time {
  void operator()(std::chrono::milliseconds time) const { std::this_thread::sleep_for(time); }
};

/// Lets time pass until `ready()` is true, for at most 20 seconds of the machine's clock. Returns
/// the last result of `ready()`.
template <class Pass, class Ready>
[[nodiscard]] bool comes_true(const Pass& pass, const Ready& ready) {
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds{20};
  while (!ready()) {
    if (std::chrono::steady_clock::now() > give_up) {
      return false;
    }
    pass(std::chrono::milliseconds{5});
  }
  return true;
}

/// The keys that a store reported. Its threads write them, and a test reads them.
class told_keys {
 public:
  /// Returns the function for `watch`.
  [[nodiscard]] auto listener() {
    return [this](std::string_view key) {
      const std::scoped_lock lock{mutex_};
      keys_.emplace_back(key);
    };
  }
  [[nodiscard]] bool has(std::string_view key) const {
    const std::scoped_lock lock{mutex_};
    return std::ranges::find(keys_, key) != keys_.end();
  }
  [[nodiscard]] std::size_t size() const {
    const std::scoped_lock lock{mutex_};
    return keys_.size();
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> keys_;
};

/// Returns true if the store reports the change of `key` that `change` makes. If the store reports
/// only that changes may have been missed, repeats the change.
template <class Pass, class Change>
[[nodiscard]] bool is_told(const Pass& pass, const told_keys& heard, std::string_view key,
                           const Change& change) {
  for (int attempt = 0; attempt < 5; ++attempt) {
    const std::size_t before = heard.size();
    change();
    if (!comes_true(pass, [&] { return heard.has(key) || heard.size() > before; })) {
      return false;
    }
    if (comes_true(pass, [&] { return heard.has(key) || heard.has(""); }) && heard.has(key)) {
      return true;
    }
  }
  return false;
}

/// Runs `work(thread)` in `threads` threads at once.
template <class Work>
void in_threads(std::size_t count, const Work& work) {
  std::vector<std::jthread> threads;
  threads.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    threads.emplace_back([&work, i] { work(i); });
  }
}

/// Checks that a model of `SharedStore` keeps the promises of that class. Call it in a test case of
/// doctest, which runs the call once for each subcase:
///
///     TEST_CASE("MyStore is a shared store") {
///       const robots::test::temporary_folder folder;  // so that each run has an empty storage
///       robots::test::store_conformance([&] { return MyStore{folder.path() / "sites"}; });
///     }
///
/// Each call of `make_store` returns another store, like that of another process, over the same
/// storage. The storage is empty at first. `pass(time)` lets time pass. If the store uses a
/// `ManualClock`, `pass` must advance it.
template <class MakeStore, class Pass = real_time>
void store_conformance(const MakeStore& make_store, const Pass& pass = {}) {
  using namespace std::chrono_literals;
  using std::chrono::milliseconds;
  using texts = std::vector<std::optional<std::string>>;
  static_assert(std::derived_from<decltype(make_store()), SharedStore>);

  auto here = make_store();
  auto there = make_store();
  const std::string key = "https://example.com";

  SUBCASE("All processes load a value that one process publishes, and no other value") {
    CHECK(here.load(key) == std::nullopt);
    CHECK(there.load(key) == std::nullopt);
    here.publish(key, "first", 1h);
    CHECK(here.load(key) == "first");
    CHECK(there.load(key) == "first");
    CHECK(here.load("https://example.co") == std::nullopt);
    CHECK(here.load("https://example.com:8443") == std::nullopt);
  }

  SUBCASE("A later value of any process replaces an earlier one") {
    here.publish(key, "first, and long", 1h);
    there.publish(key, "second", 1h);
    CHECK(here.load(key) == "second");
    here.publish(key, "third", 1h);
    CHECK(there.load(key) == "third");
  }

  SUBCASE("A value outlasts the process that published it") {
    {
      auto gone = make_store();
      gone.publish(key, "first", 1h);
    }
    CHECK(here.load(key) == "first");
    CHECK(make_store().load(key) == "first");
  }

  SUBCASE("A value can be empty, have any octets, and be a mebibyte long") {
    std::string octets;
    for (int i = 0; i < 512; ++i) {
      octets += static_cast<char>(i % 256);
    }
    std::string large;
    while (large.size() < std::size_t{1} << 20U) {
      large += octets;
      large += std::to_string(large.size());
    }
    for (const std::string& value : {std::string{}, std::string(1, '\0'), octets, large}) {
      here.publish(key, value, 1h);
      CHECK((there.load(key) == value));
      CHECK((there.load_all(std::array{key}) == texts{value}));
    }
  }

  SUBCASE("A key can have any octets and any length, and every octet distinguishes it") {
    std::vector<std::string> keys{"a", "A", " ", "a b\r\nc", "a:b", "a*", "{a}", "\xFF\xFE", "%00"};
    for (const std::size_t length : {1U, 2U, 200U, 511U, 512U, 600U, 10'000U}) {
      keys.push_back(std::string(length, '\0'));
      keys.push_back(std::string(length, 'x'));
      keys.push_back(std::string(length, 'x') + 'y');
      keys.push_back(std::string(length, 'x') + '\0');
    }
    std::ranges::sort(keys);
    keys.erase(std::ranges::unique(keys).begin(), keys.end());
    texts expected;
    for (std::size_t i = 0; i < keys.size(); ++i) {
      expected.emplace_back("value " + std::to_string(i));
      here.publish(keys[i], *expected.back(), 1h);
    }
    CHECK((there.load_all(keys) == expected));
    for (std::size_t i = 0; i < keys.size(); i += 2) {
      there.erase(keys[i]);
      expected[i].reset();
    }
    CHECK((here.load_all(keys) == expected));
    for (const std::string& listed : keys) {
      const auto lease = here.try_lease(listed, 1h);
      REQUIRE(lease);
      CHECK((lease->key == listed));
      CHECK(!there.try_lease(listed, 1h));
    }
  }

  SUBCASE("A value is loaded until its lifetime has passed, and not after") {
    const auto start = std::chrono::steady_clock::now();
    here.publish(key, "short", 300ms);
    here.publish("https://example.org", "long", 1h);
    const auto loaded = there.load(key);
    const bool in_time = std::chrono::steady_clock::now() - start < 300ms;
    CHECK((loaded == "short" || !in_time));
    CHECK(comes_true(pass, [&] { return !there.load(key); }));
    CHECK(!here.load(key));
    CHECK((there.load_all(std::array{key, std::string{"https://example.org"}}) ==
           texts{std::nullopt, "long"}));
  }

  SUBCASE("Each publication has its own lifetime") {
    here.publish(key, "short", 20ms);
    here.publish(key, "long", 1h);
    here.publish("https://example.org", "long", 1h);
    there.publish("https://example.org", "short", 50ms);
    CHECK(comes_true(pass, [&] { return !here.load("https://example.org"); }));
    CHECK(there.load(key) == "long");
  }

  SUBCASE("The longest lifetime works") {
    for (const milliseconds lifetime :
         {milliseconds::max(), milliseconds::max() - 1ms, milliseconds::max() / 2,
          milliseconds{std::numeric_limits<std::int32_t>::max()} + 1ms,
          milliseconds{24h} * 36'500}) {
      here.publish(key, std::to_string(lifetime.count()), lifetime);
      CHECK(there.load(key).value_or("nothing") == std::to_string(lifetime.count()));
    }
  }

  SUBCASE("Publishing for a lifetime that is not above 0 erases the value") {
    told_keys heard;
    there.watch(heard.listener());
    for (const milliseconds lifetime : {0ms, -1ms, milliseconds::min()}) {
      here.publish(key, "first", 1h);
      here.publish(key, "second", lifetime);
      CHECK(here.load(key) == std::nullopt);
      CHECK(there.load(key) == std::nullopt);
    }
    CHECK(is_told(pass, heard, key, [&] { here.publish(key, "third", 0ms); }));
    there.watch({});
  }

  SUBCASE("An erased value is gone for all, and a missing value can be erased") {
    here.publish(key, "first", 1h);
    here.publish("https://example.org", "other", 1h);
    there.erase(key);
    CHECK(here.load(key) == std::nullopt);
    CHECK(there.load(key) == std::nullopt);
    there.erase(key);
    CHECK(here.load("https://example.org") == "other");
    here.publish(key, "second", 1h);
    CHECK(there.load(key) == "second");
  }

  SUBCASE("Many values are loaded in the order of the keys, with repeated keys") {
    CHECK(here.load_all({}).empty());
    here.publish("b", "2", 1h);
    here.publish("a", "1", 1h);
    const std::array<std::string, 5> few{"b", "c", "a", "b", "c"};
    CHECK((there.load_all(few) == texts{"2", std::nullopt, "1", "2", std::nullopt}));
    std::vector<std::string> keys;
    texts expected;
    for (int i = 0; i < 2'000; ++i) {
      keys.push_back("https://site" + std::to_string(i * 7 % 2'000) + ".example");
      if (i % 3 == 0) {
        here.publish(keys.back(), keys.back(), 1h);
        expected.emplace_back(keys.back());
      } else {
        expected.emplace_back();
      }
    }
    CHECK((there.load_all(keys) == expected));
  }

  SUBCASE("Every other process gets an erasure or announcement, even of a missing value") {
    told_keys told_there;
    told_keys told_elsewhere;
    auto elsewhere = make_store();
    there.watch(told_there.listener());
    elsewhere.watch(told_elsewhere.listener());
    here.publish("erased", "value", 1h);
    here.publish("announced", "value", 1h);
    const std::string odd{"\0\r\n \xFF", 5};
    const std::string long_key(5'000, 'k');
    const auto both_hear = [&](const std::string& changed, const auto& change) {
      return is_told(pass, told_there, changed, change) &&
             is_told(pass, told_elsewhere, changed, change);
    };
    CHECK(both_hear("erased", [&] { here.erase("erased"); }));
    CHECK(both_hear("announced", [&] { here.announce("announced"); }));
    CHECK(both_hear("not there", [&] { here.erase("not there"); }));
    CHECK(both_hear("nor this", [&] { here.announce("nor this"); }));
    CHECK(both_hear(odd, [&] { here.announce(odd); }));
    CHECK(both_hear(long_key, [&] { here.erase(long_key); }));
    CHECK(here.load("announced") == "value");
    CHECK(there.load("announced") == "value");
    CHECK(here.load("nor this") == std::nullopt);
    there.watch({});
    elsewhere.watch({});
  }

  SUBCASE("A watch reports neither changes of its own process nor publications") {
    told_keys heard;
    here.watch(heard.listener());
    here.erase("own erasure");
    here.announce("own announcement");
    there.publish("published", "value", 1h);
    CHECK(is_told(pass, heard, "last", [&] { there.announce("last"); }));
    CHECK(is_told(pass, heard, "very last", [&] { there.erase("very last"); }));
    CHECK(!heard.has("own erasure"));
    CHECK(!heard.has("own announcement"));
    CHECK(!heard.has("published"));
    here.watch({});
  }

  SUBCASE("A new watch replaces the earlier one") {
    told_keys first;
    told_keys second;
    here.watch(first.listener());
    CHECK(is_told(pass, first, "one", [&] { there.announce("one"); }));
    here.watch(second.listener());
    const std::size_t before = first.size();
    CHECK(is_told(pass, second, "two", [&] { there.announce("two"); }));
    CHECK(first.size() == before);
    here.watch({});
  }

  SUBCASE("After the end of the watch or the store, no call is running") {
    for (int round = 0; round < 4; ++round) {
      std::atomic<int> calls = 0;
      std::atomic<bool> inside = false;
      auto watching = std::make_unique<decltype(make_store())>(make_store());
      watching->watch([&](std::string_view /*key*/) {
        inside = true;
        std::this_thread::sleep_for(1ms);  // makes it likely that the watch ends during a call
        ++calls;
        inside = false;
      });
      std::jthread others{[&there](const std::stop_token& stop) {
        while (!stop.stop_requested()) {
          there.announce("changes");
          // SQLite's locks are not fair: without a pause, this thread could keep the other out.
          std::this_thread::sleep_for(1ms);
        }
      }};
      CHECK(comes_true(pass, [&] { return calls > 0; }));
      if (round % 2 == 0) {
        watching->watch({});
      } else {
        watching.reset();
      }
      CHECK(!inside);
      const int after = calls;
      for (int i = 0; i < 20; ++i) {
        there.announce("changes");
        pass(1ms);
      }
      CHECK(calls == after);
    }
  }

  SUBCASE("A held lease is not granted again until it is released") {
    const auto lease = here.try_lease(key, 1h);
    REQUIRE(lease);
    CHECK(lease->key == key);
    CHECK(!there.try_lease(key, 1h));
    CHECK(!here.try_lease(key, 1h));
    CHECK(there.try_lease("https://example.org", 1h));
    here.release(*lease);
    const auto next = there.try_lease(key, 1h);
    REQUIRE(next);
    CHECK(next->token != lease->token);
    CHECK(!here.try_lease(key, 1h));
  }

  SUBCASE("A value is stored with a held lease") {
    const auto lease = here.try_lease("example.com", 1h);
    REQUIRE(lease);
    CHECK(here.publish(key, "value", 1h, *lease));
    CHECK(there.load(key) == "value");
    CHECK(!here.publish(key, "again", 1h, *lease));  // publishing has ended the lease
    CHECK(there.try_lease("example.com", 1h));
  }

  if constexpr (requires(std::span<const robots::store_question> all) {
                  here.load_or_lease(all, 1h);
                }) {
    SUBCASE("A question loads the values of a site, and gets the lease if it asks for one") {
      const auto ask = [&key](auto& store, robots::lease_wish wish) {
        const std::array questions{robots::store_question{"https://other.example", "other.example",
                                                          "other.example", lease_wish::none},
                                   robots::store_question{key, "example.com", "example.com", wish}};
        auto replies = store.load_or_lease(questions, 1h);
        CHECK(replies.size() == 2);
        CHECK(replies.front().is_answered);
        CHECK(!replies.front().value);
        CHECK(!replies.front().lease);
        return replies.back();
      };
      using robots::lease_wish;
      CHECK(!ask(here, lease_wish::none).lease);
      const auto first = ask(here, lease_wish::if_missing);
      CHECK(!first.value);
      REQUIRE(first.lease);
      CHECK(!ask(there, lease_wish::if_missing).lease);
      CHECK(!ask(there, lease_wish::if_free).lease);
      CHECK(here.publish(key, "value", 1h, *first.lease));
      const auto second = ask(there, lease_wish::if_missing);
      CHECK(second.value == "value");
      CHECK(!second.other_value);
      CHECK(!second.lease);
      here.publish("example.com", "other", 1h);
      const auto third = ask(there, lease_wish::if_free);
      CHECK(third.value == "value");
      CHECK(third.other_value == "other");
      REQUIRE(third.lease);
      const auto fourth = ask(here, lease_wish::take);
      REQUIRE(fourth.lease);
      CHECK(!there.publish(key, "lost", 1h, *third.lease));
      CHECK(here.publish(key, "newer", 1h, *fourth.lease));
    }
  }

  SUBCASE("Erasing a key ends its lease, so that the former holder cannot store the value again") {
    const auto lease = here.try_lease("example.com", 1h);
    REQUIRE(lease);
    there.erase("example.com");
    there.erase(key);
    CHECK(!here.publish(key, "old", 1h, *lease));
    CHECK(!there.load(key));
    const auto next = there.try_lease("example.com", 1h);
    REQUIRE(next);
    CHECK(!here.publish(key, "old", 1h, *lease));
    here.release(*lease);
    CHECK(there.publish(key, "newer", 1h, *next));
    CHECK(here.load(key) == "newer");
  }

  SUBCASE("A process that takes a lease away ends it for the former holder") {
    const auto lost = here.try_lease("example.com", 1h);
    REQUIRE(lost);
    const store_lease taken = there.take_lease("example.com", 1h);
    CHECK(taken.key == "example.com");
    CHECK(taken.token != lost->token);
    CHECK(!here.publish(key, "old", 1h, *lost));
    here.release(*lost);
    CHECK(!here.try_lease("example.com", 1h));
    CHECK(there.publish(key, "new", 1h, taken));
    CHECK(here.load(key) == "new");
    there.release(taken);
    CHECK(here.publish(key, "newer", 1h, here.take_lease("example.com", 1h)));
  }

  SUBCASE("A lease ends when it expires") {
    const auto lease = here.try_lease(key, 50ms);
    REQUIRE(lease);
    std::optional<store_lease> next;
    CHECK(comes_true(pass, [&] { return (next = there.try_lease(key, 1h)).has_value(); }));
    CHECK(!here.try_lease(key, 1h));
  }

  SUBCASE("Releasing a lost lease does not affect the next one") {
    const auto lost = here.try_lease(key, 1ms);
    REQUIRE(lost);
    std::optional<store_lease> next;
    REQUIRE(comes_true(pass, [&] { return (next = there.try_lease(key, 1h)).has_value(); }));
    here.release(*lost);
    here.release({.key = key, .token = "forged"});
    here.release({.key = key, .token = ""});
    CHECK(!here.try_lease(key, 1h));
    CHECK(!there.try_lease(key, 1h));
    there.release(*next);
    there.release(*next);
    CHECK(here.try_lease(key, 1h));
  }

  SUBCASE("A lease needs a duration above 0, and the longest one works") {
    for (const milliseconds duration : {0ms, -1ms, milliseconds::min()}) {
      CHECK(!here.try_lease(key, duration));
    }
    CHECK(here.try_lease(key, milliseconds::max()));
    CHECK(!there.try_lease(key, 1h));
  }

  SUBCASE("Publishing without a lease and releasing a lease do not affect each other") {
    const auto lease = here.try_lease(key, 1h);
    REQUIRE(lease);
    CHECK(there.load(key) == std::nullopt);
    there.publish(key, "first", 1h);
    CHECK(!there.try_lease(key, 1h));
    there.publish(key, "second", 1h);
    here.release(*lease);
    CHECK(there.load(key) == "second");
  }

  SUBCASE("A moved store continues with its watch") {
    told_keys heard;
    here.watch(heard.listener());
    const auto lease = here.try_lease(key, 1h);
    REQUIRE(lease);
    auto moved = std::move(here);
    here = make_store();
    moved.publish(key, "first", 1h);
    CHECK(here.load(key) == "first");
    CHECK(is_told(pass, heard, "change", [&] { here.announce("change"); }));
    moved.release(*lease);
    CHECK(here.try_lease(key, 1h));
    there = std::move(moved);
    there.watch({});
  }

  SUBCASE("Only one of 16 threads in two processes gets the lease") {
    std::atomic<int> holders = 0;
    in_threads(16, [&](std::size_t thread) {
      if ((thread % 2 == 0 ? here : there).try_lease(key, 1h)) {
        ++holders;
      }
    });
    CHECK(holders == 1);
  }

  SUBCASE("No two of 16 threads in two processes hold a lease at once") {
    std::atomic<int> inside = 0;
    std::atomic<int> most = 0;
    std::atomic<int> turns = 0;
    in_threads(16, [&](std::size_t thread) {
      auto& store = thread % 2 == 0 ? here : there;
      while (turns < 64) {
        if (const auto lease = store.try_lease(key, 1h)) {
          most = std::max<int>(most, ++inside);
          ++turns;
          --inside;
          store.release(*lease);
        }
      }
    });
    CHECK(most == 1);
  }

  SUBCASE("16 threads in two processes load only whole values of their keys") {
    std::atomic<int> wrong = 0;
    std::atomic<int> loaded = 0;
    const auto is_whole = [](const std::string& name, const std::optional<std::string>& value) {
      return !value ||
             (value->starts_with(name + ':') &&
              value->find_first_not_of(value->back(), name.size() + 1) == std::string::npos);
    };
    in_threads(16, [&](std::size_t thread) {
      auto& store = thread % 2 == 0 ? here : there;
      for (std::size_t i = 0; i < 40; ++i) {
        const std::string one = "site" + std::to_string((i + thread) % 5);
        const std::string other = "site" + std::to_string(i % 7);
        store.publish(one, one + ':' + std::string(1 + 997 * ((i + thread) % 9), 'a'), 1h);
        const texts both = store.load_all(std::array{one, other});
        wrong += is_whole(one, both[0]) && is_whole(other, both[1]) ? 0 : 1;
        loaded += both[0] ? 1 : 0;
        if (i % 8 == 7) {
          store.erase(other);
        }
      }
    });
    CHECK(wrong == 0);
    CHECK(loaded > 0);
  }
}

}  // namespace robots::test

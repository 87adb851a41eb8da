#include <robots/fetch/fallback.hpp>
#include <robots/store/lru_storage.hpp>
#include <robots/store/policy.hpp>
#include <robots/time/clock.hpp>

#include <doctest/doctest.h>

#include <barrier>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

using namespace std::chrono_literals;
using robots::cache_entry;
using robots::LruStorage;
using robots::policy;
using robots::time_point;

namespace {

static_assert(robots::Storage<LruStorage<4096>>);
static_assert(std::is_nothrow_move_constructible_v<LruStorage<1>>);
static_assert(std::is_nothrow_move_assignable_v<LruStorage<1>>);
static_assert(!std::is_copy_constructible_v<LruStorage<1>>);
static_assert(LruStorage<7>::capacity() == 7);

constexpr time_point start{1h};

std::shared_ptr<const policy> some_policy(int status = 200) {
  return std::make_shared<const policy>(robots::fallback_action::allow_all, "FooBot",
                                        robots::provenance{.status = status});
}

/// An entry that can be told by `mark` and is kept for `length`.
cache_entry entry(int mark = 0, std::chrono::seconds length = 1h) {
  return {.policy = some_policy(mark), .fresh_until = start + length, .keep_until = start + length};
}

template <std::size_t N>
bool has(LruStorage<N>& storage, std::string_view key, time_point now = start) {
  return storage.find(key, now).has_value();
}

template <std::size_t N>
int mark_of(LruStorage<N>& storage, std::string_view key, time_point now = start) {
  const auto found = storage.find(key, now);
  return found ? found->policy->source().status : -1;
}

/// What `LruStorage` is, written as plainly as can be: a list, the latest in front.
class ReferenceStorage {
 public:
  explicit ReferenceStorage(std::size_t capacity) : capacity_(capacity) {}

  std::optional<cache_entry> find(const std::string& key, time_point now) {
    const std::size_t at = index_of(key);
    if (at == kept_.size()) {
      return std::nullopt;
    }
    auto [name, value] = take(at);
    if (value.keep_until <= now) {
      return std::nullopt;
    }
    kept_.insert(kept_.begin(), {name, value});
    return value;
  }
  void store(const std::string& key, const cache_entry& value) {
    erase(key);
    kept_.insert(kept_.begin(), {key, value});
    if (kept_.size() > capacity_) {
      kept_.pop_back();
      ++evictions_;
    }
  }
  void erase(const std::string& key) {
    if (const std::size_t at = index_of(key); at != kept_.size()) {
      static_cast<void>(take(at));
    }
  }
  void clear() { kept_.clear(); }
  std::size_t size() const { return kept_.size(); }
  std::uint64_t evictions() const { return evictions_; }

 private:
  using named = std::pair<std::string, cache_entry>;

  std::size_t index_of(const std::string& key) const {
    std::size_t at = 0;
    while (at < kept_.size() && kept_[at].first != key) {
      ++at;
    }
    return at;
  }
  named take(std::size_t at) {
    named taken = kept_[at];
    kept_.erase(kept_.begin() + static_cast<std::ptrdiff_t>(at));
    return taken;
  }

  std::size_t capacity_;
  std::vector<named> kept_;
  std::uint64_t evictions_ = 0;
};

}  // namespace

TEST_CASE("what was stored is found under its key and no other") {
  LruStorage<4> storage;
  const cache_entry stored = entry(7);
  storage.store("https://a", stored, start);
  const auto found = storage.find("https://a", start);
  REQUIRE(found);
  CHECK(found->policy == stored.policy);
  CHECK(found->fresh_until == stored.fresh_until);
  CHECK(found->keep_until == stored.keep_until);
  CHECK_FALSE(has(storage, "https://b"));
  CHECK_FALSE(has(storage, "https://"));
  CHECK_FALSE(has(storage, ""));
  CHECK(storage.size() == 1);
}

TEST_CASE("a key is copied, and may be anything") {
  LruStorage<4> storage;
  {
    std::string key = "https://a-name-too-long-for-a-small-string.example.com";
    storage.store(key, entry(1), start);
    key.assign(key.size(), 'x');
  }
  storage.store("", entry(2), start);
  storage.store(std::string_view{"\0\xFF", 2}, entry(3), start);
  CHECK(mark_of(storage, "https://a-name-too-long-for-a-small-string.example.com") == 1);
  CHECK(mark_of(storage, "") == 2);
  CHECK(mark_of(storage, std::string_view{"\0\xFF", 2}) == 3);
}

TEST_CASE("the entry that was not used for longest goes first") {
  LruStorage<3> storage;
  storage.store("a", entry(), start);
  storage.store("b", entry(), start);
  storage.store("c", entry(), start);

  SUBCASE("when nothing was used, the oldest") {
    storage.store("d", entry(), start);
    CHECK_FALSE(has(storage, "a"));
  }
  SUBCASE("finding counts as use") {
    CHECK(has(storage, "a"));
    storage.store("d", entry(), start);
    CHECK(has(storage, "a"));
    CHECK_FALSE(has(storage, "b"));
  }
  SUBCASE("replacing counts as use") {
    storage.store("a", entry(), start);
    storage.store("d", entry(), start);
    CHECK(has(storage, "a"));
    CHECK_FALSE(has(storage, "b"));
  }
  SUBCASE("finding nothing counts for nothing") {
    CHECK_FALSE(has(storage, "x"));
    storage.store("d", entry(), start);
    CHECK_FALSE(has(storage, "a"));
  }
  SUBCASE("each in turn") {
    CHECK(has(storage, "b"));
    CHECK(has(storage, "a"));
    for (const char* key : {"d", "e", "f"}) {
      storage.store(key, entry(), start);
    }
    CHECK(storage.evictions() == 3);
    CHECK_FALSE(has(storage, "a"));
    CHECK(has(storage, "f"));
  }
  CHECK(storage.size() == 3);
}

TEST_CASE("a storage never holds more than its capacity, and counts what it drops for it") {
  LruStorage<8> storage;
  for (int i = 0; i < 1'000; ++i) {
    storage.store(std::to_string(i), entry(i), start);
    CHECK(storage.size() <= 8);
  }
  CHECK(storage.size() == 8);
  CHECK(storage.evictions() == 992);
  CHECK(mark_of(storage, "999") == 999);
  CHECK(mark_of(storage, "992") == 992);
  CHECK(mark_of(storage, "991") == -1);
}

TEST_CASE("a capacity of one keeps the last one") {
  LruStorage<1> storage;
  storage.store("a", entry(1), start);
  storage.store("a", entry(2), start);
  CHECK(storage.evictions() == 0);
  storage.store("b", entry(3), start);
  CHECK(storage.evictions() == 1);
  CHECK_FALSE(has(storage, "a"));
  CHECK(mark_of(storage, "b") == 3);
}

TEST_CASE("an entry leaves when its time is over") {
  LruStorage<4> storage;
  storage.store("a", entry(1, 10s), start);
  CHECK(has(storage, "a", start + 10s - 1ns));
  CHECK(storage.size() == 1);
  CHECK_FALSE(has(storage, "a", start + 10s));
  CHECK(storage.size() == 0);
  CHECK(storage.evictions() == 0);
  CHECK_FALSE(has(storage, "a", start));
}

TEST_CASE("it is keep_until that counts, not fresh_until") {
  LruStorage<4> storage;
  storage.store("a", {.policy = some_policy(), .fresh_until = start, .keep_until = start + 1h},
                start);
  CHECK(has(storage, "a", start + 1min));
}

TEST_CASE("storing again replaces the entry and its times") {
  LruStorage<4> storage;
  storage.store("a", entry(1, 10s), start);
  storage.store("a", entry(2, 20s), start);
  CHECK(storage.size() == 1);
  CHECK(mark_of(storage, "a", start + 15s) == 2);
  storage.store("a", entry(3, 1s), start);
  CHECK_FALSE(has(storage, "a", start + 15s));
}

TEST_CASE("what is erased or cleared is gone, and is no eviction") {
  LruStorage<4> storage;
  storage.store("a", entry(1), start);
  storage.store("b", entry(2), start);
  storage.erase("a");
  storage.erase("a");
  storage.erase("never there");
  CHECK_FALSE(has(storage, "a"));
  CHECK(has(storage, "b"));
  CHECK(storage.size() == 1);
  storage.clear();
  storage.clear();
  CHECK_FALSE(has(storage, "b"));
  CHECK(storage.size() == 0);
  CHECK(storage.evictions() == 0);
  storage.store("a", entry(3), start);
  CHECK(mark_of(storage, "a") == 3);
}

TEST_CASE("an entry that is dropped lets go of its policy") {
  LruStorage<2> storage;
  std::vector<std::weak_ptr<const policy>> policies;
  const auto store = [&](std::string_view key) {
    const cache_entry made = entry();
    policies.push_back(made.policy);
    storage.store(key, made, start);
  };
  store("a");
  store("a");
  CHECK(policies[0].expired());
  store("b");
  store("c");
  CHECK(policies[1].expired());
  storage.erase("b");
  CHECK(policies[2].expired());
  CHECK_FALSE(has(storage, "c", start + 2h));
  CHECK(policies[3].expired());
  store("d");
  storage.clear();
  CHECK(policies[4].expired());
}

TEST_CASE("moving takes the entries, their order and the count along") {
  LruStorage<2> from;
  from.store("x", entry(), start);
  from.store("a", entry(1), start);
  from.store("b", entry(2), start);
  CHECK(has(from, "a"));

  SUBCASE("into a new one") {
    LruStorage<2> into{std::move(from)};
    CHECK(into.size() == 2);
    CHECK(into.evictions() == 1);
    into.store("c", entry(3), start);
    CHECK(mark_of(into, "a") == 1);
    CHECK_FALSE(has(into, "b"));
  }
  SUBCASE("over one that holds something else") {
    LruStorage<2> into;
    into.store("old", entry(9), start);
    into = std::move(from);
    CHECK_FALSE(has(into, "old"));
    CHECK(mark_of(into, "b") == 2);
    into.store("c", entry(3), start);
    CHECK_FALSE(has(into, "a"));
    CHECK(into.evictions() == 2);
  }
  SUBCASE("and what was moved from can be used again") {
    const LruStorage<2> into{std::move(from)};
    CHECK(from.size() == 0);  // NOLINT(bugprone-use-after-move)
    CHECK_FALSE(has(from, "a"));
    from.store("a", entry(5), start);
    CHECK(mark_of(from, "a") == 5);
    CHECK(into.size() == 2);
  }
  SUBCASE("and moving onto itself does no harm") {
    LruStorage<2>& same = from;
    from = std::move(same);
    from.store("c", entry(3), start);
    CHECK(mark_of(from, "c") == 3);
    CHECK(mark_of(from, "a") == 1);
  }
}

TEST_CASE("a storage agrees with a plain list over 100,000 random operations") {
  constexpr std::size_t capacity = 16;
  std::mt19937 random{20'240'601};
  const auto below = [&random](unsigned bound) { return static_cast<int>(random() % bound); };
  LruStorage<capacity> storage;
  ReferenceStorage reference{capacity};
  std::vector<cache_entry> pool;
  for (int i = 0; i < 32; ++i) {
    pool.push_back(entry(i));
  }
  time_point now = start;
  std::size_t differences = 0;

  for (int step = 0; step < 100'000; ++step) {
    const std::string key = "https://host-" + std::to_string(below(40)) + ".example";
    const int what = below(1'000);
    if (what < 500) {
      const auto got = storage.find(key, now);
      const auto wanted = reference.find(key, now);
      const bool same =
          got.has_value() == wanted.has_value() &&
          (!got || (got->policy == wanted->policy && got->fresh_until == wanted->fresh_until &&
                    got->keep_until == wanted->keep_until));
      differences += same ? 0U : 1U;
    } else if (what < 900) {
      cache_entry made = pool[static_cast<std::size_t>(below(32))];
      made.fresh_until = now + std::chrono::seconds{below(50)};
      made.keep_until = made.fresh_until + std::chrono::seconds{below(50)};
      storage.store(key, made, now);
      reference.store(key, made);
    } else if (what < 950) {
      storage.erase(key);
      reference.erase(key);
    } else if (what < 999) {
      now += std::chrono::seconds{below(10)};
    } else {
      storage.clear();
      reference.clear();
    }
    differences += storage.size() == reference.size() ? 0U : 1U;
    differences += storage.evictions() == reference.evictions() ? 0U : 1U;
  }
  CHECK(differences == 0);
  CHECK(storage.evictions() > 1'000);
}

TEST_CASE("eight threads may use one storage at once") {
  constexpr unsigned threads = 8;
  LruStorage<32> storage;
  std::vector<cache_entry> entries;
  for (int i = 0; i < 64; ++i) {
    entries.push_back(entry(i));
  }
  std::vector<std::size_t> wrong(threads, 0);
  {
    std::barrier together{threads};
    std::vector<std::jthread> workers;
    for (unsigned worker = 0; worker < threads; ++worker) {
      workers.emplace_back([&, worker] {
        std::mt19937 random{worker};
        together.arrive_and_wait();
        for (int step = 0; step < 5'000; ++step) {
          const auto mark = random() % 64;
          const std::string key = std::to_string(mark);
          switch (random() % 16) {
            case 0:
              storage.erase(key);
              break;
            case 1:
              wrong[worker] += storage.size() > 32 ? 1U : 0U;
              break;
            case 2:
              static_cast<void>(storage.evictions());
              break;
            case 3:
              if (step % 500 == 0) {
                storage.clear();
              }
              break;
            case 4:
            case 5:
            case 6:
            case 7:
            case 8:
              storage.store(key, entries[mark], start);
              break;
            default: {
              const auto found = storage.find(key, start);
              const bool right = !found || found->policy == entries[mark].policy;
              wrong[worker] += right ? 0U : 1U;
              break;
            }
          }
        }
      });
    }
  }
  for (const std::size_t each : wrong) {
    CHECK(each == 0);
  }
  CHECK(storage.size() <= 32);
}

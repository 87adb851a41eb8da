#include <robots/store/lru_storage.hpp>

#include <robots/policy/fallback.hpp>
#include <robots/policy/policy.hpp>
#include <robots/rep/rules/crawler_directives.hpp>
#include <robots/time/clock.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <barrier>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

using namespace std::chrono_literals;
using robots::cache_entry;
using robots::LruStorage;
using robots::policy;
using robots::time_point;

namespace {

static_assert(std::is_move_constructible_v<LruStorage<1>>);
static_assert(std::is_nothrow_move_assignable_v<LruStorage<1>>);
static_assert(!std::is_copy_constructible_v<LruStorage<1>>);
static_assert(LruStorage<7>::capacity() == 7);

constexpr time_point start{1h};
constexpr time_point::duration step_length = 17ms;

std::shared_ptr<const policy> some_policy(int status = 200) {
  return std::make_shared<const policy>(robots::fallback_action::allow_all, "FooBot",
                                        robots::record_head{{.status = status}});
}

/// An entry with a recognisable `mark` that is kept for `length`.
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
  return found ? found->policy->last_retrieval().status : -1;
}

/// A simple model of `LruStorage`: a list with the latest entry in front.
class ReferenceStorage {
 public:
  explicit ReferenceStorage(std::size_t capacity) : capacity_(capacity) {}

  std::optional<cache_entry> find(const std::string& key, time_point now) {
    const std::size_t index = index_of(key);
    if (index == kept_.size()) {
      return std::nullopt;
    }
    auto [name, value] = take(index);
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
    if (const std::size_t index = index_of(key); index != kept_.size()) {
      static_cast<void>(take(index));
    }
  }
  void clear() { kept_.clear(); }
  std::size_t size() const { return kept_.size(); }
  std::uint64_t evictions() const { return evictions_; }

 private:
  using named = std::pair<std::string, cache_entry>;

  std::size_t index_of(const std::string& key) const {
    std::size_t index = 0;
    while (index < kept_.size() && kept_[index].first != key) {
      ++index;
    }
    return index;
  }
  named take(std::size_t index) {
    named taken = kept_[index];
    kept_.erase(kept_.begin() + static_cast<std::ptrdiff_t>(index));
    return taken;
  }

  std::size_t capacity_;
  std::vector<named> kept_;
  std::uint64_t evictions_ = 0;
};

}  // namespace

TEST_CASE("A stored entry is found by its key only") {
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

TEST_CASE("A key is copied, and can have any octets") {
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

TEST_CASE("The least recently used entry is dropped first") {
  LruStorage<3> storage;
  storage.store("a", entry(), start);
  storage.store("b", entry(), start);
  storage.store("c", entry(), start);

  SUBCASE("which is the oldest entry if none was used") {
    storage.store("d", entry(), start);
    CHECK_FALSE(has(storage, "a"));
  }
  SUBCASE("and finding counts as use") {
    CHECK(has(storage, "a"));
    storage.store("d", entry(), start);
    CHECK(has(storage, "a"));
    CHECK_FALSE(has(storage, "b"));
  }
  SUBCASE("and replacing counts as use") {
    storage.store("a", entry(), start);
    storage.store("d", entry(), start);
    CHECK(has(storage, "a"));
    CHECK_FALSE(has(storage, "b"));
  }
  SUBCASE("and a search without success does not") {
    CHECK_FALSE(has(storage, "x"));
    storage.store("d", entry(), start);
    CHECK_FALSE(has(storage, "a"));
  }
  SUBCASE("and the others follow in order") {
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

TEST_CASE("A storage never exceeds its capacity, and counts the entries that it drops") {
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

TEST_CASE("A capacity of one keeps the last entry") {
  LruStorage<1> storage;
  storage.store("a", entry(1), start);
  storage.store("a", entry(2), start);
  CHECK(storage.evictions() == 0);
  storage.store("b", entry(3), start);
  CHECK(storage.evictions() == 1);
  CHECK_FALSE(has(storage, "a"));
  CHECK(mark_of(storage, "b") == 3);
}

TEST_CASE("An entry is dropped when it expires") {
  LruStorage<4> storage;
  storage.store("a", entry(1, 10s), start);
  CHECK(has(storage, "a", start + 10s - 1ns));
  CHECK(storage.size() == 1);
  CHECK_FALSE(has(storage, "a", start + 10s));
  CHECK(storage.size() == 0);
  CHECK(storage.evictions() == 0);
  CHECK_FALSE(has(storage, "a", start));
}

TEST_CASE("An entry is dropped at keep_until, not at fresh_until") {
  LruStorage<4> storage;
  storage.store("a", {.policy = some_policy(), .fresh_until = start, .keep_until = start + 1h},
                start);
  CHECK(has(storage, "a", start + 1min));
}

TEST_CASE("Storing again replaces the entry and its times") {
  LruStorage<4> storage;
  storage.store("a", entry(1, 10s), start);
  storage.store("a", entry(2, 20s), start);
  CHECK(storage.size() == 1);
  CHECK(mark_of(storage, "a", start + 15s) == 2);
  storage.store("a", entry(3, 1s), start);
  CHECK_FALSE(has(storage, "a", start + 15s));
}

TEST_CASE("An erased or cleared entry is gone and does not count as an eviction") {
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

TEST_CASE("A dropped entry releases its policy") {
  LruStorage<2> storage;
  std::vector<std::weak_ptr<const policy>> policies;
  const auto store = [&](std::string_view key) {
    const cache_entry result = entry();
    policies.push_back(result.policy);
    storage.store(key, result, start);
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

TEST_CASE("Dropped entries are reported and destroyed when the storage can be called again") {
  LruStorage<4> storage{50'000};
  std::vector<std::string> events;
  int destroyed = 0;
  storage.on_drop([&](std::string_view key, bool expired) {
    static_cast<void>(storage.size());  // waits forever if the storage is locked, as below
    events.push_back(std::string{key} + (expired ? " expired" : ""));
  });
  const auto store = [&](std::string_view key, std::size_t octets) {
    const auto last = [&storage, &destroyed](const policy* gone) {
      static_cast<void>(storage.size());
      ++destroyed;
      delete gone;
    };
    const auto* const result =
        new policy{{}, {}, {}, std::make_shared<const std::string>(octets, 'x')};
    storage.store(key, {{result, last}, start + 1h, start + 1h}, start);
  };
  for (const char* const key : {"a", "b", "c", "d"}) {
    store(key, 10'000);
  }
  store("a", 10'000);
  CHECK(destroyed == 1);
  store("e", 10'000);  // all places are taken
  CHECK(destroyed == 2);
  store("f", 40'000);  // too few octets are left
  CHECK(destroyed == 6);
  CHECK(events == std::vector<std::string>{"b", "c", "d", "a", "e"});
  CHECK(storage.evictions() == 5);
  CHECK_FALSE(has(storage, "f", start + 1h));
  CHECK(destroyed == 7);
  CHECK(events.back() == "f expired");
  store("g", 10'000);
  storage.erase("g");
  store("h", 10'000);
  storage.clear();
  CHECK(destroyed == 9);
}

namespace {

/// An entry that takes a little more than `octets` octets.
cache_entry sized_entry(std::size_t octets) {
  return {.policy = std::make_shared<const policy>(
              robots::crawler_directives{}, robots::record_head{}, time_point{},
              std::make_shared<const std::string>(octets, 'x')),
          .fresh_until = start + 1h,
          .keep_until = start + 1h};
}

}  // namespace

TEST_CASE("A callback that stores again ends if there is room") {
  LruStorage<8> storage{50'000};
  std::vector<std::string> events;
  storage.on_drop([&](std::string_view key, bool) {
    events.emplace_back(key);
    if (events.size() < 100 && storage.memory_bytes() < 40'000) {
      storage.store(key, sized_entry(8'000), start);
    }
  });
  for (const char* const key : {"a", "b", "c", "d"}) {
    storage.store(key, sized_entry(8'000), start);
  }
  storage.store("large", sized_entry(38'000), start);
  CHECK(events == std::vector<std::string>{"a", "b", "c"});
  CHECK(has(storage, "d"));
  CHECK(has(storage, "large"));
}

TEST_CASE("A drop handler finds the new entry and all other entries") {
  LruStorage<8> storage{50'000};
  std::vector<std::string> events;
  bool complete = true;
  storage.on_drop([&](std::string_view key, bool) {
    events.emplace_back(key);
    complete = complete && has(storage, "large") && has(storage, "d") && storage.size() == 2 &&
               storage.evictions() == 3;
  });
  for (const char* const key : {"a", "b", "c", "d"}) {
    storage.store(key, sized_entry(8'000), start);
  }
  SUBCASE("after a new entry") { storage.store("large", sized_entry(38'000), start); }
  SUBCASE("but gets no call if a new entry replaces the oldest") {
    storage.clear();
    for (const char* const key : {"large", "a", "b", "c", "d"}) {
      storage.store(key, sized_entry(8'000), start);
    }
    storage.store("large", sized_entry(38'000), start);
  }
  CHECK(events == std::vector<std::string>{"a", "b", "c"});
  CHECK(complete);
}

TEST_CASE("Memory is bounded in octets, too, whatever sites send") {
  std::string text = "User-agent: *\nDisallow: /a\n";
  while (text.size() < 500'000) {
    text += "Sitemap:x\n";
  }
  const cache_entry large{
      std::make_shared<const policy>(robots::directives_for(text, "FooBot"), robots::record_head{}),
      start + 1h, start + 1h};
  const std::size_t bytes = large.policy->memory_bytes();
  CHECK(large.policy->sitemaps().size() > 49'000);
  CHECK(bytes < 200'000);  // little more than the octets of the values
  constexpr std::size_t most = 4'000'000;
  LruStorage<4096> storage{most};
  storage.store("small", entry(1), start);
  for (int i = 0; i < 200; ++i) {
    storage.store("s" + std::to_string(i), large, start);
    static_cast<void>(storage.find("small", start));
    CHECK(storage.memory_bytes() <= most);
  }
  CHECK(storage.size() > 15);
  CHECK(storage.size() + storage.evictions() == 201);
  CHECK(has(storage, "s199"));
  CHECK_FALSE(has(storage, "s0"));
  for (int i = 0; i < 10; ++i) {
    storage.store("s199", large, start);  // replaces itself
  }
  CHECK(storage.size() + storage.evictions() == 201);
  LruStorage<4096> other = std::move(storage);
  other.clear();
  CHECK(other.memory_bytes() == 0);
  other.store("a", large, start);
  other.erase("a");
  CHECK(other.memory_bytes() == 0);
}

TEST_CASE("An entry above the limit is not stored, and the old entry with its key is dropped") {
  LruStorage<4> storage{50'000};
  storage.store("a", entry(1), start);
  storage.store("b", entry(2), start);
  std::string text = "User-agent: *\n";
  for (int i = 0; i < 10'000; ++i) {
    text += "Disallow: /" + std::to_string(i) + '\n';
  }
  const auto large =
      std::make_shared<const policy>(robots::directives_for(text, "FooBot"), robots::record_head{});
  CHECK(large->memory_bytes() > 50'000);
  storage.store("a", {large, start + 1h, start + 1h}, start);
  CHECK_FALSE(has(storage, "a"));
  CHECK(has(storage, "b"));
  CHECK_THROWS_AS(LruStorage<4>{0}, std::invalid_argument);
}

TEST_CASE("Moving takes the entries, their order and the count") {
  LruStorage<2> from;
  from.store("x", entry(), start);
  from.store("a", entry(1), start);
  from.store("b", entry(2), start);
  CHECK(has(from, "a"));

  SUBCASE("into a new storage") {
    LruStorage<2> into{std::move(from)};
    CHECK(into.size() == 2);
    CHECK(into.evictions() == 1);
    into.store("c", entry(3), start);
    CHECK(mark_of(into, "a") == 1);
    CHECK_FALSE(has(into, "b"));
  }
  SUBCASE("over a storage with other entries") {
    LruStorage<2> into;
    into.store("old", entry(9), start);
    into = std::move(from);
    CHECK_FALSE(has(into, "old"));
    CHECK(mark_of(into, "b", start + step_length) == 2);
    into.store("c", entry(3), start + step_length);
    CHECK_FALSE(has(into, "a"));
    CHECK(into.evictions() == 2);
  }
  SUBCASE("and leaves a usable storage") {
    const LruStorage<2> into{std::move(from)};
    CHECK(from.size() == 0);  // NOLINT(bugprone-use-after-move)
    CHECK_FALSE(has(from, "a"));
    from.store("a", entry(5), start);
    CHECK(mark_of(from, "a") == 5);
    CHECK(into.size() == 2);
  }
  SUBCASE("and onto itself does no harm") {
    LruStorage<2>& same = from;
    from = std::move(same);
    from.store("c", entry(3), start);
    CHECK(mark_of(from, "c") == 3);
    CHECK(mark_of(from, "a") == 1);
  }
}

TEST_CASE_TEMPLATE("Up to a capacity of 64, a storage is an exact LRU: 100,000 random operations",
                   Size, std::integral_constant<std::size_t, 16>,
                   std::integral_constant<std::size_t, 64>) {
  constexpr std::size_t capacity = Size::value;
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
    now += below(2) * step_length;  // at the same time, too, the order of use is exact
    const std::string key = "https://host-" + std::to_string(below(3 * capacity)) + ".example";
    const int kind = below(1'000);
    if (kind < 500) {
      const auto got = storage.find(key, now);
      const auto wanted = reference.find(key, now);
      const bool same =
          got.has_value() == wanted.has_value() &&
          (!got || (got->policy == wanted->policy && got->fresh_until == wanted->fresh_until &&
                    got->keep_until == wanted->keep_until));
      differences += same ? 0U : 1U;
    } else if (kind < 900) {
      cache_entry result = pool[static_cast<std::size_t>(below(32))];
      result.fresh_until = now + below(50) * 20 * step_length;
      result.keep_until = result.fresh_until + below(50) * 20 * step_length;
      storage.store(key, result, now);
      reference.store(key, result);
    } else if (kind < 950) {
      storage.erase(key);
      reference.erase(key);
    } else if (kind < 999) {
      now += below(200) * step_length;
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

TEST_CASE("All of the capacity can be used, with any hashes of the keys") {
  constexpr std::size_t capacity = 4'096;
  LruStorage<capacity> storage;
  const auto key = [](std::size_t i) { return "https://" + std::to_string(i); };
  for (std::size_t i = 0; i < capacity; ++i) {
    storage.store(key(i), entry(), start);
  }
  CHECK(storage.size() == capacity);
  CHECK(storage.evictions() == 0);
  storage.store("one more", entry(), start);
  CHECK(storage.size() == capacity);
  CHECK(storage.evictions() == 1);
  CHECK(has(storage, "one more"));
}

TEST_CASE("In a large storage, entries that were used later are not dropped before the others") {
  constexpr std::size_t capacity = 4'096;
  LruStorage<capacity> storage;
  const auto key = [](std::size_t i) { return "https://" + std::to_string(i); };
  for (std::size_t i = 0; i < capacity; ++i) {
    storage.store(key(i), entry(), start);
  }
  for (std::size_t i = 0; i < capacity; i += 2) {
    CHECK(has(storage, key(i), start + step_length));
  }
  for (std::size_t i = 0; i < capacity / 4; ++i) {
    storage.store(key(capacity + i), entry(), start + 2 * step_length);
    CHECK(storage.size() == capacity);
  }
  for (std::size_t i = 0; i < capacity; i += 2) {
    CHECK(has(storage, key(i), start + 2 * step_length));
  }
}

TEST_CASE("A visitor sees the entry that find returns, and counts as use") {
  LruStorage<2> storage;
  const cache_entry stored = entry(1, 10s);
  storage.store("a", stored, start);
  storage.store("b", entry(2), start);
  const policy* seen = nullptr;
  long owners = 0;
  const auto look = [&](const cache_entry& found) {
    seen = found.policy.get();
    owners = found.policy.use_count();
  };
  CHECK(storage.visit("a", start, look));
  CHECK(seen == stored.policy.get());
  CHECK(owners == 2);  // `stored` and the storage: the visit has copied nothing
  storage.store("c", entry(3), start);
  CHECK_FALSE(has(storage, "b"));

  seen = nullptr;
  CHECK_FALSE(storage.visit("b", start, look));
  CHECK_FALSE(storage.visit("a", start + 10s, look));
  CHECK(seen == nullptr);
  CHECK(storage.size() == 1);
}

TEST_CASE("Expired entries of a large storage are removed and reported, and no others") {
  constexpr std::size_t capacity = 8'192;
  LruStorage<capacity> storage;
  std::size_t reported = 0;
  storage.on_drop([&reported](std::string_view, bool expired) { reported += expired ? 1U : 0U; });
  for (int i = 0; i < static_cast<int>(capacity); ++i) {
    storage.store(std::to_string(i), entry(i, i % 3 == 0 ? 10s : 1h), start);
  }
  CHECK(storage.remove_expired(start + 10s) == 2'731);
  CHECK(reported == 2'731);
  CHECK(storage.size() == capacity - 2'731);
  CHECK_FALSE(has(storage, "3", start));
  CHECK(has(storage, "4", start + 10s));
  CHECK(storage.remove_expired(start + 10s) == 0);
}

TEST_CASE("Storing an entry never drops this entry, whatever the time") {
  constexpr std::size_t capacity = 128;
  LruStorage<capacity> storage;
  for (std::size_t i = 0; i < 10 * capacity; ++i) {
    const std::string key = "https://" + std::to_string(i);
    storage.store(key, entry(), start - i * 1s);
    CHECK(has(storage, key));
  }
  CHECK(storage.size() == capacity);
}

namespace {

/// Returns the share of `requests` whose entry is found, with one request every `pace`. Stores each
/// entry that is not found.
template <class Store>
double hit_rate(Store& storage, const std::vector<std::size_t>& requests,
                time_point::duration pace) {
  const cache_entry stored = entry(0, 1'000'000s);
  std::vector<std::string> keys;
  std::size_t hits = 0;
  time_point now = start;
  for (const std::size_t request : requests) {
    while (keys.size() <= request) {
      keys.push_back("https://" + std::to_string(keys.size()));
    }
    now += pace;
    if (storage.find(keys[request], now)) {
      ++hits;
    } else {
      storage.store(keys[request], stored, now);
    }
  }
  return static_cast<double>(hits) / static_cast<double>(requests.size());
}

/// Returns the share of the requests that an exact LRU of that capacity answers from its memory.
double exact_hit_rate(std::size_t capacity, const std::vector<std::size_t>& requests) {
  std::list<std::size_t> newest_first;
  std::unordered_map<std::size_t, std::list<std::size_t>::iterator> places;
  std::size_t hits = 0;
  for (const std::size_t request : requests) {
    if (const auto known = places.find(request); known != places.end()) {
      ++hits;
      newest_first.splice(newest_first.begin(), newest_first, known->second);
      continue;
    }
    newest_first.push_front(request);
    places[request] = newest_first.begin();
    if (newest_first.size() > capacity) {
      places.erase(newest_first.back());
      newest_first.pop_back();
    }
  }
  return static_cast<double>(hits) / static_cast<double>(requests.size());
}

/// Requests like those of a crawl: the share of the n-th host is proportional to 1 / n.
std::vector<std::size_t> zipf_trace(std::size_t hosts, std::size_t length) {
  std::vector<double> upto{0.0};
  for (std::size_t n = 1; n <= hosts; ++n) {
    upto.push_back(upto.back() + 1.0 / static_cast<double>(n));
  }
  std::mt19937 random{1'949};
  std::vector<std::size_t> trace(length);
  for (std::size_t& one : trace) {
    const double setup = static_cast<double>(random()) / 4294967296.0 * upto.back();
    one = static_cast<std::size_t>(std::ranges::upper_bound(upto, setup) - upto.begin()) - 1;
  }
  return trace;
}

/// The requests of `zipf_trace`, mixed with runs of hosts that are requested only once.
std::vector<std::size_t> scan_trace(std::size_t hosts, std::size_t length) {
  std::vector<std::size_t> trace = zipf_trace(hosts, length);
  for (std::size_t i = 0; i < length; ++i) {
    if (i % 2'000 < 500) {
      trace[i] = hosts + i / 2'000 * 500 + i % 2'000;
    }
  }
  return trace;
}

/// Requests of a crawl that works on forty pages at once. Most links of a page lead to its own
/// host. The other links lead to the hosts of `zipf_trace`.
std::vector<std::size_t> crawl_trace(std::size_t hosts, std::size_t length) {
  const std::vector<std::size_t> links = zipf_trace(hosts, 2 * length);
  std::mt19937 random{1'994};
  std::vector<std::size_t> working(links.begin(), links.begin() + 40);
  std::size_t next_link = working.size();
  std::vector<std::size_t> trace(length);
  for (std::size_t& one : trace) {
    std::size_t& page = working[random() % working.size()];
    if (random() % 8 == 0) {
      page = links[next_link++];
    }
    one = page;
  }
  return trace;
}

/// Requests for a few hosts, which slowly give way to other hosts.
std::vector<std::size_t> drift_trace(std::size_t hosts, std::size_t length) {
  std::mt19937 random{9'309};
  std::vector<std::size_t> trace(length);
  for (std::size_t i = 0; i < length; ++i) {
    trace[i] = (i / 50 + random() % (hosts / 7)) % hosts;
  }
  return trace;
}

}  // namespace

TEST_CASE_TEMPLATE("The hit rate is that of an exact LRU, even if the clock stands still", Size,
                   std::integral_constant<std::size_t, 256>,
                   std::integral_constant<std::size_t, 512>) {
  constexpr std::size_t capacity = Size::value;
  constexpr std::size_t hosts = 8 * capacity;
  constexpr std::size_t length = 20'000;
  const std::pair<std::string, std::vector<std::size_t>> traces[] = {
      {"zipf", zipf_trace(hosts, length)},
      {"zipf with scans", scan_trace(hosts, length)},
      {"drift", drift_trace(hosts, length)},
      {"crawl", crawl_trace(hosts, length)},
  };
  for (const auto& [name, trace] : traces) {
    const double wanted = exact_hit_rate(capacity, trace);
    for (const auto pace : {time_point::duration{0}, time_point::duration{10us}, step_length}) {
      LruStorage<capacity> storage;
      const double got = hit_rate(storage, trace, pace);
      MESSAGE(name << ", one use in " << pace.count() << " ns: hit rate " << got << ", exact LRU "
                   << wanted);
      CHECK(std::abs(got - wanted) < 0.01);
    }
  }
}

TEST_CASE("Eight threads can use one storage at once") {
  constexpr unsigned threads = 8;
  LruStorage<32> storage;
  std::vector<cache_entry> entries;
  for (int i = 0; i < 64; ++i) {
    entries.push_back(entry(i));
    entries.back().keep_until += i * step_length;
  }
  std::atomic<std::size_t> wrong = 0;
  {
    std::barrier together{threads};
    std::vector<std::jthread> workers;
    for (unsigned worker = 0; worker < threads; ++worker) {
      workers.emplace_back([&, worker] {
        std::mt19937 random{worker};
        time_point now = start;
        together.arrive_and_wait();
        for (int step = 0; step < 5'000; ++step) {
          const auto mark = random() % 64;
          const std::string key = std::to_string(mark);
          bool right = true;
          switch (random() % 16) {
            case 0:
              storage.erase(key);
              break;
            case 1:
              right = storage.size() <= 32;
              break;
            case 2:
              static_cast<void>(storage.evictions());
              now += step_length;
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
              storage.store(key, entries[mark], now);
              break;
            case 8: {  // some of the entries have expired then
              const time_point late = start + 1h + 32 * step_length;
              const auto found = storage.find(key, late);
              right = !found || (found->keep_until > late && found->policy == entries[mark].policy);
              break;
            }
            default: {
              const auto found = storage.find(key, now);
              right = !found || found->policy == entries[mark].policy;
              break;
            }
          }
          wrong += right ? 0U : 1U;
        }
      });
    }
  }
  CHECK(wrong == 0);
  CHECK(storage.size() <= 32);
  CHECK(storage.evictions() > 0);
  for (const cache_entry& one : entries) {
    CHECK(one.policy.use_count() <= 2);
  }
  storage.clear();
  for (const cache_entry& one : entries) {
    CHECK(one.policy.use_count() == 1);
  }
}

TEST_CASE("No thread finds an entry after another thread has erased it") {
  constexpr int rounds = 2'000;
  LruStorage<4> storage;
  std::atomic<int> erased = 0;
  std::atomic<std::size_t> wrong = 0;
  {
    std::vector<std::jthread> readers;
    for (int reader = 0; reader < 3; ++reader) {
      readers.emplace_back([&] {
        while (erased < rounds) {
          const int gone = erased;
          const int mark = mark_of(storage, "a");
          wrong += mark != -1 && mark <= gone ? 1U : 0U;
        }
      });
    }
    for (int round = 1; round <= rounds; ++round) {
      storage.store("a", entry(round), start);
      storage.erase("a");
      erased = round;
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("An entry whose key exceeds 65,535 octets is not stored") {
  LruStorage<4> storage;
  const std::string longest(65'535, 'a');
  storage.store(longest, entry(1), start);
  CHECK(has(storage, longest));
  storage.store(longest + 'a', entry(2), start);
  CHECK(storage.size() == 1);
  CHECK_FALSE(has(storage, longest + 'a'));
}

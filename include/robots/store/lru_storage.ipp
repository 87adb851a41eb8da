#pragma once

#include <robots/base/exceptions.hpp>
#include <robots/base/hash.hpp>
#include <robots/policy/policy.hpp>
#include <robots/store/lru_storage.hpp>

#include <boost/unordered/unordered_flat_set.hpp>

#include <algorithm>
#include <bit>
#include <mutex>
#include <new>
#include <vector>

namespace robots::detail {

/// An entry. Its key follows it in memory. The order of the members avoids padding.
struct lru_storage_base::node : cache_entry {
  struct destroy {
    void operator()(node* gone) const noexcept {
      std::destroy_at(gone);
      ::operator delete(gone);
    }
  };
  using owner = std::unique_ptr<node, destroy>;

  [[nodiscard]] static owner make(std::string_view key) {
    void* const room = ::operator new(sizeof(node) + key.size());
    owner added{new (room) node{}};
    added->length = static_cast<std::uint32_t>(key.size());
    std::copy(key.begin(), key.end(), static_cast<char*>(room) + sizeof(node));
    return added;
  }

  [[nodiscard]] std::string_view key() const noexcept {
    return {reinterpret_cast<const char*>(this + 1), length};
  }

  [[nodiscard]] std::size_t bytes() const noexcept {
    return sizeof(*this) + length + (policy ? policy->memory_bytes() : 0);
  }

  std::uint32_t length = 0;  // length of the key
  node* newer = nullptr;
  node* older = nullptr;
  time_point used{};
  const void* rules = nullptr;  // the rules of `policy`; `find` prefetches them for the query
};

/// Entries, from the oldest to the newest. The list owns its entries.
struct lru_storage_base::list {
  list() = default;
  list(const list&) = delete;
  list& operator=(const list&) = delete;
  ~list() {
    while (oldest != nullptr) {
      static_cast<void>(take(*oldest));
    }
  }

  void add(node::owner owned) noexcept {
    node& added = *owned.release();
    added.newer = nullptr;
    added.older = std::exchange(newest, &added);
    (added.older != nullptr ? added.older->newer : oldest) = &added;
  }

  [[nodiscard]] node::owner take(node& gone) noexcept {
    (gone.newer != nullptr ? gone.newer->older : newest) = gone.older;
    (gone.older != nullptr ? gone.older->newer : oldest) = gone.newer;
    return node::owner{&gone};
  }

  node* newest = nullptr;
  node* oldest = nullptr;
};

/// A key and its hash, which is computed before a lock is taken.
struct lru_storage_base::hashed {
  std::string_view text;
  std::size_t hash = base::text_hash{}(text);
};

/// A part of the entries. The hash of a key chooses the shard.
struct alignas(64) lru_storage_base::shard {
  struct by_key {
    using is_transparent = void;
    using is_avalanching = void;
    std::size_t operator()(const hashed& key) const noexcept { return key.hash; }
    std::size_t operator()(const node* found) const noexcept { return hashed{found->key()}.hash; }
    bool operator()(const hashed& key, const node* found) const noexcept {
      return key.text == found->key();
    }
    bool operator()(const node* one, const node* other) const noexcept {
      return one->key() == other->key();
    }
  };

  [[nodiscard]] node* find(const hashed& key) const {
    const auto found = table.find(key);
    return found == table.end() ? nullptr : *found;
  }

  void use(node& used, time_point now) noexcept {
    used.used = now;
    if (entries.newest != &used) {
      entries.add(entries.take(used));
    }
  }

  std::mutex mutex;
  boost::unordered_flat_set<node*, by_key, by_key> table;
  list entries;
};

/// The shards and the sums over their entries. A thread that adds or drops entries holds `storing`,
/// so that the sums match the shards. `find` holds `storing` only to drop an expired entry.
struct lru_storage_base::state {
  static constexpr std::size_t entries_per_shard = 64;
  static constexpr std::size_t most_shards = 16;

  state(std::size_t most_entries, std::size_t most_bytes)
      : capacity(most_entries),
        max_bytes(most_bytes),
        shards(std::bit_floor(
            std::clamp(most_entries / entries_per_shard, std::size_t{1}, most_shards))) {}

  [[nodiscard]] shard& shard_of(const hashed& key) noexcept {
    return shards[(key.hash >> 16U) % shards.size()];
  }

  [[nodiscard]] node::owner take(shard& from, node& gone) noexcept {
    --size;
    bytes -= gone.bytes();
    from.table.erase(&gone);
    return from.entries.take(gone);
  }

  /// Removes the least recently used entry other than `spared`. Such an entry must exist.
  [[nodiscard]] node::owner take_oldest(const node* spared) noexcept {
    const auto oldest_in = [spared](const shard& in) {
      node* const oldest = in.entries.oldest;
      return oldest != nullptr && oldest == spared ? oldest->newer : oldest;
    };
    shard* from = nullptr;
    time_point first{};
    for (shard& part : shards) {
      const std::scoped_lock lock{part.mutex};
      const node* const oldest = oldest_in(part);
      if (oldest != nullptr &&
          (from == nullptr || oldest->used < first ||
           (oldest->used == first && part.table.size() > from->table.size()))) {
        from = &part;
        first = oldest->used;
      }
    }
    ++evictions;
    const std::scoped_lock lock{from->mutex};
    return take(*from, *oldest_in(*from));
  }

  /// Moves the entries for which `test` is true to `gone`. Returns their number.
  template <class Test>
  std::size_t take_all(list& gone, const Test& test) {
    const std::scoped_lock lock{storing};
    const std::size_t before = size;
    for (shard& part : shards) {
      const std::scoped_lock part_lock{part.mutex};
      for (node* next = part.entries.oldest; next != nullptr;) {
        node& found = *std::exchange(next, next->newer);
        if (test(found)) {
          gone.add(take(part, found));
        }
      }
    }
    return before - size;
  }

  std::mutex storing;
  std::size_t capacity;
  std::size_t max_bytes;
  std::size_t size = 0;
  std::size_t bytes = 0;
  std::uint64_t evictions = 0;
  std::vector<shard> shards;
};

/// Dropped entries. The destructor calls `on_drop` for each entry, and frees the entries. Declare
/// this object before the locks, so that the locks are released first.
struct lru_storage_base::dropped {
  const std::function<void(std::string_view, bool)>& on_drop;
  bool expired = false;
  list entries{};

  ~dropped() {
    while (on_drop && entries.oldest != nullptr) {
      on_drop(entries.take(*entries.oldest)->key(), expired);
    }
  }
};

ROBOTS_INLINE lru_storage_base::lru_storage_base(std::size_t capacity, std::size_t max_bytes) {
  base::require(max_bytes > 0,
                "LruStorage: max_bytes is 0, so it could keep no entry: leave it out for 256 MiB");
  state_ = std::make_unique<state>(capacity, max_bytes);
}

ROBOTS_INLINE lru_storage_base::lru_storage_base(lru_storage_base&& other) noexcept(false)
    : lru_storage_base(other.state_->capacity, other.state_->max_bytes) {
  *this = std::move(other);
}

ROBOTS_INLINE lru_storage_base& lru_storage_base::operator=(lru_storage_base&& other) noexcept {
  if (this != &other) {
    std::swap(state_, other.state_);
    on_drop_ = std::exchange(other.on_drop_, {});
    other.clear();
  }
  return *this;
}

ROBOTS_INLINE lru_storage_base::~lru_storage_base() = default;

ROBOTS_INLINE std::optional<cache_entry> lru_storage_base::find(std::string_view key,
                                                                time_point now) {
  const hashed wanted{key};
  shard& in = state_->shard_of(wanted);
  {
    const std::scoped_lock lock{in.mutex};
    node* const found = in.find(wanted);
    if (found == nullptr) {
      return std::nullopt;
    }
    // Prefetches these objects together. Otherwise, the processor waits for each of them in turn.
    base::fetch_ahead<1>(found->policy.get());
    base::fetch_ahead<1>(found->newer);
    base::fetch_ahead<1>(found->older);
    base::fetch_ahead(found->rules);
    if (now < found->keep_until) {
      in.use(*found, now);
      return *found;
    }
  }
  dropped gone{on_drop_, true};
  const std::scoped_lock locks{state_->storing, in.mutex};
  node* const found = in.find(wanted);
  if (found != nullptr && now >= found->keep_until) {
    gone.entries.add(state_->take(in, *found));
  }
  return std::nullopt;
}

ROBOTS_INLINE void lru_storage_base::store(std::string_view key, const cache_entry& entry,
                                           time_point now) {
  const std::size_t bytes =
      sizeof(node) + key.size() + (entry.policy ? entry.policy->memory_bytes() : 0);
  if (bytes > state_->max_bytes) {
    return erase(key);
  }
  const hashed wanted{key};
  shard& in = state_->shard_of(wanted);
  // The swap below puts the old policy here. It is destroyed after the release of the locks.
  cache_entry replaced = entry;
  dropped gone{on_drop_};
  const std::scoped_lock storing{state_->storing};
  node* found = in.find(wanted);  // needs no lock: only a holder of `storing` changes the table
  node::owner added = found == nullptr ? node::make(key) : nullptr;
  {
    const std::scoped_lock lock{in.mutex};
    if (added) {
      found = added.get();
      in.table.insert(found);  // first, since it may throw `std::bad_alloc`
      in.entries.add(std::move(added));
      ++state_->size;
    } else {
      state_->bytes -= found->bytes();
    }
    std::swap(static_cast<cache_entry&>(*found), replaced);
    found->rules = entry.policy ? entry.policy->rules().block() : nullptr;
    state_->bytes += bytes;
    in.use(*found, now);
  }
  while (state_->size > state_->capacity || state_->bytes > state_->max_bytes) {
    gone.entries.add(state_->take_oldest(found));
  }
}

ROBOTS_INLINE void lru_storage_base::erase(std::string_view key) {
  const hashed wanted{key};
  shard& in = state_->shard_of(wanted);
  node::owner gone;  // destroyed after the locks are released
  const std::scoped_lock locks{state_->storing, in.mutex};
  if (node* const found = in.find(wanted)) {
    gone = state_->take(in, *found);
  }
}

ROBOTS_INLINE void lru_storage_base::clear() {
  list gone;
  state_->take_all(gone, [](const node&) { return true; });
}

ROBOTS_INLINE std::size_t lru_storage_base::remove_expired(time_point now) {
  dropped gone{on_drop_, true};
  return state_->take_all(gone.entries, [now](const node& one) { return now >= one.keep_until; });
}

ROBOTS_INLINE std::size_t lru_storage_base::size() const {
  const std::scoped_lock lock{state_->storing};
  return state_->size;
}

ROBOTS_INLINE std::uint64_t lru_storage_base::evictions() const {
  const std::scoped_lock lock{state_->storing};
  return state_->evictions;
}

ROBOTS_INLINE std::size_t lru_storage_base::memory_bytes() const {
  const std::scoped_lock lock{state_->storing};
  return state_->bytes;
}

}  // namespace robots::detail

#pragma once

#include <robots/base/exceptions.hpp>
#include <robots/base/striped_mutex.hpp>
#include <robots/policy/policy.hpp>
#include <robots/store/detail/entry_table.hpp>
#include <robots/store/detail/use_steps.hpp>
#include <robots/store/lru_storage.hpp>

#include <algorithm>
#include <mutex>
#include <shared_mutex>

namespace robots::detail {

/// The picture at the top of `lru_storage.hpp` shows how the members work together.
struct lru_storage_base::state {
  using node = store_detail::entry_node;

  /// The number of entries of which the least recently used one is dropped.
  static constexpr std::size_t compared_entries = store_detail::use_steps::exact_capacity;

  /// `remove_expired` releases the lock after each part, so that other calls can go on.
  static constexpr std::size_t buckets_per_part = 1'024;

  state(std::size_t most_entries, std::size_t most_bytes) noexcept
      : steps(most_entries), capacity(most_entries), max_bytes(most_bytes) {}

  /// Removes an entry from the table and from the sum of octets.
  [[nodiscard]] node::owner take(node& gone) noexcept {
    bytes -= gone.bytes();
    return table.take(gone);
  }

  /// Returns the least recently used of the next 64 entries other than `spared`. There must be at
  /// least one. The next call continues in the next bucket.
  [[nodiscard]] node& next_oldest(const node* spared) noexcept {
    node* oldest = nullptr;
    std::size_t compared = 0;
    const std::size_t buckets = table.buckets();
    for (std::size_t left = buckets; left > 0 && compared < compared_entries; --left) {
      next_bucket = next_bucket + 1 < buckets ? next_bucket + 1 : 0;
      for (node* one = table.bucket(next_bucket); one != nullptr; one = one->next) {
        if (one != spared) {
          ++compared;
          oldest = oldest == nullptr || steps.is_older(one->used, oldest->used) ? one : oldest;
        }
      }
    }
    return *oldest;
  }

  /// Moves the expired entries of a bucket to `gone`. Returns their number.
  std::size_t take_expired(std::size_t bucket, time_point now, store_detail::entry_list& gone) {
    std::size_t taken = 0;
    for (node* next = table.bucket(bucket); next != nullptr;) {
      node& found = *std::exchange(next, next->next);
      if (now >= found.keep_until) {
        gone.add(take(found));
        ++taken;
      }
    }
    return taken;
  }

  base::striped_mutex mutex;
  store_detail::entry_table table;
  store_detail::use_steps steps;
  const std::size_t capacity;
  const std::size_t max_bytes;
  std::size_t bytes = 0;  // of all entries
  std::uint64_t evictions = 0;
  std::size_t next_bucket = 0;  // where the search for the oldest entry continues
};

/// Dropped entries. The destructor calls `on_drop` for each entry, and frees the entries. Declare
/// this object before the lock, so that the lock is released first.
struct lru_storage_base::dropped {
  const std::function<void(std::string_view, bool)>& on_drop;
  bool expired = false;
  store_detail::entry_list entries{};

  ~dropped() {
    while (const auto gone = entries.take_first()) {
      if (on_drop) {
        on_drop(gone->key(), expired);
      }
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

ROBOTS_INLINE bool lru_storage_base::visit_entry(std::string_view key, time_point now,
                                                 void (*look)(void*, const cache_entry&),
                                                 void* context) {
  const store_detail::hashed_key wanted{key};
  {
    const std::shared_lock lock{state_->mutex};
    store_detail::entry_node* const found = state_->table.find(wanted);
    if (found == nullptr) {
      return false;
    }
    // Prefetches these objects together. Otherwise, the processor waits for each of them in turn.
    base::fetch_ahead<1>(found->policy.get());
    base::fetch_ahead(found->rules);
    if (now < found->keep_until) {
      state_->steps.note_use(found->used, now);
      look(context, *found);
      return true;
    }
  }
  drop_if_expired(wanted, now);
  return false;
}

ROBOTS_INLINE std::optional<cache_entry> lru_storage_base::find(std::string_view key,
                                                                time_point now) {
  std::optional<cache_entry> found;
  visit(key, now, [&found](const cache_entry& entry) { found = entry; });
  return found;
}

ROBOTS_INLINE void lru_storage_base::drop_if_expired(const store_detail::hashed_key& wanted,
                                                     time_point now) {
  dropped gone{on_drop_, true};
  const std::scoped_lock lock{state_->mutex};
  store_detail::entry_node* const found = state_->table.find(wanted);
  if (found != nullptr && now >= found->keep_until) {
    gone.entries.add(state_->take(*found));
  }
}

ROBOTS_INLINE void lru_storage_base::store(std::string_view key, const cache_entry& entry,
                                           time_point /*now*/) {
  using store_detail::entry_node;
  const std::size_t bytes = entry_node::bytes_of(key, entry);
  if (bytes > state_->max_bytes || key.size() > entry_node::longest_key) {
    return erase(key);
  }
  const store_detail::hashed_key wanted{key};
  // The swap below puts the old policy here. It is destroyed after the release of the lock.
  cache_entry replaced = entry;
  dropped gone{on_drop_};
  const std::scoped_lock lock{state_->mutex};
  entry_node* stored = state_->table.find(wanted);
  if (stored == nullptr) {
    state_->table.make_room();  // this or the next line may throw `std::bad_alloc`
    entry_node::owner added = entry_node::make(key);
    stored = added.get();
    state_->table.add(wanted, std::move(added));
  } else {
    state_->bytes -= stored->bytes();
  }
  std::swap(static_cast<cache_entry&>(*stored), replaced);
  stored->rules = entry.policy ? entry.policy->rules().block() : nullptr;
  state_->bytes += bytes;
  state_->steps.note_store(stored->used);
  while (state_->table.size() > state_->capacity || state_->bytes > state_->max_bytes) {
    gone.entries.add(state_->take(state_->next_oldest(stored)));
    ++state_->evictions;
  }
}

ROBOTS_INLINE void lru_storage_base::erase(std::string_view key) {
  const store_detail::hashed_key wanted{key};
  store_detail::entry_node::owner gone;  // destroyed after the lock is released
  const std::scoped_lock lock{state_->mutex};
  if (store_detail::entry_node* const found = state_->table.find(wanted)) {
    gone = state_->take(*found);
  }
}

ROBOTS_INLINE void lru_storage_base::clear() {
  store_detail::entry_table gone;  // destroyed after the lock is released
  const std::scoped_lock lock{state_->mutex};
  std::swap(state_->table, gone);
  state_->bytes = 0;
}

ROBOTS_INLINE std::size_t lru_storage_base::remove_expired(time_point now) {
  dropped gone{on_drop_, true};
  std::size_t removed = 0;
  std::size_t place = 0;
  for (bool is_done = false; !is_done;) {
    // Between two parts, the table can grow. Then the entries of a bucket stay there, or move to
    // a bucket behind all old ones, so this loop still comes to each entry.
    const std::scoped_lock lock{state_->mutex};
    const std::size_t end = (std::min)(place + state::buckets_per_part, state_->table.buckets());
    for (; place < end; ++place) {
      removed += state_->take_expired(place, now, gone.entries);
    }
    is_done = place >= state_->table.buckets();
  }
  return removed;
}

ROBOTS_INLINE std::size_t lru_storage_base::size() const {
  const std::shared_lock lock{state_->mutex};
  return state_->table.size();
}

ROBOTS_INLINE std::uint64_t lru_storage_base::evictions() const {
  const std::shared_lock lock{state_->mutex};
  return state_->evictions;
}

ROBOTS_INLINE std::size_t lru_storage_base::memory_bytes() const {
  const std::shared_lock lock{state_->mutex};
  return state_->bytes;
}

}  // namespace robots::detail

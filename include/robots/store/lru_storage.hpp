#pragma once

#include <robots/store/storage.hpp>

#include <boost/unordered/unordered_flat_map.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <list>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace robots {

/// Keeps the `Capacity` sites that were asked for last, in this process's memory.
///
/// SPYDER's cache: 4,096 hosts, the least recently used one goes first, and each entry leaves when
/// its time is over. Every operation takes constant time on average, under one lock. When to use
/// which: this one until the lock shows up in a profile.
template <std::size_t Capacity>
class LruStorage {
  static_assert(Capacity > 0, "LruStorage<0> could keep nothing: name a capacity of at least 1");

 public:
  /// Nothing is kept yet, and no memory is taken for it.
  LruStorage() = default;

  /// Takes over what `other` keeps. Neither may be in use by another thread meanwhile.
  LruStorage(LruStorage&& other) noexcept
      : entries_(std::move(other.entries_)),
        index_(std::move(other.index_)),
        evictions_(other.evictions_) {}

  /// Takes over what `other` keeps. Neither may be in use by another thread meanwhile.
  LruStorage& operator=(LruStorage&& other) noexcept {
    if (this == &other) {
      return *this;
    }
    entries_ = std::move(other.entries_);
    index_ = std::move(other.index_);
    evictions_ = other.evictions_;
    return *this;
  }

  ~LruStorage() = default;

  /// The entry of `key`, which becomes the most recently used one.
  [[nodiscard]] std::optional<cache_entry> find(std::string_view key, time_point now) {
    std::list<node> dropped;  // destroyed after the lock is given back
    const std::scoped_lock lock{mutex_};
    const auto found = index_.find(key);
    if (found == index_.end()) {
      return std::nullopt;
    }
    const iterator at = found->second;
    if (at->value.keep_until <= now) {
      index_.erase(found);
      dropped.splice(dropped.begin(), entries_, at);
      return std::nullopt;
    }
    entries_.splice(entries_.begin(), entries_, at);
    return at->value;
  }

  /// Keeps `entry` under `key` as the most recently used one. When that is one too many, the least
  /// recently used one goes.
  void store(std::string_view key, const cache_entry& entry, time_point /*now*/) {
    std::list<node> dropped;  // destroyed after the lock is given back
    cache_entry replaced = entry;
    const std::scoped_lock lock{mutex_};
    if (const auto found = index_.find(key); found != index_.end()) {
      std::swap(found->second->value, replaced);
      entries_.splice(entries_.begin(), entries_, found->second);
      return;
    }
    entries_.push_front({std::string{key}, entry});
    try {
      index_.emplace(entries_.front().key, entries_.begin());
    } catch (...) {
      entries_.pop_front();
      throw;
    }
    if (entries_.size() > Capacity) {
      index_.erase(entries_.back().key);
      dropped.splice(dropped.begin(), entries_, std::prev(entries_.end()));
      ++evictions_;
    }
  }

  /// Drops the entry of `key`, if there is one.
  void erase(std::string_view key) {
    std::list<node> dropped;  // destroyed after the lock is given back
    const std::scoped_lock lock{mutex_};
    const auto found = index_.find(key);
    if (found == index_.end()) {
      return;
    }
    const iterator at = found->second;
    index_.erase(found);
    dropped.splice(dropped.begin(), entries_, at);
  }

  /// Drops every entry.
  void clear() {
    std::list<node> dropped;  // destroyed after the lock is given back
    const std::scoped_lock lock{mutex_};
    index_.clear();
    dropped.swap(entries_);
  }

  /// Number of entries kept, those included whose time is over and that nobody has asked for since.
  [[nodiscard]] std::size_t size() const {
    const std::scoped_lock lock{mutex_};
    return entries_.size();
  }

  /// Number of entries dropped for want of room since construction.
  [[nodiscard]] std::uint64_t evictions() const {
    const std::scoped_lock lock{mutex_};
    return evictions_;
  }

  /// The most entries that are kept.
  [[nodiscard]] static constexpr std::size_t capacity() noexcept { return Capacity; }

 private:
  struct node {
    std::string key;
    cache_entry value;
  };
  using iterator = typename std::list<node>::iterator;

  mutable std::mutex mutex_;
  std::list<node> entries_;  // most recently used first; its nodes never move, so keys view them
  boost::unordered_flat_map<std::string_view, iterator, std::hash<std::string_view>> index_;
  std::uint64_t evictions_ = 0;
};

static_assert(Storage<LruStorage<1>>);

}  // namespace robots

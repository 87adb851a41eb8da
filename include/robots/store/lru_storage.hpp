#pragma once

#include <robots/base/config.hpp>
#include <robots/store/storage.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

namespace robots {

/// The members of `LruStorage` that do not depend on its capacity.
class lru_storage_base {
 public:
  /// Returns the entry of `key`, which becomes the most recently used one.
  [[nodiscard]] std::optional<cache_entry> find(std::string_view key, time_point now);

  /// Calls `on_drop(key, expired)` with each entry that is dropped from now on, because it has
  /// expired or to make room. The thread that stores or finds calls it, after the new entry is
  /// stored. It may call this storage, but must not store each dropped entry again: that would
  /// never end. It must not throw. Do not call this while another thread uses the storage.
  void on_drop(std::function<void(std::string_view key, bool expired)> on_drop) {
    on_drop_ = std::move(on_drop);
  }

  /// Keeps `entry` under `key` as the most recently used one. Drops the least recently used entries
  /// while there are too many, or they are too large. `now` is compared with that of other calls.
  void store(std::string_view key, const cache_entry& entry, time_point now);

  /// Drops the entry of `key`, if there is one.
  void erase(std::string_view key);

  /// Drops every entry.
  void clear();

  /// Drops the expired entries, and returns their number. Linear in the entries; nothing can be
  /// stored meanwhile.
  std::size_t remove_expired(time_point now);

  /// Number of entries kept. Entries whose time is over count until somebody asks for them.
  [[nodiscard]] std::size_t size() const;

  /// Number of entries dropped for want of room since construction.
  [[nodiscard]] std::uint64_t evictions() const;

  /// Octets of memory that the entries hold, by `policy::memory_bytes`.
  [[nodiscard]] std::size_t memory_bytes() const;

 protected:
  /// Keeps `capacity` entries, above 0, and no more than about `max_bytes` octets of memory. Throws
  /// `std::invalid_argument` if `max_bytes` is 0.
  lru_storage_base(std::size_t capacity, std::size_t max_bytes);
  /// Takes the entries of `other`, which is empty afterwards. No other thread may use either object
  /// meanwhile.
  lru_storage_base(lru_storage_base&& other) noexcept(false);
  /// Replaces the entries with those of `other`, which must have the same capacity.
  lru_storage_base& operator=(lru_storage_base&& other) noexcept;
  ~lru_storage_base();

 private:
  struct node;
  struct hashed;
  struct shard;
  struct state;
  struct dropped;

  std::unique_ptr<state> state_;
  std::function<void(std::string_view, bool)> on_drop_;
};

/// Keeps the `Capacity` sites that were asked for last, in this process's memory.
///
/// SPYDER's cache: 4,096 hosts, the least recently used one goes first, and each entry leaves when
/// its time is over. Every operation but `clear` and `remove_expired` takes constant time on
/// average.
///
/// Memory is bounded, too: the sum of `policy::memory_bytes` over the entries stays below 256 MiB
/// by default. A larger entry is not kept, and its site is fetched for each call.
///
/// Sites are spread by hash over shards: one for each 64 entries of capacity, but no more than 16.
/// A shard has a mutex, a hash table and a list in order of use, so that threads that find meet
/// only in the same shard. Threads that store wait for one another. The shards have the capacity in
/// common, whatever the hashes are. The entry that goes is the one with the earliest `now` of a
/// `find` or `store`; among equal times, the one used first in the shard with the most entries.
template <std::size_t Capacity>
class LruStorage : public lru_storage_base {
  static_assert(Capacity > 0, "LruStorage<0> could keep nothing: name a capacity of at least 1");

 public:
  /// Keeps nothing yet.
  LruStorage() : LruStorage(std::size_t{256} << 20) {}

  /// Keeps no more than about `max_bytes` octets of memory. Throws `std::invalid_argument` if that
  /// is 0.
  explicit LruStorage(std::size_t max_bytes) : lru_storage_base(Capacity, max_bytes) {}

  /// The most entries that are kept.
  [[nodiscard]] static constexpr std::size_t capacity() noexcept { return Capacity; }
};

static_assert(Storage<LruStorage<1>>);

}  // namespace robots

#ifndef ROBOTS_COMPILED
#include <robots/store/lru_storage.ipp>
#endif

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

namespace robots::detail {

/// The members of `LruStorage` that do not depend on its capacity.
class lru_storage_base {
 public:
  /// Returns the entry of `key`, and makes it the most recently used entry. Drops an expired entry.
  [[nodiscard]] std::optional<cache_entry> find(std::string_view key, time_point now);

  /// Sets the function that the storage calls as `on_drop(key, expired)` for each entry that it
  /// drops to make room or after expiry. The thread that drops the entry makes the call, and holds
  /// no lock of the storage, so `on_drop` may call the storage. It must not throw, and must not
  /// store every dropped entry again. Do not set `on_drop` while another thread uses the storage.
  void on_drop(std::function<void(std::string_view key, bool expired)> on_drop) {
    on_drop_ = std::move(on_drop);
  }

  /// Stores `entry` under `key`, as the most recently used entry. Drops the least recently used
  /// entries while there are too many entries or they need too much memory.
  void store(std::string_view key, const cache_entry& entry, time_point now);

  /// Drops the entry of `key`, if there is one.
  void erase(std::string_view key);

  /// Drops every entry.
  void clear();

  /// Drops the expired entries, and returns their number. Takes linear time, and blocks `store`.
  std::size_t remove_expired(time_point now);

  /// Returns the number of entries, including expired entries that were not dropped yet.
  [[nodiscard]] std::size_t size() const;

  /// Returns the number of entries that were dropped to make room.
  [[nodiscard]] std::uint64_t evictions() const;

  /// Returns the octets of memory that the entries use. For policies, these are the octets that
  /// `policy::memory_bytes` returns.
  [[nodiscard]] std::size_t memory_bytes() const;

 protected:
  /// Holds `capacity` entries and at most about `max_bytes` octets. `capacity` must be above 0.
  /// Throws `std::invalid_argument` if `max_bytes` is 0.
  lru_storage_base(std::size_t capacity, std::size_t max_bytes);
  /// Takes the entries of `other`, which is then empty. No other thread may use either object.
  lru_storage_base(lru_storage_base&& other) noexcept(false);
  /// Replaces the entries with the entries of `other`, which must have the same capacity.
  lru_storage_base& operator=(lru_storage_base&& other) noexcept;
  ~lru_storage_base();

 private:
  struct node;
  struct list;
  struct hashed;
  struct shard;
  struct state;
  struct dropped;

  std::unique_ptr<state> state_;
  std::function<void(std::string_view, bool)> on_drop_;
};

}  // namespace robots::detail

namespace robots {

/// Keeps the `Capacity` most recently used sites in this process's memory.
///
/// Every operation except `clear` and `remove_expired` takes constant time on average. Memory is
/// bounded, too: by default, the entries use at most 256 MiB (see `memory_bytes`). The storage does
/// not keep an entry that alone exceeds the limit. Then each call fetches robots.txt again.
///
/// A hash spreads the sites over at most 16 shards, about one shard for each 64 entries of
/// capacity. Calls of `find` in different shards do not wait for each other, unless they drop
/// expired entries. Calls of `store` always wait for each other. All shards share the capacity. The
/// least recently used entry is dropped first. The time of a use is the `now` of `find` or `store`.
template <std::size_t Capacity>
class LruStorage : public detail::lru_storage_base {
  static_assert(Capacity > 0, "LruStorage<0> could keep nothing: use a capacity of 1 or more");

 public:
  /// Makes an empty storage.
  LruStorage() : LruStorage(std::size_t{256} << 20) {}

  /// Holds at most about `max_bytes` octets. Throws `std::invalid_argument` if `max_bytes` is 0.
  explicit LruStorage(std::size_t max_bytes) : detail::lru_storage_base(Capacity, max_bytes) {}

  /// Returns the maximum number of entries.
  [[nodiscard]] static constexpr std::size_t capacity() noexcept { return Capacity; }
};

static_assert(Storage<LruStorage<1>>);

}  // namespace robots

#ifndef ROBOTS_COMPILED
#include <robots/store/lru_storage.ipp>
#endif

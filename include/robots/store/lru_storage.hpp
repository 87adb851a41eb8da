#pragma once

#include <robots/base/config.hpp>
#include <robots/store/storage.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

// How the storage works:
//
//     find, visit --shared lock-----> entry_table: key --> entry, with a mark of its last use
//        |                                 ^
//        +--> use_steps: first use in      |
//             this step? write the mark    |
//                                          |
//     store, erase, clear --exclusive lock-+
//        |
//        +--> too many entries, or too many octets? compare the marks of the next 64 entries, drop
//             the entry with the oldest mark; and so on, until there is room
//
// The lock is a `striped_mutex`, so hits in different threads write to no common cache line: a hit
// writes to the stripe of its thread and, if it is the first use of the entry in this step of some
// milliseconds, to the mark of the entry. There is no list that each hit would have to change. The
// order of use is settled when room is needed, by the marks.
//
// The lock guards everything except the marks, which are atomic, since readers write them. The
// table owns the entries; a dropped entry leaves the table under the lock, and is reported and
// destroyed after the release of the lock. `store/detail/` has the table and the steps.

namespace robots::store_detail {

struct hashed_key;

}  // namespace robots::store_detail

namespace robots::detail {

/// The members of `LruStorage` that do not depend on its capacity.
class lru_storage_base {
 public:
  /// Returns the entry of `key`, and marks it as used. Drops an expired entry.
  [[nodiscard]] std::optional<cache_entry> find(std::string_view key, time_point now);

  /// Calls `look(entry)` with the entry of `key`, and marks it as used. Drops an expired entry.
  /// Returns false if there is no entry. Unlike `find`, copies nothing. Calls of `store` wait until
  /// `look` returns, so `look` must be quick, and must not call the storage.
  template <std::invocable<const cache_entry&> Look>
  bool visit(std::string_view key, time_point now, Look look) {
    const auto call = [](void* called, const cache_entry& entry) {
      (*static_cast<Look*>(called))(entry);
    };
    return visit_entry(key, now, call, &look);
  }

  /// Sets the function that the storage calls as `on_drop(key, expired)` for each entry that it
  /// drops to make room or after expiry. The thread that drops the entry makes the call, and holds
  /// no lock of the storage, so `on_drop` may call the storage. It must not throw, and must not
  /// store every dropped entry again. Do not set `on_drop` while another thread uses the storage.
  void on_drop(std::function<void(std::string_view key, bool expired)> on_drop) {
    on_drop_ = std::move(on_drop);
  }

  /// Stores `entry` under `key`, as the most recently used entry. Drops entries that were not used
  /// for a long time while there are too many entries or they need too much memory.
  void store(std::string_view key, const cache_entry& entry, time_point now);

  /// Drops the entry of `key`, if there is one.
  void erase(std::string_view key);

  /// Drops every entry.
  void clear();

  /// Drops the expired entries, and returns their number. Takes linear time. Other calls wait for a
  /// part of it at most.
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
  struct state;
  struct dropped;

  bool visit_entry(std::string_view key, time_point now,
                   void (*look)(void* context, const cache_entry& entry), void* context);
  void drop_if_expired(const store_detail::hashed_key& wanted, time_point now);

  std::unique_ptr<state> state_;
  std::function<void(std::string_view, bool)> on_drop_;
};

}  // namespace robots::detail

namespace robots {

/// Keeps the `Capacity` most recently used sites in this process's memory.
///
/// Every operation except `clear` and `remove_expired` takes constant time on average. Memory is
/// bounded, too: by default, the entries use at most 256 MiB (see `memory_bytes`). The storage does
/// not keep an entry that alone exceeds the limit, or whose key exceeds 65,535 octets. Then each
/// call fetches robots.txt again.
///
/// To make room, the storage drops the least recently used of the next 64 entries. So the order is
/// that of an exact LRU up to a capacity of 64. Above, the share of hits differs from that of an
/// exact LRU by less than one percentage point. In a large storage, uses within 17 ms (of the `now`
/// of `find`) count as simultaneous.
///
/// Calls of `find` and `visit` do not wait for each other, except to drop an expired entry. They
/// wait for a running `store`, `erase` or `clear`.
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
#include <robots/store/lru_storage.bodies.hpp>
#endif

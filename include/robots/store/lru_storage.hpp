#pragma once

#include <robots/base/fetch_ahead.hpp>
#include <robots/store/detail/eviction_order.hpp>
#include <robots/store/detail/node_table.hpp>
#include <robots/store/detail/striped_mutex.hpp>
#include <robots/store/detail/use_steps.hpp>
#include <robots/store/storage.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <shared_mutex>
#include <string_view>
#include <utility>

namespace robots {

/// What a `LruStorage` does, whatever its capacity.
class lru_storage_base {
 public:
  /// The entry of `key`, which becomes the most recently used one.
  [[nodiscard]] std::optional<cache_entry> find(std::string_view key, time_point now);

  /// Calls `look` with the entry of `key`, which becomes the most recently used one; false when
  /// there is none. As `find`, without a copy: `look` runs while nothing can be stored, so it
  /// should be short and must not call this storage.
  template <class F>
    requires std::invocable<F, const cache_entry&>
  bool visit(std::string_view key, time_point now, F&& look) {
    const hashed wanted{key};
    {
      const std::shared_lock lock{mutex_};
      node* const kept = table_.find(wanted);
      if (kept == nullptr) {
        return false;
      }
      base::fetch_ahead(kept->rules);
      if (now < kept->value.keep_until) {
        steps_.touch(kept->used, now);
        std::forward<F>(look)(std::as_const(kept->value));
        return true;
      }
    }
    drop_if_over(wanted, now);
    return false;
  }

  /// Calls `told(key, expired)` with each entry that is dropped from now on: because its time was
  /// over, or for want of room. From the thread that stores or finds, when what it stores is there;
  /// it may call this storage, and does not throw. Storing all that it is told of would never end.
  /// Not while another thread uses the storage.
  void on_drop(std::function<void(std::string_view key, bool expired)> told) {
    told_ = std::move(told);
  }

  /// Keeps `entry` under `key` as the most recently used one. While that is too much, the least
  /// recently used ones go.
  void store(std::string_view key, const cache_entry& entry, time_point now);

  /// Drops the entry of `key`, if there is one.
  void erase(std::string_view key);

  /// Drops every entry.
  void clear();

  /// Drops the entries whose time is over, and returns their number. Linear in the entries; nothing
  /// can be stored or found meanwhile.
  std::size_t remove_expired(time_point now);

  /// Number of entries kept, those included whose time is over and that nobody has asked for since.
  [[nodiscard]] std::size_t size() const;

  /// Number of entries dropped for want of room since construction.
  [[nodiscard]] std::uint64_t evictions() const;

  /// Octets of memory that the entries hold, by `policy::memory_bytes`.
  [[nodiscard]] std::size_t memory_bytes() const;

 protected:
  /// Keeps `capacity` entries, above 0, and no more than about `max_bytes` octets of memory. Throws
  /// `std::invalid_argument` when that is 0.
  lru_storage_base(std::size_t capacity, std::size_t max_bytes);
  /// Takes over what `other` keeps, which is of the same capacity. Neither may be in use by another
  /// thread meanwhile.
  lru_storage_base(lru_storage_base&& other) noexcept;
  /// The same, in place of what this one keeps.
  lru_storage_base& operator=(lru_storage_base&& other) noexcept;
  ~lru_storage_base();

 private:
  using node = store_detail::entry_node;
  using hashed = store_detail::hashed_key;
  struct dropped;

  void take(lru_storage_base& other) noexcept;

  /// What the node held, which is vacant from now on.
  [[nodiscard]] cache_entry take_out(node& kept) noexcept;

  void drop_if_over(const hashed& wanted, time_point now);

  mutable store_detail::striped_mutex mutex_;
  store_detail::node_table table_;
  store_detail::use_steps steps_;
  store_detail::eviction_order order_;
  std::uint64_t evictions_ = 0;
  std::size_t bytes_ = 0;
  std::size_t capacity_;
  std::size_t max_bytes_;
  std::function<void(std::string_view, bool)> told_;
};

/// Keeps the `Capacity` sites that were asked for last, in this process's memory.
///
/// SPYDER's cache: 4,096 hosts, the least recently used one goes first, and each entry leaves when
/// its time is over. Every operation but `clear` takes constant time on average.
///
/// Memory is bounded, too, by `policy::memory_bytes` of what is kept: 256 MiB, if not said
/// otherwise. So sites with files of the greatest size cost others their place, but no more memory.
/// An entry that is larger than all that is not kept: its site is fetched for each call.
///
/// Threads that find do not wait for one another: `store`, `erase` and `clear` lock everyone out,
/// `find` and `visit` only them. For that, the order of use is kept in steps: an entry knows in
/// which step it was last used, and a new step begins with every `store` and with every 17 ms of
/// the time that `find` is told. Eviction order is exact between steps; within one step (17 ms) any
/// entry may go first.
template <std::size_t Capacity>
class LruStorage : public lru_storage_base {
  static_assert(Capacity > 0, "LruStorage<0> could keep nothing: name a capacity of at least 1");

 public:
  /// Nothing is kept yet, and no memory is taken for it.
  LruStorage() noexcept : LruStorage(std::size_t{256} << 20) {}

  /// Keeps no more than about `max_bytes` octets of memory. Throws `std::invalid_argument` when
  /// that is 0.
  explicit LruStorage(std::size_t max_bytes) : lru_storage_base(Capacity, max_bytes) {}

  /// The most entries that are kept.
  [[nodiscard]] static constexpr std::size_t capacity() noexcept { return Capacity; }
};

static_assert(Storage<LruStorage<1>>);
static_assert(VisitableStorage<LruStorage<1>>);

}  // namespace robots

#ifndef ROBOTS_COMPILED
#include <robots/store/lru_storage.ipp>
#endif

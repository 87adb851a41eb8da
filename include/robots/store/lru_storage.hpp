#pragma once

#include <robots/base/fetch_ahead.hpp>
#include <robots/policy/policy.hpp>
#include <robots/store/detail/eviction_order.hpp>
#include <robots/store/detail/node_table.hpp>
#include <robots/store/detail/striped_mutex.hpp>
#include <robots/store/detail/use_steps.hpp>
#include <robots/store/storage.hpp>

#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace robots {

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
class LruStorage {
  static_assert(Capacity > 0, "LruStorage<0> could keep nothing: name a capacity of at least 1");

 public:
  /// Nothing is kept yet, and no memory is taken for it.
  LruStorage() = default;

  /// Keeps no more than about `max_bytes` octets of memory. Throws `std::invalid_argument` when
  /// that is 0.
  explicit LruStorage(std::size_t max_bytes) : max_bytes_(max_bytes) {
    if (max_bytes == 0) {
      throw std::invalid_argument{"LruStorage: max_bytes is 0: nothing could be kept"};
    }
  }

  /// Takes over what `other` keeps. Neither may be in use by another thread meanwhile.
  LruStorage(LruStorage&& other) noexcept { take(other); }

  /// Takes over what `other` keeps. Neither may be in use by another thread meanwhile.
  LruStorage& operator=(LruStorage&& other) noexcept {
    if (this != &other) {
      take(other);
    }
    return *this;
  }

  ~LruStorage() = default;

  /// The entry of `key`, which becomes the most recently used one.
  [[nodiscard]] std::optional<cache_entry> find(std::string_view key, time_point now) {
    std::optional<cache_entry> found;
    visit(key, now, [&found](const cache_entry& kept) { found = kept; });
    return found;
  }

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
  void store(std::string_view key, const cache_entry& entry, time_point /*now*/) {
    const std::size_t bytes =
        sizeof(node) + key.size() + (entry.policy ? entry.policy->memory_bytes() : 0);
    if (bytes > max_bytes_) {
      return erase(key);
    }
    const hashed wanted{key};
    cache_entry value = entry;  // in the end what it replaces
    dropped gone{*this};
    const std::scoped_lock lock{mutex_};
    node* kept = table_.find(wanted);
    const std::size_t replaced = kept != nullptr ? kept->bytes : 0;
    if (kept != nullptr) {
      kept->used = steps_.next();  // so that it is not among those that go
    }
    while (bytes_ - replaced + bytes > max_bytes_ ||
           (kept == nullptr && table_.size() == Capacity)) {
      gone.take_oldest();
    }
    if (kept == nullptr) {
      kept = &table_.add(wanted);
      kept->used = steps_.next();
    }
    std::swap(kept->value, value);
    kept->rules = entry.policy ? entry.policy->rules().block() : nullptr;
    bytes_ += bytes - std::exchange(kept->bytes, bytes);
  }

  /// Drops the entry of `key`, if there is one.
  void erase(std::string_view key) {
    const hashed wanted{key};
    cache_entry gone;  // destroyed after the lock is given back
    const std::scoped_lock lock{mutex_};
    if (node* const kept = table_.find(wanted)) {
      gone = take_out(*kept);
    }
  }

  /// Drops every entry.
  void clear() {
    store_detail::node_table gone;  // destroyed after the lock is given back
    const std::scoped_lock lock{mutex_};
    std::swap(table_, gone);
    order_.clear();
    bytes_ = 0;
  }

  /// Number of entries kept, those included whose time is over and that nobody has asked for since.
  [[nodiscard]] std::size_t size() const {
    const std::shared_lock lock{mutex_};
    return table_.size();
  }

  /// Number of entries dropped for want of room since construction.
  [[nodiscard]] std::uint64_t evictions() const {
    const std::shared_lock lock{mutex_};
    return evictions_;
  }

  /// Octets of memory that the entries hold, by `policy::memory_bytes`.
  [[nodiscard]] std::size_t memory_bytes() const {
    const std::shared_lock lock{mutex_};
    return bytes_;
  }

  /// The most entries that are kept.
  [[nodiscard]] static constexpr std::size_t capacity() noexcept { return Capacity; }

 private:
  using node = store_detail::entry_node;
  using hashed = store_detail::hashed_key;

  void take(LruStorage& other) noexcept {
    table_ = std::exchange(other.table_, {});
    order_ = std::exchange(other.order_, {});
    steps_.take(other.steps_);
    evictions_ = other.evictions_;
    bytes_ = std::exchange(other.bytes_, 0);
    max_bytes_ = other.max_bytes_;
    told_ = std::exchange(other.told_, {});
  }

  /// Entries that are dropped: told of and destroyed after the lock is given back.
  struct dropped {
    explicit dropped(LruStorage& storage, bool expired = false) : from{storage}, over{expired} {}
    dropped(const dropped&) = delete;
    dropped& operator=(const dropped&) = delete;
    ~dropped() {
      for (const auto& [key, entry] : entries) {
        if (from.told_) {
          from.told_(key, over);
        }
      }
    }

    /// Changes nothing when it throws for want of memory.
    void take(node& kept) {
      base::fetch_ahead<sizeof(policy)>(kept.value.policy.get());
      const auto key = from.told_ ? kept.key.view() : std::string_view{};
      auto& taken = entries.emplace_back(key, cache_entry{});
      taken.second = from.take_out(kept);
    }
    void take_oldest() {
      take(from.table_.at(from.order_.oldest(from.table_.slots(), [this](std::size_t slot) {
        return from.table_.at(slot).used.load(std::memory_order_relaxed);
      })));
      ++from.evictions_;
    }

    LruStorage& from;
    bool over;
    std::vector<std::pair<std::string, cache_entry>> entries{};
  };

  /// What the node held, which is vacant from now on.
  [[nodiscard]] cache_entry take_out(node& kept) noexcept {
    bytes_ -= kept.bytes;
    table_.remove(kept);
    return std::exchange(kept.value, {});
  }

  void drop_if_over(const hashed& wanted, time_point now) {
    dropped gone{*this, true};
    const std::scoped_lock lock{mutex_};
    node* const kept = table_.find(wanted);
    if (kept != nullptr && now >= kept->value.keep_until) {
      gone.take(*kept);
    }
  }

  mutable store_detail::striped_mutex mutex_;
  store_detail::node_table table_;
  store_detail::use_steps steps_;
  store_detail::eviction_order order_;
  std::uint64_t evictions_ = 0;
  std::size_t bytes_ = 0;
  std::size_t max_bytes_ = std::size_t{256} << 20;
  std::function<void(std::string_view, bool)> told_;
};

static_assert(Storage<LruStorage<1>>);
static_assert(VisitableStorage<LruStorage<1>>);

}  // namespace robots

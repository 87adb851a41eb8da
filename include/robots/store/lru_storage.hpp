#pragma once

#include <robots/base/text_hash.hpp>
#include <robots/policy/policy.hpp>
#include <robots/store/detail/eviction_order.hpp>
#include <robots/store/detail/inline_text.hpp>
#include <robots/store/detail/striped_mutex.hpp>
#include <robots/store/detail/use_steps.hpp>
#include <robots/store/storage.hpp>

#include <boost/unordered/unordered_flat_set.hpp>

#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
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
      const auto found = index_.find(wanted);
      if (found == index_.end()) {
        return false;
      }
      node& kept = **found;
      if (now < kept.value.keep_until) {
        steps_.touch(kept.used, now);
        std::forward<F>(look)(std::as_const(kept.value));
        return true;
      }
    }
    drop_if_over(wanted, now);
    return false;
  }

  /// Calls `told(key, expired)` with each entry that is dropped from now on: because its time was
  /// over, or for want of room. From the thread that stores or finds; it may call this storage, and
  /// does not throw. Not while another thread uses the storage.
  void on_drop(std::function<void(std::string_view key, bool expired)> told) {
    dropped_ = std::move(told);
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
    cache_entry value = entry;  // in the end what had to go, destroyed after the lock is given back
    std::vector<std::string> gone;
    std::unique_lock lock{mutex_};
    auto found = index_.find(wanted);
    while (bytes_ - (found != index_.end() ? (*found)->bytes : 0) + bytes > max_bytes_) {
      evict_oldest(gone).value = {};
      found = index_.find(wanted);
    }
    node& kept = found != index_.end() ? **found : add(wanted, gone);
    std::swap(kept.value, value);
    kept.used = steps_.next();
    bytes_ += bytes - std::exchange(kept.bytes, bytes);
    lock.unlock();
    for (const std::string& each : gone) {
      dropped_(each, false);
    }
  }

  /// Drops the entry of `key`, if there is one.
  void erase(std::string_view key) {
    const hashed wanted{key};
    cache_entry gone;  // destroyed after the lock is given back
    const std::scoped_lock lock{mutex_};
    if (const auto found = index_.find(wanted); found != index_.end()) {
      gone = std::exchange((*found)->value, {});
      vacate(**found);
    }
  }

  /// Drops every entry.
  void clear() {
    std::vector<std::unique_ptr<node>> gone;  // destroyed after the lock is given back
    const std::scoped_lock lock{mutex_};
    index_.clear();
    order_.clear();
    vacant_.clear();
    gone.swap(nodes_);
    bytes_ = 0;
  }

  /// Number of entries kept, those included whose time is over and that nobody has asked for since.
  [[nodiscard]] std::size_t size() const {
    const std::shared_lock lock{mutex_};
    return index_.size();
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
  /// A key and its hash, which is taken before the lock.
  struct hashed {
    explicit hashed(std::string_view key) noexcept : text(key), hash(base::text_hash{}(key)) {}

    std::string_view text;
    std::size_t hash;
  };

  /// Two cache lines that processors fetch as a pair: all that a look-up reads but the policy.
  struct alignas(128) node {
    store_detail::use_steps::stamp used = 0;  // 0 while the node is vacant
    cache_entry value;
    std::size_t bytes = 0;              // of memory
    store_detail::inline_text<64> key;  // long enough for nearly all sites
  };

  struct hash {
    using is_transparent = void;
    [[nodiscard]] std::size_t operator()(const hashed& key) const noexcept { return key.hash; }
    [[nodiscard]] std::size_t operator()(const node* kept) const noexcept {
      return base::text_hash{}(kept->key.view());
    }
  };

  struct equal {
    using is_transparent = void;
    [[nodiscard]] bool operator()(const node* a, const node* b) const noexcept {
      return a->key.view() == b->key.view();
    }
    [[nodiscard]] bool operator()(const hashed& key, const node* kept) const noexcept {
      return key.text == kept->key.view();
    }
    [[nodiscard]] bool operator()(const node* kept, const hashed& key) const noexcept {
      return key.text == kept->key.view();
    }
  };

  void take(LruStorage& other) noexcept {
    nodes_ = std::exchange(other.nodes_, {});
    vacant_ = std::exchange(other.vacant_, {});
    index_ = std::move(other.index_);
    other.index_.clear();
    order_ = std::exchange(other.order_, {});
    steps_.take(other.steps_);
    evictions_ = other.evictions_;
    bytes_ = std::exchange(other.bytes_, 0);
    max_bytes_ = other.max_bytes_;
    dropped_ = std::exchange(other.dropped_, {});
  }

  /// A node for a key that is not kept yet, in place of the oldest one where need be.
  [[nodiscard]] node& add(const hashed& wanted, std::vector<std::string>& gone) {
    if (index_.size() == Capacity) {
      evict_oldest(gone);
    }
    if (vacant_.empty()) {
      if (vacant_.capacity() <= nodes_.size()) {
        vacant_.reserve(2 * nodes_.size() + 1);  // so that no vacating allocates
      }
      nodes_.push_back(std::make_unique<node>());
      vacant_.push_back(nodes_.back().get());
    }
    node& chosen = *vacant_.back();
    chosen.key = wanted.text;
    index_.insert(&chosen);
    vacant_.pop_back();
    return chosen;
  }

  /// The node of the entry that had to go, with its value. Notes its key, if that is to be told.
  node& evict_oldest(std::vector<std::string>& gone) {
    node& oldest = *nodes_[order_.oldest(nodes_.size(), [this](std::size_t slot) {
      return nodes_[slot]->used.load(std::memory_order_relaxed);
    })];
    if (dropped_) {
      gone.emplace_back(oldest.key.view());
    }
    vacate(oldest);
    ++evictions_;
    return oldest;
  }

  void vacate(node& kept) noexcept {
    index_.erase(&kept);
    kept.used = 0;
    bytes_ -= std::exchange(kept.bytes, 0);
    vacant_.push_back(&kept);
  }

  void drop_if_over(const hashed& wanted, time_point now) {
    cache_entry gone;  // destroyed after the lock is given back
    std::unique_lock lock{mutex_};
    const auto found = index_.find(wanted);
    if (found == index_.end() || now < (*found)->value.keep_until) {
      return;
    }
    gone = std::exchange((*found)->value, {});
    vacate(**found);
    lock.unlock();
    if (dropped_) {
      dropped_(wanted.text, true);
    }
  }

  mutable store_detail::striped_mutex mutex_;
  std::vector<std::unique_ptr<node>> nodes_;  // which stay where they are, and are used again
  std::vector<node*> vacant_;
  boost::unordered_flat_set<node*, hash, equal> index_;
  store_detail::use_steps steps_;
  store_detail::eviction_order order_;
  std::uint64_t evictions_ = 0;
  std::size_t bytes_ = 0;
  std::size_t max_bytes_ = std::size_t{256} << 20;
  std::function<void(std::string_view, bool)> dropped_;
};

static_assert(Storage<LruStorage<1>>);
static_assert(VisitableStorage<LruStorage<1>>);

}  // namespace robots

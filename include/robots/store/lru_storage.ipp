#pragma once

#include <robots/base/fetch_ahead.hpp>
#include <robots/base/inline.hpp>
#include <robots/policy/policy.hpp>
#include <robots/store/lru_storage.hpp>

#include <atomic>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

namespace robots {

/// Entries that are dropped: told of and destroyed after the lock is given back.
struct lru_storage_base::dropped {
  explicit dropped(lru_storage_base& storage, bool expired = false)
      : from{storage}, over{expired} {}
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

  lru_storage_base& from;
  bool over;
  std::vector<std::pair<std::string, cache_entry>> entries{};
};

ROBOTS_INLINE lru_storage_base::lru_storage_base(std::size_t capacity, std::size_t max_bytes)
    : capacity_(capacity), max_bytes_(max_bytes) {
  if (max_bytes == 0) {
    throw std::invalid_argument{"LruStorage: max_bytes is 0: nothing could be kept"};
  }
}

ROBOTS_INLINE lru_storage_base::lru_storage_base(lru_storage_base&& other) noexcept
    : capacity_(other.capacity_), max_bytes_(other.max_bytes_) {
  take(other);
}

ROBOTS_INLINE lru_storage_base& lru_storage_base::operator=(lru_storage_base&& other) noexcept {
  if (this != &other) {
    take(other);
  }
  return *this;
}

ROBOTS_INLINE lru_storage_base::~lru_storage_base() = default;

ROBOTS_INLINE std::optional<cache_entry> lru_storage_base::find(std::string_view key,
                                                                time_point now) {
  std::optional<cache_entry> found;
  visit(key, now, [&found](const cache_entry& kept) { found = kept; });
  return found;
}

ROBOTS_INLINE void lru_storage_base::store(std::string_view key, const cache_entry& entry,
                                           time_point /*now*/) {
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
         (kept == nullptr && table_.size() == capacity_)) {
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

ROBOTS_INLINE void lru_storage_base::erase(std::string_view key) {
  const hashed wanted{key};
  cache_entry gone;  // destroyed after the lock is given back
  const std::scoped_lock lock{mutex_};
  if (node* const kept = table_.find(wanted)) {
    gone = take_out(*kept);
  }
}

ROBOTS_INLINE void lru_storage_base::clear() {
  store_detail::node_table gone;  // destroyed after the lock is given back
  const std::scoped_lock lock{mutex_};
  std::swap(table_, gone);
  order_.clear();
  bytes_ = 0;
}

ROBOTS_INLINE std::size_t lru_storage_base::remove_expired(time_point now) {
  dropped gone{*this, true};
  const std::scoped_lock lock{mutex_};
  for (std::size_t slot = 0; slot < table_.slots(); ++slot) {
    node& kept = table_.at(slot);
    if (kept.used != 0 && now >= kept.value.keep_until) {
      gone.take(kept);
    }
  }
  return gone.entries.size();
}

ROBOTS_INLINE std::size_t lru_storage_base::size() const {
  const std::shared_lock lock{mutex_};
  return table_.size();
}

ROBOTS_INLINE std::uint64_t lru_storage_base::evictions() const {
  const std::shared_lock lock{mutex_};
  return evictions_;
}

ROBOTS_INLINE std::size_t lru_storage_base::memory_bytes() const {
  const std::shared_lock lock{mutex_};
  return bytes_;
}

ROBOTS_INLINE void lru_storage_base::take(lru_storage_base& other) noexcept {
  table_ = std::exchange(other.table_, {});
  order_ = std::exchange(other.order_, {});
  steps_.take(other.steps_);
  evictions_ = other.evictions_;
  bytes_ = std::exchange(other.bytes_, 0);
  max_bytes_ = other.max_bytes_;
  told_ = std::exchange(other.told_, {});
}

ROBOTS_INLINE cache_entry lru_storage_base::take_out(node& kept) noexcept {
  bytes_ -= kept.bytes;
  table_.remove(kept);
  return std::exchange(kept.value, {});
}

ROBOTS_INLINE void lru_storage_base::drop_if_over(const hashed& wanted, time_point now) {
  dropped gone{*this, true};
  const std::scoped_lock lock{mutex_};
  node* const kept = table_.find(wanted);
  if (kept != nullptr && now >= kept->value.keep_until) {
    gone.take(*kept);
  }
}

}  // namespace robots

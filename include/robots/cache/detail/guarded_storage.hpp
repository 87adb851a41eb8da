#pragma once

#include <robots/store/storage.hpp>
#include <robots/time/clock.hpp>

#include <atomic>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

namespace robots::cache_detail {

/// A storage of which what it throws is counted and goes no further.
template <Storage S>
class guarded_storage {
 public:
  explicit guarded_storage(S storage) : storage_(std::move(storage)) {}

  /// Calls `look` with the entry of `key`, if there is one.
  template <class Look>
  void visit(std::string_view key, time_point now, const Look& look) noexcept {
    try {
      if constexpr (VisitableStorage<S>) {
        static_cast<void>(storage_.visit(key, now, look));
      } else if (const std::optional<cache_entry> kept = storage_.find(key, now)) {
        look(*kept);
      }
    } catch (...) {
      ++failures_;
    }
  }

  /// The entry of `key`; one without a policy when there is none.
  [[nodiscard]] cache_entry find(std::string_view key, time_point now) noexcept {
    cache_entry entry;
    visit(key, now, [&entry](const cache_entry& kept) { entry = kept; });
    return entry;
  }

  /// Keeps `entry` under `key`, if the storage can.
  void store(std::string_view key, const cache_entry& entry, time_point now) noexcept {
    try {
      storage_.store(key, entry, now);
    } catch (...) {
      ++failures_;
    }
  }

  /// Drops the entry of `key`, if the storage can.
  void try_erase(std::string_view key) noexcept {
    try {
      storage_.erase(key);
    } catch (...) {
      ++failures_;
    }
  }

  /// How often the storage threw.
  [[nodiscard]] std::uint64_t failures() const noexcept { return failures_; }

  /// The storage itself, for those who want to know what it throws.
  [[nodiscard]] S& bare() noexcept { return storage_; }
  [[nodiscard]] const S& bare() const noexcept { return storage_; }

 private:
  S storage_;
  std::atomic<std::uint64_t> failures_ = 0;
};

}  // namespace robots::cache_detail

#pragma once

#include <robots/base/hash.hpp>

#include <chrono>
#include <cstddef>
#include <functional>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace robots::base {

/// A table of data about sites, by key, with a bounded size.
///
/// The caller passes a function `until(value)`, which returns the time from which the table may
/// forget the value. While the result is `time_point::max()`, only `erase` removes the value. The
/// table calls `until` for a few values at each insertion, so its size stays near the number of
/// values that must be remembered. A value never moves. Each call takes amortised logarithmic time.
template <class Value>
class site_table {
 public:
  using time_point = std::chrono::steady_clock::time_point;

  explicit site_table(std::size_t capacity) : capacity_{capacity} {}
  site_table(const site_table&) = delete;
  site_table& operator=(const site_table&) = delete;

  [[nodiscard]] Value* find(std::string_view key) noexcept {
    return const_cast<Value*>(std::as_const(*this).find(key));
  }
  [[nodiscard]] const Value* find(std::string_view key) const noexcept {
    const auto found = sites_.find(key);
    return found == sites_.end() ? nullptr : &found->second;
  }

  /// Returns the value of a key. If the table lacks the key, first adds the key with a new value.
  /// Returns null if the table is full and finds no value to forget.
  ///
  /// A full table calls `until` for up to 256 values, and forgets the first value whose result is
  /// not after `now`. If all results are after `now`, the table forgets a value whose result is
  /// after `latest`, but before `time_point::max()`.
  template <class Until>
  [[nodiscard]] Value* find_or_add(std::string_view key, time_point now, const Until& until,
                                   time_point latest = (time_point::max)()) {
    if (Value* const found = find(key)) {
      return found;
    }
    make_room(now, until, latest);
    if (sites_.size() >= capacity_) {
      return nullptr;
    }
    const auto added = sites_.try_emplace(std::string{key}).first;
    try {
      added->second.place = order_.emplace(now, &*added);
    } catch (...) {
      sites_.erase(added);
      throw;
    }
    return &added->second;
  }

  /// Updates the table after `until(value)` has become earlier. `when` is the new result.
  void forget_after(Value& value, time_point when) noexcept {
    if (site& entry = static_cast<site&>(value); when < entry.place->first) {
      move(entry, when);
    }
  }

  [[nodiscard]] static const std::string& key_of(const Value& value) noexcept {
    return static_cast<const site&>(value).place->second->first;
  }

  bool erase(std::string_view key) noexcept {
    const auto found = sites_.find(key);
    if (found == sites_.end()) {
      return false;
    }
    order_.erase(found->second.place);
    sites_.erase(found);
    return true;
  }

  [[nodiscard]] std::size_t size() const noexcept { return sites_.size(); }
  /// Calls `visit(key, value)` for each site, in no particular order.
  template <class Visit>
  void for_each(const Visit& visit) const {
    for (const auto& [key, entry] : sites_) {
      visit(key, static_cast<const Value&>(entry));
    }
  }

 private:
  struct site;
  using entry_type = std::pair<const std::string, site>;
  /// The sites, sorted by an estimate of `until(value)`. The estimate is never later than
  /// `until(value)`.
  using order = std::multimap<time_point, entry_type*>;

  struct site : Value {
    typename order::iterator place{};
  };

  template <class Until>
  void make_room(time_point now, const Until& until, time_point latest) {
    const bool full = sites_.size() >= capacity_;
    // These limits bound the work of one call, even if many values have changed.
    for (int looks = full ? 256 : 4; looks > 0 && !order_.empty() && order_.begin()->first <= now;
         --looks) {
      entry_type* const entry = order_.begin()->second;
      const time_point end = until(std::as_const(entry->second));
      if (end > now) {
        move(entry->second, end);
        continue;
      }
      erase(entry->first);
      if (full) {
        return;
      }
    }
    for (int looks = full ? 256 : 0; looks > 0; --looks) {
      const auto further_notice = order_.lower_bound((time_point::max)());
      if (further_notice == order_.begin()) {
        return;
      }
      const auto& [last, entry] = *std::prev(further_notice);
      if (last <= latest) {
        return;
      }
      const time_point end = until(std::as_const(entry->second));
      if (end > latest && end < (time_point::max)()) {
        erase(entry->first);
        return;
      }
      move(entry->second, end);
    }
  }

  void move(site& entry, time_point when) noexcept {
    auto node = order_.extract(entry.place);
    node.key() = when;
    entry.place = order_.insert(std::move(node));
  }

  std::size_t capacity_;
  std::unordered_map<std::string, site, text_hash, std::equal_to<>> sites_;
  order order_;
};

}  // namespace robots::base

#pragma once

#include <robots/base/site_nodes.hpp>

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
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
  using time_point = site_nodes::time_point;

  explicit site_table(std::size_t capacity) : nodes_{capacity} {}
  site_table(const site_table&) = delete;
  site_table& operator=(const site_table&) = delete;

  [[nodiscard]] Value* find(std::string_view key) noexcept {
    return static_cast<site*>(nodes_.find(key));
  }
  [[nodiscard]] const Value* find(std::string_view key) const noexcept {
    return static_cast<const site*>(nodes_.find(key));
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
    if (!nodes_.make_room(now, latest, {static_cast<const void*>(&until), &call<Until>})) {
      return nullptr;
    }
    auto added = std::make_unique<site>(key);
    Value& value = *added;
    nodes_.add(std::move(added), now);
    return &value;
  }

  /// Updates the table after `until(value)` has become earlier. `when` is the new result.
  void forget_after(Value& value, time_point when) noexcept {
    nodes_.forget_after(static_cast<site&>(value), when);
  }

  [[nodiscard]] static const std::string& key_of(const Value& value) noexcept {
    return static_cast<const site_nodes::node&>(static_cast<const site&>(value)).key;
  }

  bool erase(std::string_view key) noexcept {
    const site_nodes::node* const found = nodes_.find(key);
    if (found == nullptr) {
      return false;
    }
    nodes_.erase(*found);
    return true;
  }

  [[nodiscard]] std::size_t size() const noexcept { return nodes_.size(); }
  /// Calls `visit(key, value)` for each site, in no particular order.
  template <class Visit>
  void for_each(const Visit& visit) const {
    for (const site_nodes::node* next = nodes_.first(); next != nullptr;
         next = nodes_.after(*next)) {
      visit(next->key, value_of(*next));
    }
  }

 private:
  struct site final : site_nodes::node, Value {
    explicit site(std::string_view own_key) : site_nodes::node(own_key), Value{} {}
  };

  [[nodiscard]] static const Value& value_of(const site_nodes::node& entry) noexcept {
    return static_cast<const site&>(entry);
  }

  template <class Until>
  [[nodiscard]] static time_point call(const void* until, const site_nodes::node& entry) {
    return (*static_cast<const Until*>(until))(value_of(entry));
  }

  site_nodes nodes_;
};

}  // namespace robots::base

#pragma once

#include <robots/base/hash.hpp>

#include <boost/unordered/unordered_flat_map.hpp>

#include <chrono>
#include <cstddef>
#include <functional>
#include <iterator>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace robots::base {

/// A site in a `site_table`. All tables share this type, so that a source file compiles their
/// containers only once.
struct remembered_site {
  remembered_site() = default;
  remembered_site(const remembered_site&) = delete;
  remembered_site& operator=(const remembered_site&) = delete;
  virtual ~remembered_site() = default;

  std::string key;
  std::chrono::steady_clock::time_point
      until{};  // the last result of `until(value)`; the next result can be later, but not earlier
};

/// Orders sites by the time until which they must be remembered.
struct forgotten_sooner {
  using is_transparent = void;
  using time_point = std::chrono::steady_clock::time_point;

  bool operator()(const remembered_site* a, const remembered_site* b) const noexcept {
    return a->until != b->until ? a->until < b->until : std::less<>{}(a, b);
  }
  bool operator()(const remembered_site* a, time_point b) const noexcept { return a->until < b; }
  bool operator()(time_point a, const remembered_site* b) const noexcept { return a < b->until; }
};

/// A table of data about sites, by key, with a bounded size. The table forgets values that need not
/// be remembered any more, the value with the earliest end first.
///
/// The owner has a function `until(value)`, which returns the time until which a value must be
/// remembered. `time_point::max()` means "until further notice". The table calls `until` for a few
/// values at each insertion, and for more values if it is full. So the size of the table stays near
/// the number of values that must be remembered. A value keeps its address while it is remembered.
/// Each call takes amortised logarithmic time. Only one thread at a time may use a table.
template <class Value>
class site_table {
 public:
  using time_point = std::chrono::steady_clock::time_point;

  /// Holds at most `capacity` sites.
  explicit site_table(std::size_t capacity) : capacity_{capacity} {}

  /// Returns the value of a key, or null if the key is unknown. Takes constant time.
  [[nodiscard]] Value* find(std::string_view key) noexcept {
    const auto found = sites_.find(key);
    return found == sites_.end() ? nullptr : &of(*found->second);
  }
  [[nodiscard]] const Value* find(std::string_view key) const noexcept {
    const auto found = sites_.find(key);
    return found == sites_.end() ? nullptr : &of(*found->second);
  }

  /// Returns the value of a key. Adds a value if the key is unknown. Returns null if the table
  /// stays full.
  ///
  /// A full table first examines up to 256 values, and forgets one that need not be remembered at
  /// `now`. Otherwise it forgets the value with the latest end, if this end is after `latest`. It
  /// never forgets a value that must be remembered until further notice.
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
    std::unique_ptr<remembered_site> added = std::make_unique<site>();
    remembered_site& entry = *added;
    entry.key = key;
    entry.until = now;
    order_.insert(&entry);
    try {
      // A failed `emplace` could destroy `added`, to which `order_` still points.
      sites_.emplace(std::string_view{entry.key}, nullptr).first->second = std::move(added);
    } catch (...) {
      order_.erase(&entry);
      throw;
    }
    return &of(entry);
  }

  /// Notes that `until(value)` has become `when`, which is earlier than before.
  void forget_after(Value& value, time_point when) noexcept {
    remembered_site& entry = static_cast<site&>(value);
    if (when < entry.until) {
      move(entry, when);
    }
  }

  /// Returns the key of a value in the table.
  [[nodiscard]] static const std::string& key_of(const Value& value) noexcept {
    const remembered_site& entry = static_cast<const site&>(value);
    return entry.key;
  }

  /// Forgets a site. Returns true if the site was in the table.
  bool erase(std::string_view key) noexcept {
    const auto found = sites_.find(key);
    if (found == sites_.end()) {
      return false;
    }
    const std::unique_ptr<remembered_site> last{
        std::move(found->second)};  // `key` can be a view of its key
    order_.erase(last.get());
    sites_.erase(found);
    return true;
  }

  [[nodiscard]] std::size_t size() const noexcept { return sites_.size(); }

  /// Calls `visit(key, value)` for each site, in no particular order.
  template <class Visit>
  void for_each(const Visit& visit) const {
    for (const auto& [key, entry] : sites_) {
      visit(key, std::as_const(of(*entry)));
    }
  }

 private:
  struct site : Value, remembered_site {};

  [[nodiscard]] static Value& of(remembered_site& entry) noexcept {
    return static_cast<site&>(entry);
  }

  template <class Until>
  void make_room(time_point now, const Until& until, time_point latest) {
    // The limits bound the work of one call, even if many values have changed.
    constexpr int usual = 4;
    constexpr int thorough = 256;
    const bool full = sites_.size() >= capacity_;
    for (int looks = full ? thorough : usual; looks > 0 && !order_.empty(); --looks) {
      remembered_site& soonest = **order_.begin();
      if (soonest.until > now) {
        break;
      }
      if (const time_point needed = until(std::as_const(of(soonest))); needed > now) {
        move(soonest, needed);
        continue;
      }
      erase(soonest.key);
      if (full) {
        return;
      }
    }
    for (int looks = full ? thorough : 0; looks > 0; --looks) {
      const auto further_notice = order_.lower_bound((time_point::max)());
      if (further_notice == order_.begin()) {
        return;
      }
      remembered_site& last = **std::prev(further_notice);
      if (last.until <= latest) {
        return;
      }
      const time_point needed = until(std::as_const(of(last)));
      if (needed > latest && needed < (time_point::max)()) {
        erase(last.key);
        return;
      }
      move(last, needed);
    }
  }

  void move(remembered_site& entry, time_point when) noexcept {
    auto node = order_.extract(&entry);
    entry.until = when;
    order_.insert(std::move(node));
  }

  std::size_t capacity_;
  // Each key is a view of `remembered_site::key`.
  boost::unordered_flat_map<std::string_view, std::unique_ptr<remembered_site>, text_hash,
                            std::equal_to<>>
      sites_;
  std::set<remembered_site*, forgotten_sooner> order_;
};

}  // namespace robots::base

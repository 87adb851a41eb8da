#pragma once

#include <robots/base/hash.hpp>
#include <robots/base/striped_mutex.hpp>
#include <robots/base/text_table.hpp>
#include <robots/http/origin.hpp>
#include <robots/http/site.hpp>
#include <robots/policy/halt_reason.hpp>
#include <robots/rulings/ruled_place.hpp>
#include <robots/rulings/ruling_order.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace robots::rulings_detail {

/// Returns true for a halt by an alarm, and for a quarantine, which nearly always comes from one.
[[nodiscard]] inline bool is_of_alarm(const ruling_order& order) {
  if (order.kind == ruling_kind::halt) {
    return order.is_in_force() && order.value != to_string(halt_reason::by_hand);
  }
  return order.kind == ruling_kind::quarantine && order.is_in_force();
}

/// The rulings in force, for questions about sites.
///
///     may_have(host) ---> four bits for the hash of each host: one load, no lock; almost always
///     "no" find(site) -------> the rulings of the host: a few entries, each with the place it
///     covers
///
/// A bit is never cleared, so a host whose rulings have ended costs searches and nothing else. Any
/// thread may call any member.
class ruling_table {
 public:
  using order_pointer = std::shared_ptr<const ruling_order>;

  /// Returns false if no ruling on the host is in force. Takes constant time, and no lock.
  [[nodiscard]] bool may_have(std::string_view host) const noexcept {
    if (count_.load(std::memory_order_relaxed) == 0) {
      return false;
    }
    const std::uint64_t hash = base::text_hash{}(host);
    const std::uint64_t wanted = bits_of(hash);
    return (bits_[word_of(hash)].load(std::memory_order_relaxed) & wanted) == wanted;
  }

  /// Returns the most precise ruling of `kind` that covers an origin of `asked`. For a site without
  /// a scheme, a ruling on its https origin precedes one on its http origin. Returns null if there
  /// is none.
  [[nodiscard]] order_pointer find(const site& asked, ruling_kind kind) const {
    if (!may_have(asked.host)) {
      return nullptr;
    }
    const std::shared_lock lock{mutex_};
    const std::vector<entry>* const entries = hosts_.find(asked.host);
    if (entries == nullptr) {
      return nullptr;
    }
    for (const origin& one : asked.origins()) {
      const entry* best = nullptr;
      for (const entry& own : *entries) {
        if (own.order->kind == kind && own.place.covers(one) &&
            (best == nullptr || best->place.precision() < own.place.precision())) {
          best = &own;
        }
      }
      if (best != nullptr) {
        return best->order;
      }
    }
    return nullptr;
  }

  /// Returns the rulings of `kind` that share an origin with `named`.
  [[nodiscard]] std::vector<order_pointer> overlapping(const ruled_place& named,
                                                       ruling_kind kind) const {
    std::vector<order_pointer> result;
    const std::shared_lock lock{mutex_};
    if (const std::vector<entry>* const entries = hosts_.find(named.host)) {
      for (const entry& own : *entries) {
        if (own.order->kind == kind && own.place.overlaps(named)) {
          result.push_back(own.order);
        }
      }
    }
    return result;
  }

  /// Returns all rulings in force, sorted by site and kind.
  [[nodiscard]] std::vector<ruling_order> all() const {
    std::vector<ruling_order> result;
    std::shared_lock lock{mutex_};
    hosts_.for_each([&](std::string_view, const std::vector<entry>& entries) {
      for (const entry& own : entries) {
        result.push_back(*own.order);
      }
    });
    lock.unlock();
    std::sort(result.begin(), result.end(), [](const ruling_order& a, const ruling_order& b) {
      return a.site == b.site ? a.kind < b.kind : a.site < b.site;
    });
    return result;
  }

  /// Returns the number of rulings in force.
  [[nodiscard]] std::size_t size() const noexcept { return count_; }
  /// Returns the number of those for which `is_of_alarm` returns true.
  [[nodiscard]] std::size_t alarms() const noexcept { return alarms_; }

  /// Replaces the ruling of the order's site and kind, in one step: no question finds the place
  /// without its ruling in between. An order that ends a ruling removes it. If memory runs out,
  /// throws `std::bad_alloc` and changes nothing.
  void put(ruling_order order) {
    const auto named = parse_site(order.site);
    if (!named) {
      return;
    }
    const std::string& host = named->host;
    const bool begins = order.is_in_force();
    const std::size_t alarms = is_of_alarm(order) ? 1 : 0;
    // Everything that needs memory comes first.
    entry latest{place_of(*named), std::make_shared<const ruling_order>(std::move(order))};
    const auto replaces = [&](const entry& own) {
      return own.order->kind == latest.order->kind && own.order->site == latest.order->site;
    };
    const std::scoped_lock lock{mutex_};
    std::vector<entry>* const listed = begins ? &hosts_[host] : hosts_.find(host);
    if (listed == nullptr) {
      return;
    }
    std::vector<entry>& entries = *listed;
    const auto old = std::find_if(entries.begin(), entries.end(), replaces);
    const std::size_t alarms_before = old != entries.end() && is_of_alarm(*old->order) ? 1 : 0;
    if (begins && old != entries.end()) {
      *old = std::move(latest);
    } else if (begins) {
      entries.push_back(std::move(latest));
      note_one_more(host);
    } else if (old != entries.end()) {
      entries.erase(old);
      --count_;
      if (entries.empty()) {
        hosts_.erase(host);
      }
    }
    alarms_ += alarms - alarms_before;
  }

 private:
  struct entry {
    ruled_place place;
    order_pointer order;
  };

  void note_one_more(std::string_view host) noexcept {
    const std::uint64_t hash = base::text_hash{}(host);
    bits_[word_of(hash)].fetch_or(bits_of(hash));
    ++count_;
  }

  // 64 KiB. With rulings on 10,000 hosts, one of 10,000 other hosts seems to have a ruling.
  static constexpr std::size_t words = 8'192;

  [[nodiscard]] static constexpr std::size_t word_of(std::uint64_t hash) noexcept {
    return static_cast<std::size_t>(hash >> 32U) % words;
  }

  /// Returns the four bits of a host in its word; some can be the same.
  [[nodiscard]] static constexpr std::uint64_t bits_of(std::uint64_t hash) noexcept {
    constexpr std::uint64_t one = 1;
    return one << hash % 64 | one << (hash >> 6U) % 64 | one << (hash >> 12U) % 64 |
           one << (hash >> 18U) % 64;
  }

  mutable base::striped_mutex mutex_;  // guards `hosts_`
  base::text_table<std::vector<entry>> hosts_;
  std::atomic<std::size_t> count_ = 0;
  std::atomic<std::size_t> alarms_ = 0;
  std::array<std::atomic<std::uint64_t>, words> bits_{};
};

}  // namespace robots::rulings_detail

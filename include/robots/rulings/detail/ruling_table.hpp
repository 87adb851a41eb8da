#pragma once

#include <robots/base/striped_mutex.hpp>
#include <robots/base/text_table.hpp>
#include <robots/http/host_filter.hpp>
#include <robots/http/origin.hpp>
#include <robots/http/site.hpp>
#include <robots/policy/halt_reason.hpp>
#include <robots/rulings/ruled_place.hpp>
#include <robots/rulings/ruling_order.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
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
///     may_have(host) ---> a filter: one load, no lock; almost always "no"
///     find(site) -------> the rulings of the host --> the one on the origin of the site, else the
///                         one on its port, else the one on the host
///
/// Any thread may call any member.
class ruling_table {
 public:
  using order_pointer = std::shared_ptr<const ruling_order>;

  /// The hosts with a ruling, also those whose rulings have ended.
  detail::host_filter ruled_hosts{};

  /// Returns false if no ruling on the host is in force. Takes constant time, and no lock.
  [[nodiscard]] bool may_have(std::string_view host) const noexcept {
    return ruled_hosts.may_have(host);
  }

  /// Returns the most precise ruling of `kind` that covers an origin of `asked`. For a site without
  /// a scheme, a ruling on its https origin precedes one on its http origin. Returns null if there
  /// is none.
  [[nodiscard]] order_pointer find(const site& asked, ruling_kind kind) const {
    if (!may_have(asked.host)) {
      return nullptr;
    }
    const std::shared_lock lock{mutex_};
    const places* const rulings = hosts_.find(asked.host);
    if (rulings == nullptr) {
      return nullptr;
    }
    for (const origin& one : asked.origins()) {
      for (const std::uint32_t place :
           {key_of(kind, one.scheme, one.port), key_of(kind, {}, one.port), key_of(kind, {}, 0)}) {
        if (const auto found = rulings->find(place); found != rulings->end()) {
          return found->second;
        }
      }
    }
    return nullptr;
  }

  /// Returns the rulings of `kind` that share an origin with `named`.
  [[nodiscard]] std::vector<order_pointer> overlapping(const ruled_place& named,
                                                       ruling_kind kind) const {
    std::vector<order_pointer> result;
    const std::shared_lock lock{mutex_};
    if (const places* const rulings = hosts_.find(named.host)) {
      for (const auto& [place, order] : *rulings) {
        const auto covered = order->kind == kind ? parse_site(order->site) : std::nullopt;
        if (covered && place_of(*covered).overlaps(named)) {
          result.push_back(order);
        }
      }
    }
    return result;
  }

  /// Returns all rulings in force, sorted by site and kind.
  [[nodiscard]] std::vector<ruling_order> all() const {
    std::vector<ruling_order> result;
    std::shared_lock lock{mutex_};
    hosts_.for_each([&](std::string_view, const places& rulings) {
      for (const auto& [place, order] : rulings) {
        result.push_back(*order);
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
    const ruled_place covered = place_of(*named);
    const std::uint32_t place = key_of(order.kind, covered.scheme, covered.port);
    const bool begins = order.is_in_force();
    const std::size_t alarms = is_of_alarm(order) ? 1 : 0;
    // Everything that needs memory comes before the first change.
    auto latest = std::make_shared<const ruling_order>(std::move(order));
    const std::scoped_lock lock{mutex_};
    places* const listed = hosts_.find(host);
    const auto old = listed != nullptr ? listed->find(place) : places::iterator{};
    const bool has_old = listed != nullptr && old != listed->end();
    const std::size_t alarms_before = has_old && is_of_alarm(*old->second) ? 1 : 0;
    if (begins && has_old) {
      old->second = std::move(latest);
    } else if (begins) {
      places added;
      added.emplace(place, std::move(latest));
      (listed != nullptr ? *listed : hosts_[host]).merge(added);  // needs no memory for the ruling
      note_one_more(host);
    } else if (has_old) {
      listed->erase(old);
      --count_;
      if (listed->empty()) {
        hosts_.erase(host);
      }
    }
    alarms_ += alarms - alarms_before;
  }

 private:
  /// The rulings of a host, by `key_of`. A host can have thousands: one for each port.
  using places = std::map<std::uint32_t, order_pointer>;

  /// Returns a number for a kind and the place that a ruling covers: see `ruled_place`.
  [[nodiscard]] static constexpr std::uint32_t key_of(ruling_kind kind,
                                                      std::optional<url_scheme> scheme,
                                                      std::uint16_t port) noexcept {
    const std::uint32_t scheme_number = scheme ? static_cast<std::uint32_t>(*scheme) + 1 : 0;
    return static_cast<std::uint32_t>(kind) << 24U | scheme_number << 16U | port;
  }

  void note_one_more(std::string_view host) noexcept {
    ruled_hosts.add(host);
    ++count_;
  }

  mutable base::striped_mutex mutex_;  // guards `hosts_`
  base::text_table<places> hosts_;
  std::atomic<std::size_t> count_ = 0;
  std::atomic<std::size_t> alarms_ = 0;
};

}  // namespace robots::rulings_detail

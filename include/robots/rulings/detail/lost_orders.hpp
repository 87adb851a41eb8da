#pragma once

#include <robots/base/hash.hpp>
#include <robots/rulings/ruling_ledger.hpp>
#include <robots/rulings/ruling_order.hpp>

#include <boost/unordered/unordered_flat_map.hpp>

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace robots::rulings_detail {

/// The last order of each ruling. The key is `name_of`.
using order_table =
    boost::unordered_flat_map<std::string, ruling_order, base::text_hash, std::equal_to<>>;

/// The orders that a ledger must get back.
struct lost_orders {
  ledger_head next{};  ///< the head of the ledger after the put-back
  /// The orders to write: lost ones with their old numbers, and orders of the ledger that need
  /// higher numbers.
  std::vector<ruling_order> orders{};
  bool is_whole = false;
};

/// Compares the ledger with the orders that this process knows, and says what the ledger has lost.
///
/// The last order of each ruling wins, which is the order with the highest number. One case needs
/// more. After a loss, the first order can come from a process that knows nothing, so the ledger
/// counts from 1 again. Such orders are later than all orders before the loss, although their
/// numbers are lower. The ledger then has another token. Its orders get numbers in a new
/// generation.
///
/// If the ledger loses its orders twice, and a process has not read it in between, the numbers of
/// that process can win over later orders of the others.
///
/// `known` and `mine` are what this process has read. `theirs` and `rulings` are what the ledger
/// has now. `token` is a new token. If `is_whole` is true, the ledger lacks nothing.
[[nodiscard]] inline lost_orders find_lost(const ledger_head& known, const order_table& mine,
                                           const ledger_head& theirs, const order_table& rulings,
                                           const std::string& token) {
  lost_orders lost;
  lost.next.last = {.generation = (std::max)(known.last.generation, theirs.last.generation) + 1,
                    .number = (std::max)(known.last.number, theirs.last.number)};
  for (const auto& [name, order] : mine) {  // an own order can be later than the last reading
    lost.next.last.number = (std::max)(lost.next.last.number, order.number.number);
  }
  const bool has_begun_again = theirs.last.generation > 0 && theirs.token != known.token &&
                               theirs.last.generation <= known.last.generation;
  order_table winners;
  if (has_begun_again) {
    std::vector<ruling_order> later;
    for (const auto& [name, order] : rulings) {
      const auto same = mine.find(name);
      const bool is_known = same != mine.end() && same->second.id == order.id;
      if (order.number.generation == theirs.last.generation && !is_known) {
        later.push_back(order);
      }
    }
    std::sort(later.begin(), later.end(),
              [](const ruling_order& a, const ruling_order& b) { return a.number < b.number; });
    for (ruling_order& order : later) {
      order.number = {lost.next.last.generation, ++lost.next.last.number};
      winners.emplace(name_of(order), order);
      lost.orders.push_back(std::move(order));
    }
  }
  for (const auto& [name, order] : mine) {
    const auto stored = rulings.find(name);
    // The ledger can have the same order with a lower number, which it had before an earlier loss.
    const bool is_missing = stored == rulings.end() || stored->second.number < order.number;
    // A ledger never shows an order that it cannot read, so writing it again would not end.
    if (is_missing && !winners.contains(name) && is_readable(order)) {
      lost.orders.push_back(order);
    }
  }
  ++lost.next.last.number;
  lost.next.token = token;
  lost.next.last_id = "back-" + token;
  const bool has_lost_numbers = theirs.last.generation == 0 && known.last.generation > 0;
  lost.is_whole = lost.orders.empty() && !has_lost_numbers;
  return lost;
}

}  // namespace robots::rulings_detail

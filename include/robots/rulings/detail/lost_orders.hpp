#pragma once

#include <robots/base/text_table.hpp>
#include <robots/rulings/ruling_ledger.hpp>
#include <robots/rulings/ruling_order.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace robots::rulings_detail {

/// The last order of each ruling. The key is `name_of`.
using order_table = base::text_table<ruling_order>;

/// The orders that a ledger must get back.
struct lost_orders {
  ledger_head next{};  ///< the head of the ledger after the put-back
  /// The orders to write: lost ones with their old numbers, and orders of the ledger that need
  /// higher numbers.
  std::vector<ruling_order> orders{};
  bool is_whole = false;
};

/// Removes and returns the first name of a token, which `ledger_head::token` describes.
[[nodiscard]] inline std::string_view take_name(std::string_view& token) {
  return take_until(token, ',');
}

/// Returns true if the ledger with the token `theirs` is older than that with the token `known`: a
/// backup from an earlier generation.
[[nodiscard]] inline bool is_from_earlier(std::string_view theirs, std::string_view known) {
  const std::string_view name = take_name(theirs);
  static_cast<void>(take_name(known));
  while (!known.empty()) {
    if (take_name(known) == name) {
      return true;
    }
  }
  return false;
}

/// Returns the token of the generation that follows two ledgers. Leaves out the oldest names if it
/// would have more than 2,000 octets.
[[nodiscard]] inline std::string token_after(std::string name, std::string_view known,
                                             std::string_view theirs) {
  constexpr std::size_t most = 2'000;  // about a hundred losses
  for (std::string_view* const before : {&known, &theirs}) {
    while (!before->empty()) {
      const std::string_view earlier = take_name(*before);
      if (name.size() + earlier.size() < most && !is_from_earlier(earlier, name)) {
        name.append(",").append(earlier);
      }
    }
  }
  return name;
}

/// Compares the ledger with the orders that this process knows, and says what the ledger has lost.
///
/// The last order of each ruling wins, which is the order with the highest number. One case needs
/// more. After a loss, the first order can come from a process that knows nothing, so the ledger
/// counts from 1 again. Such orders are later than all orders before the loss, although their
/// numbers are lower. The ledger then has another token. Its orders get numbers in a new
/// generation.
///
/// Two cases have no such mark, so the higher number wins over a later order. The ledger loses its
/// orders twice, and a process has not read it in between. Or the ledger gets an older backup, and
/// a process that knows no more than the backup gives an order before the others read it.
///
/// `known` and `mine` are what this process has read. `theirs` and `rulings` are what the ledger
/// has now. `name` is a new name for a token. If `is_whole` is true, the ledger lacks nothing.
[[nodiscard]] inline lost_orders find_lost(const ledger_head& known, const order_table& mine,
                                           const ledger_head& theirs, const order_table& rulings,
                                           const std::string& name) {
  lost_orders lost;
  lost.next.last = {.generation = (std::max)(known.last.generation, theirs.last.generation) + 1,
                    .number = (std::max)(known.last.number, theirs.last.number)};
  // An own order can be later than the last reading.
  mine.for_each([&](std::string_view, const ruling_order& order) {
    lost.next.last.generation = (std::max)(lost.next.last.generation, order.number.generation + 1);
    lost.next.last.number = (std::max)(lost.next.last.number, order.number.number);
  });
  const bool has_begun_again = theirs.last.generation > 0 && theirs.token != known.token &&
                               theirs.last.generation <= known.last.generation &&
                               !is_from_earlier(theirs.token, known.token);
  order_table winners;
  if (has_begun_again) {
    std::vector<ruling_order> later;
    rulings.for_each([&](std::string_view ruling, const ruling_order& order) {
      const ruling_order* const same = mine.find(ruling);
      const bool is_known = same != nullptr && same->id == order.id;
      if (order.number.generation == theirs.last.generation && !is_known) {
        later.push_back(order);
      }
    });
    std::sort(later.begin(), later.end(),
              [](const ruling_order& a, const ruling_order& b) { return a.number < b.number; });
    for (ruling_order& order : later) {
      order.number = {lost.next.last.generation, ++lost.next.last.number};
      winners[name_of(order)] = order;
      lost.orders.push_back(std::move(order));
    }
  }
  mine.for_each([&](std::string_view ruling, const ruling_order& order) {
    const ruling_order* const stored = rulings.find(ruling);
    // The ledger can have the same order with a lower number, which it had before an earlier loss.
    const bool is_missing = stored == nullptr || stored->number < order.number;
    // A ledger never shows an order that it cannot read, so writing it again would not end.
    if (is_missing && !winners.contains(ruling) && is_readable(order)) {
      lost.orders.push_back(order);
    }
  });
  ++lost.next.last.number;
  lost.next.token = token_after(name, known.token, theirs.token);
  lost.next.last_id = "back-" + name;
  const bool has_lost_numbers = theirs.last.generation == 0 && known.last.generation > 0;
  lost.is_whole = lost.orders.empty() && !has_lost_numbers;
  return lost;
}

}  // namespace robots::rulings_detail

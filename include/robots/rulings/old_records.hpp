#pragma once

#include <robots/base/hash.hpp>
#include <robots/policy/policy.hpp>
#include <robots/rulings/ruling.hpp>
#include <robots/rulings/ruling_ledger.hpp>
#include <robots/rulings/ruling_order.hpp>

#include <boost/unordered/unordered_flat_set.hpp>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

namespace robots {

namespace rulings_detail {

/// Returns the order that an older version of the library stored as a part of a site's record. The
/// id has the time of the order, so each process makes the same id of the same part.
[[nodiscard]] inline ruling_order order_of(const std::string& bare_site, const ruling& old) {
  constexpr std::int64_t in_a_second = 1'000;  // the unit of `ruling::stamp` is a millisecond
  ruling_order order{.site = key_of(bare_site, old),
                     .maker = "a record of an older version",
                     .time = old.stamp / in_a_second};
  switch (old.kind) {
    case ruling_kind::site_override:
      order.kind = ruling_kind::site_override;
      order.value = to_string(static_cast<site_override>(old.value));
      break;
    case ruling_kind::halt:
      order.kind = ruling_kind::halt;
      order.value = to_string(static_cast<halt_reason>(old.value == 0 ? 0 : old.value - 1));
      break;
    case ruling_kind::sign_off:
      order.kind = ruling_kind::sign_off;
      order.value = "given";
      break;
    case ruling_kind::quarantine:
      order.kind = ruling_kind::quarantine;
      order.value = "malformed";
      break;
  }
  if (old.value == 0) {
    order.value.clear();
  }
  order.id = "old-" + std::to_string(static_cast<int>(old.kind)) + '-' + order.site + '-' +
             std::to_string(old.stamp);
  return order;
}

/// Returns true if the order denies a site.
[[nodiscard]] inline bool denies(const ruling_order& order) {
  return order.kind == ruling_kind::halt || order.kind == ruling_kind::quarantine
             ? order.is_in_force()
             : order.kind == ruling_kind::site_override && order.value == "deny";
}

}  // namespace rulings_detail

/// Takes the rulings of an older version of the library into a ledger. The older version kept them
/// in a `SharedStore`, as records whose keys begin with `ruling://`. `records` are the values of
/// these keys; other texts are ignored. Returns the orders in the sequence in which they were made.
/// With `is_dry_run`, returns the same orders, but does not make them.
///
/// An empty ledger takes all of them. A ledger with orders takes only halts, quarantines and
/// denials, so that an old allow or an old resume never ends a ruling. The same order is taken only
/// once, however often and by however many processes this function is called. So processes of both
/// versions can run together. Throws what the ledger throws.
inline std::vector<ruling_order> import_rulings(RulingLedger& ledger,
                                                std::span<const std::string> records,
                                                bool is_dry_run = false) {
  std::vector<ruling_order> orders;
  for (const std::string& text : records) {
    if (const auto record = rulings_detail::decode_rulings(text)) {
      for (const rulings_detail::ruling& old : record->rulings) {
        orders.push_back(rulings_detail::order_of(record->site, old));
      }
    }
  }
  std::sort(orders.begin(), orders.end(), [](const ruling_order& a, const ruling_order& b) {
    return std::tie(a.time, a.id) < std::tie(b.time, b.id);
  });
  boost::unordered_flat_set<std::string, base::text_hash, std::equal_to<>> earlier;
  ledger_news news = ledger.read({});
  const bool is_empty = news.head.last.generation == 0;
  for (const ruling_order& order : news.orders) {
    earlier.insert(order.id);
  }
  std::erase_if(orders, [&](const ruling_order& order) {
    return earlier.contains(order.id) || (!is_empty && !rulings_detail::denies(order));
  });
  if (!is_dry_run) {
    for (ruling_order& order : orders) {
      order.number = ledger.append(order, {}).value_or(ruling_number{});
    }
  }
  return orders;
}

}  // namespace robots

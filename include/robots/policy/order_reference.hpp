#pragma once

#include <robots/base/printable.hpp>

#include <compare>
#include <cstdint>
#include <string>

namespace robots {

/// The place of an order among all orders. The ledger gives it; clocks play no part. An order with
/// a higher number is later. The generation decides first.
struct ruling_number {
  std::uint64_t generation = 0;  ///< grows if the ledger has lost orders; 0 means no number
  std::uint64_t number = 0;      ///< grows with each order, also from generation to generation

  [[nodiscard]] friend constexpr auto operator<=>(const ruling_number&,
                                                  const ruling_number&) = default;
};

/// Returns a text such as `2-1041`.
[[nodiscard]] inline std::string to_string(const ruling_number& number) {
  return std::to_string(number.generation) + '-' + std::to_string(number.number);
}

/// The order behind an event or a decision, without its content. Events, policies and entries of
/// audit trails name orders in this way.
struct order_reference {
  ruling_number number{};  ///< generation 0 means that the ledger has not numbered the order yet
  std::string id{};        ///< distinguishes the order from all others; empty if there is no order
  std::string maker{};     ///< who or what made the order

  [[nodiscard]] friend bool operator==(const order_reference&, const order_reference&) = default;
};

/// Returns a text such as `order 2-1041 by ann`.
[[nodiscard]] inline std::string explain(const order_reference& order) {
  const bool is_numbered = order.number.generation != 0;
  return "order " + (is_numbered ? to_string(order.number) : std::string{"without a number yet"}) +
         " by " + base::printable(order.maker);
}

}  // namespace robots

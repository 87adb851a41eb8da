#pragma once

#include <robots/base/enum_text.hpp>

#include <cstdint>
#include <string_view>

namespace robots {

/// Why `SiteRulings::on_news` reports an order.
enum class order_news : std::uint8_t {
  in_force,  ///< the order was in force when the reports began
  made,      ///< the order changes a ruling in this process
  numbered,  ///< the ledger has given the order its number, or another number after a loss
};

/// The name of a reason, as its enumerator is spelled.
[[nodiscard]] constexpr std::string_view to_string(order_news news) noexcept {
  return base::enum_text<order_news::numbered>(news, {"in_force", "made", "numbered"});
}

}  // namespace robots

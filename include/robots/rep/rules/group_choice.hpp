#pragma once

#include <robots/base/enum_text.hpp>

#include <cstdint>
#include <string_view>

namespace robots {

/// The reason why the rules of a group apply to a crawler (RFC 9309, section 2.2.1).
enum class group_choice : std::uint8_t {
  own,       ///< a group names the crawler
  everyone,  ///< no group names the crawler, and `*` has one
  none,      ///< no group applies: everything is allowed
};

/// The name of a choice, as its enumerator is spelled.
[[nodiscard]] constexpr std::string_view to_string(group_choice choice) noexcept {
  return base::enum_text<group_choice::none>(choice, {"own", "everyone", "none"});
}

}  // namespace robots

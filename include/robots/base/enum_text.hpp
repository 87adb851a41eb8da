#pragma once

#include <algorithm>
#include <cstddef>
#include <source_location>
#include <string_view>

namespace robots::base {

/// Whether `Value` is an enumerator, as far as the compiler tells: it spells others as `(type)3` in
/// the name of this function.
template <auto Value>
[[nodiscard]] consteval bool is_enumerator() {
  const std::string_view function = std::source_location::current().function_name();
  const std::size_t behind_name = function.find_last_not_of("0123456789]") + 1;
  return function.ends_with(']') && function[behind_name - 1] != ')';
}

/// The text that belongs to `value` among `texts`, one for each enumerator in order. `Last` is the
/// last enumerator; where one is without a text, this does not compile.
template <auto Last, std::size_t Count>
[[nodiscard]] constexpr std::string_view enum_text(
    decltype(Last) value, const std::string_view (&texts)[Count]) noexcept {
  constexpr auto last = static_cast<std::size_t>(Last);
  static_assert(Count == last + 1, "write one text for each enumerator");
  static_assert(!is_enumerator<static_cast<decltype(Last)>(last + 1)>(),
                "there are enumerators behind `Last`");
  return texts[std::min(static_cast<std::size_t>(value), last)];
}

}  // namespace robots::base

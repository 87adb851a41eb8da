#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace robots::base {

/// Returns true if `Value` is an enumerator. GCC and clang put the name of the enumerator into
/// `__PRETTY_FUNCTION__`. For a value without an enumerator, such as 3, they put `(type)3`. With
/// other compilers, always returns false.
template <auto Value>
[[nodiscard]] consteval bool is_enumerator() {
#ifdef __GNUC__
  const std::string_view function = __PRETTY_FUNCTION__;
  const std::size_t behind_name = function.find_last_not_of("0123456789]") + 1;
  return function.ends_with(']') && function[behind_name - 1] != ')';
#else
  return false;
#endif
}

/// Returns the text of `value`. `texts` has a text for each enumerator, in order, and `Last` is the
/// last enumerator. If `texts` has too few or too many texts, the compilation fails.
template <auto Last, std::size_t Count>
[[nodiscard]] constexpr std::string_view enum_text(
    decltype(Last) value, const std::string_view (&texts)[Count]) noexcept {
  constexpr auto last = static_cast<std::size_t>(Last);
  static_assert(Count == last + 1, "write one text for each enumerator");
  static_assert(!is_enumerator<static_cast<decltype(Last)>(last + 1)>(),
                "`Last` is not the last enumerator");
  return texts[(std::min)(static_cast<std::size_t>(value), last)];
}

}  // namespace robots::base

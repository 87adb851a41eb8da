#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace robots::detail {

/// Which of 64 classes of octets occur in a text, a bit for each class: digits and punctuation one
/// by one, letters regardless of case.
using class_set = std::uint64_t;

inline constexpr std::array<class_set, 256> octet_classes = [] {
  std::array<class_set, 256> classes{};
  for (unsigned octet = 0; octet < classes.size(); ++octet) {
    classes[octet] = class_set{1} << ((octet & 0x1FU) | (octet & 0x40U) >> 1U);
  }
  return classes;
}();

[[nodiscard]] constexpr class_set classes_of(std::string_view text) noexcept {
  class_set result = 0;
  for (const char c : text) {
    result |= octet_classes[static_cast<unsigned char>(c)];
  }
  return result;
}

/// The octets that a text must hold to match a compiled pattern.
[[nodiscard]] constexpr class_set classes_needed(std::string_view pattern) noexcept {
  class_set result = 0;
  for (const char c : pattern) {
    result |= c == '*' ? 0 : octet_classes[static_cast<unsigned char>(c)];
  }
  return result;
}

/// Whether all of `needed` are among `present`.
[[nodiscard]] constexpr bool has_all(class_set present, class_set needed) noexcept {
  return (needed & ~present) == 0;
}

}  // namespace robots::detail

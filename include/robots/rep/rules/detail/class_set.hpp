#pragma once

#include <robots/rep/text/detail/octet_word.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace robots::rep_detail {

/// Which of 32 classes of octets occur in a text, a bit for each class: letters regardless of case,
/// the marks that tell most about a pattern, digits, and other marks. Octets in no class are in
/// nearly all targets, or in hardly any.
using class_set = std::uint32_t;

inline constexpr std::array<class_set, 256> octet_classes = [] {
  constexpr std::array<std::string_view, 6> marks{"?", "=", "&", ".", "0123456789", "-_%+,;:~"};
  std::array<class_set, 256> classes{};
  for (std::size_t i = 0; i < marks.size(); ++i) {
    for (const char c : marks[i]) {
      classes[static_cast<unsigned char>(c)] = class_set{1} << i;
    }
  }
  for (std::size_t letter = 0; letter < 26; ++letter) {
    classes['a' + letter] = classes['A' + letter] = class_set{1} << (marks.size() + letter);
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

/// A class set that `store_word` stored at `at`.
[[nodiscard]] constexpr class_set load_class_set(std::string_view octets, std::size_t at) noexcept {
  return static_cast<class_set>(part_of_word<sizeof(class_set)>(octets, at));
}

/// Whether all of `needed` are among `present`.
[[nodiscard]] constexpr bool has_all(class_set present, class_set needed) noexcept {
  return (needed & ~present) == 0;
}

}  // namespace robots::rep_detail

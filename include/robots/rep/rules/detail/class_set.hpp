#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace robots::rep_detail {

/// Which of 32 classes of octets occur in a text, a bit for each class: letters regardless of case,
/// the marks that tell most about a pattern, digits, and other marks. Octets in no class are in
/// nearly all targets, or in hardly any: among them `*`, so that a text which matches a pattern has
/// all classes that the pattern has.
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

static_assert(octet_classes['*'] == 0);

[[nodiscard]] constexpr class_set classes_of(std::string_view text) noexcept {
  class_set result = 0;
  for (const char c : text) {
    result |= octet_classes[static_cast<unsigned char>(c)];
  }
  return result;
}

}  // namespace robots::rep_detail

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace robots::rep_detail {

// Some rules are compared with every target, such as `/*.pdf$`. Most targets lack an octet that
// such a rule needs: they have no `.` or no `d`. So each of these rules is stored with the set of
// the octet classes that its pattern needs. A query computes the set of its target once, and
// compares the target only with the rules whose whole set the target has.

/// A set of 32 classes of octets, one bit for each class: 26 letters regardless of case, digits,
/// the marks `?`, `=`, `&` and `.`, and other marks. Octets that are in no class say little: `/` is
/// in nearly all targets, and others in hardly any. `*` is in no class, since a wildcard needs no
/// octet.
using class_set = std::uint32_t;

inline constexpr std::array<class_set, 256> class_of_octet = [] {
  constexpr std::array<std::string_view, 6> marks{"?", "=", "&", ".", "0123456789", "-_%+,;:~"};
  std::array<class_set, 256> classes{};
  for (std::size_t i = 0; i < marks.size(); ++i) {
    for (const char c : marks[i]) {
      classes[static_cast<unsigned char>(c)] = class_set{1} << i;
    }
  }
  for (std::size_t letter = 0; letter < 26; ++letter) {
    classes['a' + letter] = class_set{1} << (marks.size() + letter);
    classes['A' + letter] = classes['a' + letter];
  }
  return classes;
}();

static_assert(class_of_octet['*'] == 0);

[[nodiscard]] constexpr class_set classes_in(std::string_view text) noexcept {
  class_set result = 0;
  for (const char c : text) {
    result |= class_of_octet[static_cast<unsigned char>(c)];
  }
  return result;
}

}  // namespace robots::rep_detail

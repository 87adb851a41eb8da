#pragma once

#include <robots/base/ascii.hpp>
#include <robots/rep/text/detail/octet_word.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace robots::rep_detail {

enum class octet_action : std::uint8_t { keep, encode, percent };

struct normal_form {
  std::array<octet_action, 256> actions{};
  bool decode_unreserved = false;  ///< if true, `%61` becomes `a`

  [[nodiscard]] constexpr octet_action action(char c) const noexcept {
    return actions[static_cast<unsigned char>(c)];
  }

  constexpr void set(char c, octet_action action) noexcept {
    actions[static_cast<unsigned char>(c)] = action;
  }
};

/// The form for rules by RFC 9309, section 2.2.2. Encodes octets outside ASCII, control characters,
/// space and `$`. Decodes escapes of unreserved octets, and writes all other escapes in upper case.
inline constexpr normal_form rfc9309_rule_form = [] {
  normal_form form{.decode_unreserved = true};
  for (unsigned octet = 0; octet < 256; ++octet) {
    if (octet <= 0x20 || octet >= 0x7F) {
      form.actions[octet] = octet_action::encode;
    }
  }
  form.set('%', octet_action::percent);
  // In a rule, `%24` and `%2A` mean a literal `$` and `*` (section 2.2.3). So this form encodes a
  // literal `$`. The form for targets also encodes `*`, since a `*` in a target is always literal.
  form.set('$', octet_action::encode);
  return form;
}();

inline constexpr normal_form rfc9309_target_form = [] {
  normal_form form = rfc9309_rule_form;
  form.set('*', octet_action::encode);
  return form;
}();

/// The normal form of rules in google/robotstxt. Encodes octets outside ASCII, and writes escapes
/// in upper case.
inline constexpr normal_form google_rule_form = [] {
  normal_form form{};
  for (unsigned octet = 0x80; octet < 256; ++octet) {
    form.actions[octet] = octet_action::encode;
  }
  form.set('%', octet_action::percent);
  return form;
}();

inline constexpr normal_form google_target_form{};  // google/robotstxt does not change URLs

/// Passes each octet of the normal form of `text` to `put`. A `%` that begins no escape stays, and
/// reading goes on after the `%`: `%%61` becomes `%a`. So an escape has the same normal form in a
/// pattern and in a target, whatever text precedes the escape.
template <class Put>
constexpr void write_normal(std::string_view text, const normal_form& form, Put put) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const octet_action action = form.action(text[i]);
    const int escaped = action == octet_action::percent ? base::percent_octet(behind(text, i)) : -1;
    const char c = escaped >= 0 ? static_cast<char>(escaped) : text[i];
    i += escaped >= 0 ? 2 : 0;
    const bool is_decoded = escaped >= 0 && form.decode_unreserved && base::is_unreserved(c);
    if (action == octet_action::encode || (escaped >= 0 && !is_decoded)) {
      const auto [high, low] = base::hex_digits(static_cast<unsigned char>(c));
      put('%');
      put(high);
      put(low);
    } else {
      put(c);
    }
  }
}

[[nodiscard]] constexpr bool is_normal(std::string_view text, const normal_form& form) noexcept {
  const bool keeps_stars = form.action('*') == octet_action::keep;
  if (keeps_stars ? is_graphic_without<'%', '$'>(text) : is_graphic_without<'%', '$', '*'>(text)) {
    return true;
  }
  std::size_t size = 0;
  bool is_same = true;
  write_normal(text, form, [&](char c) {
    is_same = is_same && size < text.size() && c == text[size];
    ++size;
  });
  return is_same && size == text.size();
}

}  // namespace robots::rep_detail

#pragma once

#include <robots/base/ascii.hpp>
#include <robots/rep/text/detail/octet_word.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace robots::rep_detail {

/// What becomes of an octet on the way to the normal form.
enum class octet_action : std::uint8_t { keep, encode, percent };

/// One percent-encoding normal form, as data: what to do with each octet, and whether encoded
/// unreserved octets are decoded.
struct normal_form {
  std::array<octet_action, 256> actions{};
  bool decode_unreserved = false;

  [[nodiscard]] constexpr octet_action action(char c) const noexcept {
    return actions[static_cast<unsigned char>(c)];
  }

  constexpr void set(char c, octet_action action) noexcept {
    actions[static_cast<unsigned char>(c)] = action;
  }
};

/// RFC 9309, section 2.2.2: octets outside ASCII, controls and space are encoded, encoded
/// unreserved octets are decoded, everything else stays.
[[nodiscard]] constexpr normal_form make_rfc9309_form() noexcept {
  normal_form form{.decode_unreserved = true};
  for (unsigned octet = 0; octet < 256; ++octet) {
    if (octet <= 0x20 || octet >= 0x7F) {
      form.actions[octet] = octet_action::encode;
    }
  }
  form.set('%', octet_action::percent);
  // Section 2.2.3: `*` and `$` stand for themselves in a target, and for %2A and %24 in a rule.
  form.set('$', octet_action::encode);
  return form;
}

[[nodiscard]] constexpr normal_form make_rfc9309_target_form() noexcept {
  normal_form form = make_rfc9309_form();
  form.set('*', octet_action::encode);
  return form;
}

/// google/robotstxt encodes octets outside ASCII and writes hexadecimal digits in upper case.
[[nodiscard]] constexpr normal_form make_google_rule_form() noexcept {
  normal_form form{};
  for (unsigned octet = 0x80; octet < 256; ++octet) {
    form.actions[octet] = octet_action::encode;
  }
  form.set('%', octet_action::percent);
  return form;
}

inline constexpr normal_form rfc9309_rule_form = make_rfc9309_form();
inline constexpr normal_form rfc9309_target_form = make_rfc9309_target_form();
inline constexpr normal_form google_rule_form = make_google_rule_form();
inline constexpr normal_form google_target_form{};  // google/robotstxt takes URLs as they are

/// Whether `text` is its own normal form. One pass.
[[nodiscard]] constexpr bool is_normal(std::string_view text, const normal_form& form) noexcept {
  const bool keeps_stars = form.action('*') == octet_action::keep;
  if (keeps_stars ? is_graphic_without<'%', '$'>(text) : is_graphic_without<'%', '$', '*'>(text)) {
    return true;
  }
  for (std::size_t i = 0; i < text.size(); ++i) {
    const octet_action action = form.action(text[i]);
    if (action == octet_action::keep) {
      continue;
    }
    if (action == octet_action::encode) {
      return false;
    }
    const int high = i + 2 < text.size() ? base::hex_value(text[i + 1]) : -1;
    const int low = high >= 0 ? base::hex_value(text[i + 2]) : -1;
    if (low < 0) {
      continue;
    }
    const bool lower_case = text[i + 1] >= 'a' || text[i + 2] >= 'a';
    if (lower_case) {
      return false;
    }
    if (form.decode_unreserved && base::is_unreserved(static_cast<char>(high * 16 + low))) {
      return false;
    }
    i += 2;
  }
  return true;
}

}  // namespace robots::rep_detail

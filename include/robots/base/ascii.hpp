#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace robots::base {

[[nodiscard]] constexpr char to_lower(char c) noexcept {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

[[nodiscard]] constexpr bool is_alpha(char c) noexcept {
  return to_lower(c) >= 'a' && to_lower(c) <= 'z';
}

[[nodiscard]] constexpr bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

/// Returns true for an unreserved character (RFC 3986, section 2.3).
[[nodiscard]] constexpr bool is_unreserved(char c) noexcept {
  return is_alpha(c) || is_digit(c) || c == '-' || c == '.' || c == '_' || c == '~';
}

/// Returns true for `WS = %x20 / %x09` (RFC 9309, section 2.2).
[[nodiscard]] constexpr bool is_ws(char c) noexcept { return c == ' ' || c == '\t'; }

/// Returns true for white space inside a line. This is C's isspace without CR and LF.
[[nodiscard]] constexpr bool is_blank(char c) noexcept {
  return c == ' ' || c == '\t' || c == '\v' || c == '\f';
}

[[nodiscard]] constexpr bool is_space(char c) noexcept {
  return is_blank(c) || c == '\r' || c == '\n';
}

/// Returns the value of a hexadecimal digit, or -1 for any other octet.
[[nodiscard]] constexpr int hex_value(char c) noexcept {
  if (is_digit(c)) {
    return c - '0';
  }
  const char low = to_lower(c);
  return low >= 'a' && low <= 'f' ? low - 'a' + 10 : -1;
}

/// Decodes `%XX` at the start of `text` (RFC 3986, section 2.1). Returns -1 if there is no `%XX`.
[[nodiscard]] constexpr int percent_octet(std::string_view text) noexcept {
  const bool is_long = text.size() > 2 && text.front() == '%';
  const int high = is_long ? hex_value(text[1]) : -1;
  const int low = is_long ? hex_value(text[2]) : -1;
  return high < 0 || low < 0 ? -1 : high * 16 + low;
}

[[nodiscard]] constexpr std::array<char, 2> hex_digits(unsigned char octet) noexcept {
  constexpr std::string_view digits = "0123456789ABCDEF";
  return {digits[octet / 16U], digits[octet % 16U]};
}

[[nodiscard]] constexpr bool equal_ignoring_case(std::string_view a, std::string_view b) noexcept {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char c, char d) { return to_lower(c) == to_lower(d); });
}

[[nodiscard]] constexpr bool starts_with_ignoring_case(std::string_view text,
                                                       std::string_view prefix) noexcept {
  return text.size() >= prefix.size() && equal_ignoring_case(text.substr(0, prefix.size()), prefix);
}

/// Removes octets from both ends of `text` while `drop` returns true for them. Returns the rest.
template <class Predicate>
[[nodiscard]] constexpr std::string_view trim(std::string_view text, Predicate drop) noexcept {
  while (!text.empty() && drop(text.front())) {
    text.remove_prefix(1);
  }
  while (!text.empty() && drop(text.back())) {
    text.remove_suffix(1);
  }
  return text;
}

}  // namespace robots::base

#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
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

/// Returns the length of the scheme at the start of `text`, or 0 if there is none. RFC 3986,
/// section 3.1, defines `scheme = ALPHA *( ALPHA / DIGIT / "+" / "-" / "." )`.
[[nodiscard]] constexpr std::size_t scheme_length(std::string_view text) noexcept {
  std::size_t length = 0;
  while (length < text.size() &&
         (is_alpha(text[length]) || (length > 0 && (is_digit(text[length]) || text[length] == '+' ||
                                                    text[length] == '-' || text[length] == '.')))) {
    ++length;
  }
  return length;
}

/// Returns the length of `scheme://` at the start of `url`. Returns 0 if there is none, as in
/// `localhost:80`. Reads no further than the scheme and `://`.
[[nodiscard]] constexpr std::size_t scheme_prefix(std::string_view url) noexcept {
  const std::size_t length = scheme_length(url);
  // This is faster than `starts_with`, which calls a function.
  const bool has_scheme = length != 0 && url.size() > length + 2 && url[length] == ':' &&
                          url[length + 1] == '/' && url[length + 2] == '/';
  return has_scheme ? length + 3 : 0;
}

/// Makes text safe for a terminal or a log. Writes `\xNN` for each backslash, and for each octet
/// that is not printable ASCII.
[[nodiscard]] inline std::string printable(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (const char c : text) {
    if (c >= ' ' && c <= '~' && c != '\\') {
      result += c;
      continue;
    }
    const auto [high, low] = hex_digits(static_cast<unsigned char>(c));
    result.append({'\\', 'x', high, low});
  }
  return result;
}

/// Replaces control characters by spaces, so that a terminal that shows the text obeys none of
/// them. Keeps all other octets: a log escapes them once, when it is written.
[[nodiscard]] inline std::string without_controls(std::string_view text) {
  std::string result{text};
  for (char& c : result) {
    if (static_cast<unsigned char>(c) < ' ' || c == '\x7F') {
      c = ' ';
    }
  }
  return result;
}

/// Reads a decimal number. A number above `largest` is read as `largest`. Returns an empty optional
/// if the text is empty or has a character that is not a digit.
[[nodiscard]] constexpr std::optional<std::uint64_t> parse_decimal(
    std::string_view text,
    std::uint64_t largest = (std::numeric_limits<std::uint64_t>::max)()) noexcept {
  if (text.empty()) {
    return std::nullopt;
  }
  std::uint64_t number = 0;
  for (const char c : text) {
    if (!is_digit(c)) {
      return std::nullopt;
    }
    const auto digit = static_cast<std::uint64_t>(c - '0');
    const bool fits = digit <= largest && number <= (largest - digit) / 10;
    number = fits ? number * 10 + digit : largest;
  }
  return number;
}

/// Appends a time in seconds, without rounding. A negative time is written as 0.
inline void append_seconds(std::string& text, std::chrono::nanoseconds value) {
  constexpr std::int64_t unit = 1'000'000'000;
  const std::int64_t count = value.count() < 0 ? 0 : value.count();
  text += std::to_string(count / unit);
  if (const std::int64_t part = count % unit; part != 0) {
    const std::string digits = std::to_string(unit + part);
    text += '.';
    text.append(digits, 1, digits.find_last_not_of('0'));
  }
}

}  // namespace robots::base

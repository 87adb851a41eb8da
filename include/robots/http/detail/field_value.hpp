// What the values of header fields are made of (RFC 9110, section 5.6).
#pragma once

#include <robots/base/ascii.hpp>
#include <robots/base/decimal.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace robots::http_detail {

[[nodiscard]] constexpr std::string_view trim_blanks(std::string_view text) noexcept {
  return base::trim(text, base::is_blank);
}

/// The length of `text` up to the first `separator` that stands outside a quoted string.
[[nodiscard]] constexpr std::size_t length_before(std::string_view text, char separator) noexcept {
  bool quoted = false;
  std::size_t i = 0;
  for (; i < text.size() && (quoted || text[i] != separator); ++i) {
    if (text[i] == '"') {
      quoted = !quoted;
    } else if (quoted && text[i] == '\\') {
      ++i;
    }
  }
  return i < text.size() ? i : text.size();
}

/// `text` without the quotes around it, if it has both.
[[nodiscard]] constexpr std::string_view unquote(std::string_view text) noexcept {
  const bool quoted = text.size() >= 2 && text.starts_with('"') && text.ends_with('"');
  return quoted ? text.substr(1, text.size() - 2) : text;
}

/// The most seconds that a header can say; more counts as this (RFC 9111, section 1.2.2).
inline constexpr std::chrono::seconds max_delta_seconds{std::int64_t{1} << 31};

/// `delta-seconds = 1*DIGIT` (RFC 9111, section 1.2.2). Nothing for any other text.
[[nodiscard]] constexpr std::optional<std::chrono::seconds> parse_delta_seconds(
    std::string_view text) noexcept {
  const auto value =
      base::parse_decimal(text, static_cast<std::uint64_t>(max_delta_seconds.count()));
  return value ? std::optional{std::chrono::seconds{*value}} : std::nullopt;
}

/// A span of time within what a header can say, from 0 to `max_delta_seconds`.
[[nodiscard]] constexpr std::chrono::seconds clamp_delta_seconds(
    std::chrono::seconds span) noexcept {
  if (span < std::chrono::seconds{0}) {
    return std::chrono::seconds{0};
  }
  return span < max_delta_seconds ? span : max_delta_seconds;
}

}  // namespace robots::http_detail

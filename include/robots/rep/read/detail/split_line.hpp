#pragma once

#include <robots/base/ascii.hpp>

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace robots::rep_detail {

/// A line, split into key and value.
struct key_and_value {
  std::string_view key{};
  std::string_view value{};
  bool colon = false;
  bool found = false;  ///< true if the line has a key and a value, which can be empty
};

[[nodiscard]] constexpr bool is_line_end(char c) noexcept { return c == '\n' || c == '\r'; }

/// Returns true for white space, and for NUL octets, which some editors leave at the end of lines.
[[nodiscard]] constexpr bool is_padding(char c) noexcept { return base::is_blank(c) || c == '\0'; }

/// Splits a line with a colon. RFC 9309, section 2.2: `key *WS ":" *WS value`.
[[nodiscard]] constexpr key_and_value split_at_colon(std::string_view line,
                                                     std::size_t colon) noexcept {
  const std::string_view key = base::trim(line.substr(0, colon), is_padding);
  const std::string_view value = base::trim(line.substr(colon + 1), is_padding);
  return {.key = key, .value = value, .colon = true, .found = !key.empty()};
}

/// Splits a line without a colon. Some authors forget the colon, so two words are read as a key and
/// a value.
[[nodiscard]] constexpr key_and_value split_words(std::string_view line) noexcept {
  const auto blank = std::find_if(line.begin(), line.end(), base::is_ws);
  if (blank == line.end()) {
    return {};
  }
  const auto key_size = static_cast<std::size_t>(blank - line.begin());
  const std::string_view rest = base::trim(line.substr(key_size), base::is_ws);
  if (std::any_of(rest.begin(), rest.end(), base::is_ws)) {
    return {};
  }
  return {.key = base::trim(line.substr(0, key_size), is_padding),
          .value = base::trim(rest, is_padding),
          .found = true};
}

/// Splits `line`, which must have no comment, and no padding at its ends.
[[nodiscard]] constexpr key_and_value split_line(std::string_view line) noexcept {
  const auto colon = line.find(':');
  return colon == std::string_view::npos ? split_words(line) : split_at_colon(line, colon);
}

}  // namespace robots::rep_detail

#pragma once

#include <robots/rep/detail/ascii.hpp>

#include <string_view>

namespace robots::detail {

/// A line cut into key and value.
struct key_and_value {
  std::string_view key{};
  std::string_view value{};
  bool colon = false;
  bool found = false;  ///< the line has both parts, though the value may be empty
};

/// White space, and the NUL octets that some editors leave at the ends of lines.
[[nodiscard]] constexpr bool is_padding(char c) noexcept { return is_blank(c) || c == '\0'; }

/// A line without its comment and the padding around it.
[[nodiscard]] constexpr std::string_view strip_comment(std::string_view line) noexcept {
  return trim(line.substr(0, line.find('#')), is_padding);
}

/// RFC 9309, section 2.2: `key *WS ":" *WS value`. People forget the colon, so two words alone are
/// a key and a value too.
[[nodiscard]] constexpr key_and_value split_line(std::string_view line) noexcept {
  const auto colon = line.find(':');
  if (colon != std::string_view::npos) {
    const std::string_view key = trim(line.substr(0, colon), is_padding);
    const std::string_view value = trim(line.substr(colon + 1), is_padding);
    return {.key = key, .value = value, .colon = true, .found = !key.empty()};
  }
  const auto blank = line.find_first_of(" \t");
  if (blank == std::string_view::npos) {
    return {};
  }
  const std::string_view rest =
      trim(line.substr(blank), [](char c) { return c == ' ' || c == '\t'; });
  if (rest.find_first_of(" \t") != std::string_view::npos) {
    return {};
  }
  return {.key = trim(line.substr(0, blank), is_padding),
          .value = trim(rest, is_padding),
          .found = true};
}

}  // namespace robots::detail

#pragma once

#include <robots/base/ascii.hpp>

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>

namespace robots {

namespace rep_detail {

/// Returns the text before the first blank, and the text after that blank.
[[nodiscard]] constexpr std::pair<std::string_view, std::string_view> split_at_blank(
    std::string_view value) noexcept {
  const auto blank = std::find_if(value.begin(), value.end(), base::is_blank);
  const auto size = static_cast<std::size_t>(blank - value.begin());
  return {value.substr(0, size), base::trim(value.substr(size), base::is_blank)};
}

/// Splits a value into a path and the statement about that path. An empty path means every path. A
/// path begins with `/` and ends before the first blank (draft-ietf-aipref-attach-05, section 3.2).
[[nodiscard]] constexpr std::pair<std::string_view, std::string_view> split_scope(
    std::string_view value) noexcept {
  return value.starts_with('/') ? split_at_blank(value) : std::pair{std::string_view{}, value};
}

}  // namespace rep_detail

}  // namespace robots

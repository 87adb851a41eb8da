#pragma once

#include <robots/rep/extensions/detail/path_scope.hpp>
#include <robots/rep/extensions/detail/structured_dictionary.hpp>
#include <robots/rep/read/directive.hpp>

#include <cstdint>
#include <optional>
#include <string_view>

namespace robots {

/// One statement about the use of content under a path, such as `Content-Usage: /path train-ai=n`
/// (draft-ietf-aipref-attach-05, section 3).
///
/// A statement never changes a verdict. `usage_preferences` finds the line that decides about a
/// target. The views live as long as the document.
struct content_usage {
  static constexpr directive_kind kind = directive_kind::content_usage;  ///< used by `read_lines`

  std::string_view path{};       ///< a pattern; empty means every path
  std::string_view statement{};  ///< a Dictionary of RFC 9651, as written
  std::uint32_t line = 0;        ///< the line number, 1-based; 0 if not read from a file

  /// Reads `[path] statement`. A path begins with `/` and ends before the first blank.
  [[nodiscard]] static constexpr content_usage parse(std::string_view value) noexcept {
    const auto [path, statement] = rep_detail::split_scope(value);
    return {.path = path, .statement = statement};
  }

  /// Returns the preference for the category of use with this label. Returns true for `y` and false
  /// for `n`. For anything else, returns an empty optional (draft-ietf-aipref-vocab-07, section
  /// 6.5: unknown).
  ///
  /// Labels and values are case-sensitive. If a label is repeated, its last value is used. A
  /// statement that is not a Dictionary has no preferences. Takes time linear in the statement.
  [[nodiscard]] constexpr std::optional<bool> preference(std::string_view label) const noexcept {
    const std::string_view token = rep_detail::dictionary_token(statement, label);
    if (token == "y") {
      return true;
    }
    return token == "n" ? std::optional{false} : std::nullopt;
  }
};

}  // namespace robots

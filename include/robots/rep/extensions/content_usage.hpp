#pragma once

#include <robots/base/structured_field.hpp>
#include <robots/rep/read/detail/path_scope.hpp>
#include <robots/rep/read/directive.hpp>
#include <robots/rep/read/read_lines.hpp>

#include <cstdint>
#include <optional>
#include <string_view>

namespace robots {

namespace rep_detail {

/// Reads the value of a member of a Content-Usage Dictionary: the Token `y` or `n`. Any other value
/// states nothing.
[[nodiscard]] constexpr std::optional<bool> parse_usage_value(
    const base::field_value& value) noexcept {
  if (value.type != base::field_type::token || (value.text != "y" && value.text != "n")) {
    return std::nullopt;
  }
  return value.text == "y";
}

/// Keeps the value of one key of a Dictionary. If the key is repeated, the last value counts (RFC
/// 9651, section 4.2.2).
struct usage_label_reader {
  std::string_view label;
  bool is_stated = false;
  bool is_permitted = false;

  constexpr void on_member(std::string_view key, const base::field_value& value) noexcept {
    if (key != label) {
      return;
    }
    const std::optional<bool> stated = parse_usage_value(value);
    is_stated = stated.has_value();
    is_permitted = stated.value_or(false);
  }
  constexpr void on_parameter(std::string_view, const base::field_value&) noexcept {}
};

/// Notes if a member of a Content-Usage Dictionary has a value other than `y` and `n`.
struct usage_value_check {
  bool is_unread = false;

  constexpr void on_member(std::string_view, const base::field_value& value) noexcept {
    is_unread = is_unread || !parse_usage_value(value);
  }
  constexpr void on_parameter(std::string_view, const base::field_value&) noexcept {}
};

}  // namespace rep_detail

/// Returns the preference for the category `label` in a Dictionary of usage preferences: true for
/// `y`, false for `n`. The result is empty if the preference is unknown
/// (draft-ietf-aipref-vocab-08, section 6).
///
/// Labels and values are case-sensitive. If a label is repeated, its last value is used. A text
/// that is not a Dictionary of RFC 9651 has no preferences. Takes linear time.
[[nodiscard]] constexpr std::optional<bool> usage_preference(std::string_view dictionary,
                                                             std::string_view label) noexcept {
  rep_detail::usage_label_reader reader{.label = label};
  if (!base::read_dictionary_field(dictionary, reader) || !reader.is_stated) {
    return std::nullopt;
  }
  return reader.is_permitted;
}

/// One statement about the use of content under a path, such as `Content-Usage: /path train-ai=n`
/// (draft-ietf-aipref-attach-05, section 3).
///
/// A statement never changes a verdict. The views live as long as the document.
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

  /// Returns `usage_preference(statement, label)`.
  [[nodiscard]] constexpr std::optional<bool> preference(std::string_view label) const noexcept {
    return usage_preference(statement, label);
  }
};

namespace rep_detail {

/// Returns true if a part of a Content-Usage value says nothing: it is no Dictionary of RFC 9651,
/// or is empty, or a member is neither `y` nor `n`.
[[nodiscard]] constexpr bool is_unread_usage(std::string_view value) noexcept {
  const content_usage usage = content_usage::parse(value);
  usage_value_check check;
  return usage.statement.empty() || !base::read_dictionary_field(usage.statement, check) ||
         check.is_unread;
}

}  // namespace rep_detail

}  // namespace robots

#pragma once

#include <robots/base/config.hpp>
#include <robots/base/refuse_value.hpp>
#include <robots/rep/extensions/content_signal.hpp>
#include <robots/rep/extensions/content_usage.hpp>
#include <robots/rep/extensions/license_line.hpp>
#include <robots/rep/extensions/usage_editing.hpp>
#include <robots/rep/read/detail/line.hpp>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace robots {

namespace rep_detail {

inline void require_usage_kind(directive_kind kind) {
  using enum directive_kind;
  if (kind != content_signal && kind != content_usage && kind != license) {
    base::refuse_value(to_string(kind),
                       "is no line about the use of pages: take content_signal, content_usage or "
                       "license, and the members of editable_file for other lines");
  }
}

/// Throws if a crawler would not understand the value.
inline void require_usage_value(directive_kind kind, std::string_view value) {
  require_usage_kind(kind);
  if (kind == directive_kind::content_signal &&
      (!content_signal::parse(value).complete || content_signal::parse(value).statement.empty())) {
    base::refuse_value(
        value,
        "is no Content-Signal that crawlers know: write search, ai-input and ai-train "
        "with yes or no, and use with immediate, reference or full, as in ai-train=no");
  }
  if (kind == directive_kind::content_usage && is_unread_usage(value)) {
    base::refuse_value(value,
                       "is no Content-Usage: write labels in lower case with y or n, as in "
                       "/path train-ai=n, search=y");
  }
  if (kind == directive_kind::license && !license_line::parse(value)) {
    base::refuse_value(value, "is no absolute URL: begin it with a scheme, as in https://");
  }
}

inline void require_before_groups(directive_kind kind) {
  require_usage_kind(kind);
  if (kind != directive_kind::license) {
    base::refuse_value(to_string(kind),
                       "speaks to nobody before all groups: set it in the groups of the crawlers");
  }
}

[[nodiscard]] inline bool is_line_of(const editable_file::line& line, directive_kind kind) {
  return recognise_key(line.key, false, false).kind == kind;
}

[[nodiscard]] inline std::vector<std::string_view> usage_values_of(
    const std::vector<editable_file::line>& lines, directive_kind kind) {
  require_usage_kind(kind);
  std::vector<std::string_view> values;
  for (const editable_file::line& line : lines) {
    if (is_line_of(line, kind)) {
      values.emplace_back(line.value);
    }
  }
  return values;
}

inline bool remove_usage_lines(std::vector<editable_file::line>& lines, directive_kind kind) {
  require_usage_kind(kind);
  const auto new_end =
      std::remove_if(lines.begin(), lines.end(),
                     [kind](const editable_file::line& line) { return is_line_of(line, kind); });
  const bool had_one = new_end != lines.end();
  lines.erase(new_end, lines.end());
  return had_one;
}

inline void add_usage_line(std::vector<editable_file::line>& lines, directive_kind kind,
                           std::string_view value) {
  require_usage_value(kind, value);
  lines.push_back({std::string{to_string(kind)}, std::string{value}});
}

/// The new line is complete before the old lines are removed, since `value` can be a part of them.
inline void replace_usage_lines(std::vector<editable_file::line>& lines, directive_kind kind,
                                std::string_view value) {
  require_usage_value(kind, value);
  editable_file::line line{std::string{to_string(kind)}, std::string{value}};
  remove_usage_lines(lines, kind);
  lines.push_back(std::move(line));
}

}  // namespace rep_detail

ROBOTS_INLINE std::vector<std::string_view> usage_values(const editable_file::group& group,
                                                         directive_kind kind) {
  return rep_detail::usage_values_of(group.lines, kind);
}

ROBOTS_INLINE std::vector<std::string_view> usage_values(const editable_file& file,
                                                         directive_kind kind) {
  return rep_detail::usage_values_of(file.lines, kind);
}

ROBOTS_INLINE void set_usage(editable_file::group& group, directive_kind kind,
                             std::string_view value) {
  rep_detail::replace_usage_lines(group.lines, kind, value);
}

ROBOTS_INLINE void set_usage(editable_file& file, directive_kind kind, std::string_view value) {
  rep_detail::require_before_groups(kind);
  rep_detail::replace_usage_lines(file.lines, kind, value);
}

ROBOTS_INLINE void add_usage(editable_file::group& group, directive_kind kind,
                             std::string_view value) {
  rep_detail::add_usage_line(group.lines, kind, value);
}

ROBOTS_INLINE void add_usage(editable_file& file, directive_kind kind, std::string_view value) {
  rep_detail::require_before_groups(kind);
  rep_detail::add_usage_line(file.lines, kind, value);
}

ROBOTS_INLINE bool remove_usage(editable_file::group& group, directive_kind kind) {
  return rep_detail::remove_usage_lines(group.lines, kind);
}

ROBOTS_INLINE bool remove_usage(editable_file& file, directive_kind kind) {
  return rep_detail::remove_usage_lines(file.lines, kind);
}

}  // namespace robots

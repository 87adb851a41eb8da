#pragma once

#include <robots/rep/read/directive.hpp>

#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace robots {

namespace rep_detail {

/// True for a type of lines that says `static constexpr bool views_text = false`. A value of any
/// other type can have views of the text of the file, so `document::read` refuses a temporary
/// document for it.
template <class Line>
concept has_no_views = requires { requires !Line::views_text; };

}  // namespace rep_detail

/// Reads the lines of one kind among `lines`, in file order. Skips unreadable lines. For example,
/// `read_lines<request_rate>(lines)` reads the Request-rate lines. `Line` is `clean_param`,
/// `content_signal`, `content_usage`, `license_line`, `request_rate` or `visit_time`. Takes linear
/// time.
template <class Line>
[[nodiscard]] constexpr std::vector<Line> read_lines(std::span<const directive> lines) {
  std::vector<Line> result;
  for (const directive& line : lines) {
    if (line.kind != Line::kind) {
      continue;
    }
    if (std::optional value{Line::parse(line.value)}) {
      if constexpr (requires { value->line; }) {
        value->line = line.line;
      }
      result.push_back(*std::move(value));
    }
  }
  return result;
}

}  // namespace robots

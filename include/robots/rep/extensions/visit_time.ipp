#pragma once

#include <robots/base/inline.hpp>
#include <robots/rep/document/document.hpp>
#include <robots/rep/extensions/visit_time.hpp>
#include <robots/rep/read/detail/parse_rate.hpp>
#include <robots/rep/read/detail/read_lines.hpp>
#include <robots/rep/read/directive.hpp>

namespace robots {

ROBOTS_CONSTEXPR std::optional<visit_time> parse_visit_time(std::string_view value) noexcept {
  const auto hours = rep_detail::parse_hours(value);
  if (!hours) {
    return std::nullopt;
  }
  return visit_time{.from = hours->from, .to = hours->to};
}

ROBOTS_CONSTEXPR std::vector<visit_time> visit_times(std::span<const directive> lines) {
  return rep_detail::read_lines(lines, directive_kind::visit_time, parse_visit_time);
}

ROBOTS_CONSTEXPR std::vector<visit_time> visit_times(const document& file,
                                                     std::string_view user_agent) {
  return visit_times(file.directives_for(user_agent));
}

}  // namespace robots

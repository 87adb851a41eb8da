#pragma once

#include <robots/base/ascii.hpp>
#include <robots/base/decimal.hpp>
#include <robots/base/inline.hpp>
#include <robots/rep/document/document.hpp>
#include <robots/rep/extensions/visit_time.hpp>
#include <robots/rep/read/detail/read_lines.hpp>
#include <robots/rep/read/directive.hpp>

#include <cstddef>

namespace robots {

namespace rep_detail {

/// `hhmm`, from 0000 to 2400.
[[nodiscard]] constexpr std::optional<std::chrono::minutes> parse_hhmm(
    std::string_view text) noexcept {
  const auto digits = base::parse_decimal(text);
  if (text.size() != 4 || !digits || *digits > 2400 || *digits % 100 > 59) {
    return std::nullopt;
  }
  const auto hhmm = static_cast<int>(*digits);
  return std::chrono::hours{hhmm / 100} + std::chrono::minutes{hhmm % 100};
}

}  // namespace rep_detail

ROBOTS_CONSTEXPR std::optional<visit_time> parse_visit_time(std::string_view value) noexcept {
  const std::size_t hyphen = value.find('-');
  if (hyphen == std::string_view::npos) {
    return std::nullopt;
  }
  const auto from = rep_detail::parse_hhmm(base::trim(value.substr(0, hyphen), base::is_blank));
  const auto to = rep_detail::parse_hhmm(base::trim(value.substr(hyphen + 1), base::is_blank));
  if (!from || !to) {
    return std::nullopt;
  }
  return visit_time{.from = *from % std::chrono::hours{24}, .to = *to};
}

ROBOTS_CONSTEXPR std::vector<visit_time> visit_times(std::span<const directive> lines) {
  return rep_detail::read_lines(lines, directive_kind::visit_time, parse_visit_time);
}

ROBOTS_CONSTEXPR std::vector<visit_time> visit_times(const document& file,
                                                     std::string_view user_agent) {
  return visit_times(file.directives_for(user_agent));
}

}  // namespace robots

#pragma once

#include <robots/base/inline.hpp>
#include <robots/rep/document/document.hpp>
#include <robots/rep/extensions/request_rate.hpp>
#include <robots/rep/read/detail/parse_rate.hpp>
#include <robots/rep/read/detail/read_lines.hpp>
#include <robots/rep/read/directive.hpp>

#include <utility>

namespace robots {

ROBOTS_CONSTEXPR std::optional<request_rate> parse_request_rate(std::string_view value) noexcept {
  const auto stated = rep_detail::parse_rate(value);
  if (!stated) {
    return std::nullopt;
  }
  request_rate rate{.requests = stated->requests, .per = stated->per};
  if (stated->hours) {
    rate.window = visit_time{.from = stated->hours->from, .to = stated->hours->to};
  }
  return rate;
}

ROBOTS_CONSTEXPR std::vector<request_rate> request_rates(std::span<const directive> lines) {
  return rep_detail::read_lines(lines, directive_kind::request_rate, parse_request_rate);
}

ROBOTS_CONSTEXPR std::vector<request_rate> request_rates(const document& file,
                                                         std::string_view user_agent) {
  return request_rates(file.directives_for(user_agent));
}

ROBOTS_CONSTEXPR std::optional<request_rate> rate_at(std::span<const request_rate> rates,
                                                     std::chrono::minutes utc) noexcept {
  const auto place = [](const request_rate& rate) {
    return std::pair{rate.window.has_value(), rate.interval()};
  };
  std::optional<request_rate> slowest;
  for (const request_rate& rate : rates) {
    if (rate.window && !rate.window->contains(utc)) {
      continue;
    }
    if (!slowest || place(rate) > place(*slowest)) {
      slowest = rate;
    }
  }
  return slowest;
}

}  // namespace robots

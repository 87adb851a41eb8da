#pragma once

#include <robots/policy/policy.hpp>
#include <robots/polite/crawl_delay.hpp>
#include <robots/rep/extensions/request_rate.hpp>
#include <robots/time/wall_time.hpp>

#include <chrono>
#include <optional>
#include <vector>

namespace robots::polite_detail {

/// The interval of the Request-rate that holds at `when`; null rules have none.
[[nodiscard]] inline std::optional<std::chrono::milliseconds> interval_at(const policy* rules,
                                                                          wall_time when) noexcept {
  if (rules == nullptr || rules->request_rates().empty()) {
    return std::nullopt;
  }
  const std::vector<request_rate>& rates = rules->request_rates();
  const auto rate = rate_at({rates.data(), rates.size()}, utc_minutes(when));
  return rate ? std::optional{rate->interval()} : std::nullopt;
}

/// The delays that rules ask for, but for Request-rate.
[[nodiscard]] inline delay_inputs fixed_delays_of(const policy* rules) noexcept {
  if (rules == nullptr) {
    return {};
  }
  return {.crawl_delay = rules->crawl_delay(), .file_delay = rules->file_delay()};
}

/// The delays that rules ask for at `when`.
[[nodiscard]] inline delay_inputs delays_at(const policy* rules, wall_time when) noexcept {
  delay_inputs inputs = fixed_delays_of(rules);
  inputs.request_rate = interval_at(rules, when);
  return inputs;
}

}  // namespace robots::polite_detail

#pragma once

#include <robots/policy/policy.hpp>
#include <robots/polite/crawl_delay.hpp>
#include <robots/rep/extensions/request_rate.hpp>
#include <robots/time/wall_time.hpp>

#include <vector>

namespace robots::polite_detail {

/// The delays that rules ask for at `when`; null rules ask for none.
[[nodiscard]] inline delay_inputs delays_at(const policy* rules, wall_time when) noexcept {
  delay_inputs inputs;
  if (rules == nullptr) {
    return inputs;
  }
  inputs.crawl_delay = rules->crawl_delay();
  inputs.file_delay = rules->file_delay();
  const std::vector<request_rate>& rates = rules->request_rates();
  if (const auto rate = rate_at({rates.data(), rates.size()}, utc_minutes(when))) {
    inputs.request_rate = rate->interval();
  }
  return inputs;
}

}  // namespace robots::polite_detail

// The common parts of the gate's tests.
#pragma once

#include "support/site_rules.hpp"
#include <robots/policy/policy.hpp>
#include <robots/polite/gate_options.hpp>
#include <robots/polite/start_plan.hpp>
#include <robots/rep/rules/crawler_directives.hpp>

#include <chrono>
#include <memory>
#include <string>
#include <string_view>

namespace robots::test {

/// The report of a successful request.
inline constexpr request_report fine{.response_time = std::chrono::milliseconds{10}, .status = 200};

/// Makes the policy of a robots.txt with these lines for all crawlers.
[[nodiscard]] inline std::shared_ptr<const policy> policy_with(std::string_view lines) {
  return std::make_shared<const policy>(
      directives_for("User-agent: *\nAllow: /\n" + std::string{lines}, "FooBot"),
      record_head{{.outcome = outcome::success, .status = 200}});
}

/// Makes options with a fixed delay and a fixed seed.
[[nodiscard]] inline gate_options gate_with(
    std::chrono::nanoseconds fixed_delay = std::chrono::seconds{1}) {
  gate_options options;
  options.delay.fixed_delay = fixed_delay;
  options.seed = 42;
  return options;
}

}  // namespace robots::test

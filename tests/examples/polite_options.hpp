// The options of the example. Its delays are milliseconds; those of a real crawler are seconds.
#pragma once

#include "crawl.hpp"
#include "generated_web.hpp"

#include <chrono>

namespace robots::example {

/// Returns the options of the example. They exclude agency.gov. They stop visits to a host that
/// sends HTML for its robots.txt, and to a host that refuses pages which its robots.txt allows.
/// They skip a host that asks for an hour between requests.
[[nodiscard]] inline crawl_options polite_options(const generated_web& web) {
  crawl_options options{.cache = {.user_agent = "ExampleBot/1.0 (+https://bot.example/)",
                                  .fallback = fallback_policy::rfc9309().with(
                                      outcome::malformed, fallback_action::deny_all),
                                  .excluded = {"gov"}}};
  options.cache.min_ttl = std::chrono::seconds{1};
  options.cache.retry.base = std::chrono::milliseconds{20};
  options.rulings = {.halt_hostile = true, .halt_revoked = true, .quarantine_after = 1};
  options.client = web.client_options();
  gate_options& gate = options.gate;
  gate.delay = {.fixed_delay = std::chrono::milliseconds{2},
                .cap = std::chrono::seconds{10},
                .skip_above_cap = true};
  // The delay begins with the response. So the server sees the whole delay, however slow the
  // network is.
  gate.delay_from_response = true;
  gate.slow_down.first = std::chrono::milliseconds{5};
  return options;
}

}  // namespace robots::example

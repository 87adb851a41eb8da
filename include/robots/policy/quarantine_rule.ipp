#pragma once

#include <robots/base/inline.hpp>
#include <robots/fetch/outcome.hpp>
#include <robots/policy/judge_options.hpp>
#include <robots/policy/policy.hpp>
#include <robots/policy/quarantine_rule.hpp>
#include <robots/policy/record.hpp>

#include <utility>

namespace robots {

ROBOTS_INLINE quarantine_step quarantine_step_of(const policy& judged) noexcept {
  const outcome kind = judged.source().outcome;
  if (kind == outcome::malformed && judged.basis() != policy_basis::rules) {
    return quarantine_step::count;
  }
  return is_failure(kind) ? quarantine_step::none : quarantine_step::release;
}

ROBOTS_INLINE std::shared_ptr<const policy> quarantined(const policy& malformed,
                                                        std::string_view user_agent,
                                                        const judge_options& options) {
  record_head source = malformed.source();
  source.outcome = outcome::quarantined;
  source.error_text = "its files are malformed again and again; release it after a look";
  const fallback_action action = options.fallback.action(source);
  return std::make_shared<const policy>(action, user_agent, std::move(source), nullptr,
                                        malformed.fetched_at(), malformed.findings());
}

}  // namespace robots

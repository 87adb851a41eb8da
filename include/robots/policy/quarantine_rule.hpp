#pragma once

#include <robots/fetch/outcome.hpp>
#include <robots/policy/any_fallback_policy.hpp>
#include <robots/policy/policy.hpp>
#include <robots/policy/record.hpp>
#include <robots/rep/read/file_findings.hpp>
#include <robots/time/clock.hpp>

#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace robots::detail {

/// The effect of a new policy on the number of malformed files in a row (the pipeline guide:
/// "quarantine the target").
enum class quarantine_step {
  none,     ///< no effect, since the site did not answer
  count,    ///< the file is malformed and not obeyed, so the number grows by 1
  release,  ///< the site gave another answer, so the number becomes 0
};

/// Returns the effect of `judged` on the number of malformed files.
[[nodiscard]] inline quarantine_step quarantine_step_of(const policy& judged) noexcept {
  const outcome kind = judged.outcome();
  if (kind == outcome::malformed && judged.basis() != policy_basis::rules) {
    return quarantine_step::count;
  }
  return is_failure(kind) ? quarantine_step::none : quarantine_step::release;
}

/// Returns the policy of a site in quarantine. `source` is the head of the last record of the site,
/// if known. `why` is the reason for the quarantine.
[[nodiscard]] inline std::shared_ptr<const policy> quarantined(
    record_head source, std::string_view why, std::string_view user_agent,
    const detail::any_fallback_policy& fallback, time_point fetched_at = {},
    file_findings findings = {}) {
  source.outcome = outcome::quarantined;
  source.error_text = std::string{why} + "; check the site, then release it";
  return std::make_shared<const policy>(fallback.action(source), user_agent, source, nullptr,
                                        fetched_at, std::move(findings));
}

}  // namespace robots::detail

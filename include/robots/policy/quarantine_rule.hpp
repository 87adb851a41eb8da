#pragma once

#include <robots/fetch/outcome.hpp>
#include <robots/policy/judge_options.hpp>
#include <robots/policy/policy.hpp>
#include <robots/policy/record.hpp>

#include <memory>
#include <string_view>
#include <utility>

namespace robots {

/// What a new policy does to the count of malformed files in a row (the pipeline guide: "quarantine
/// the target").
enum class quarantine_step {
  none,     ///< nothing: the site gave no answer
  count,    ///< its file is malformed and denied for that: one more
  release,  ///< its answer is none of these: the count ends
};

/// What `judged` does to that count.
[[nodiscard]] inline quarantine_step quarantine_step_of(const policy& judged) noexcept {
  const outcome kind = judged.outcome();
  if (kind == outcome::malformed && judged.basis() != policy_basis::rules) {
    return quarantine_step::count;
  }
  return is_failure(kind) ? quarantine_step::none : quarantine_step::release;
}

/// What holds for a site in quarantine, whose last file led to `malformed`.
[[nodiscard]] inline std::shared_ptr<const policy> quarantined(const policy& malformed,
                                                               std::string_view user_agent,
                                                               const judge_options& options) {
  record_head source = malformed.source();
  source.outcome = outcome::quarantined;
  source.error_text = "its files are malformed again and again; release it after a look";
  const fallback_action action = options.fallback.action(source);
  return std::make_shared<const policy>(action, user_agent, source, nullptr, malformed.fetched_at(),
                                        malformed.findings());
}

}  // namespace robots

#pragma once

#include <robots/base/inline.hpp>

#include <memory>
#include <string_view>

namespace robots {

class policy;
struct judge_options;

/// What a new policy does to the count of malformed files in a row (the pipeline guide: "quarantine
/// the target").
enum class quarantine_step {
  none,     ///< nothing: the site gave no answer
  count,    ///< its file is malformed and denied for that: one more
  release,  ///< its answer is none of these: the count ends
};

/// What `judged` does to that count.
[[nodiscard]] quarantine_step quarantine_step_of(const policy& judged) noexcept;

/// What holds for a site in quarantine, whose last file led to `malformed`.
[[nodiscard]] std::shared_ptr<const policy> quarantined(const policy& malformed,
                                                        std::string_view user_agent,
                                                        const judge_options& options);

}  // namespace robots

#ifndef ROBOTS_COMPILED
#include <robots/policy/quarantine_rule.ipp>
#endif

#pragma once

#include <robots/base/config.hpp>
#include <robots/fetch/known_copy.hpp>
#include <robots/fetch/outcome.hpp>
#include <robots/fetch/retrieval_result.hpp>
#include <robots/policy/any_fallback_policy.hpp>
#include <robots/policy/judge_options.hpp>
#include <robots/policy/lifetime.hpp>
#include <robots/policy/policy.hpp>
#include <robots/policy/record.hpp>
#include <robots/rep/read/crawler_names.hpp>
#include <robots/rep/read/malformed_limit.hpp>
#include <robots/time/clock.hpp>

#include <memory>
#include <string_view>

namespace robots::detail {

/// The policies of a site before a new record is judged.
struct earlier_policies {
  std::shared_ptr<const policy> last{};  ///< the policy that the new policy will replace, or null
  std::shared_ptr<const policy> unchanged{};  ///< the policy that a 304 can confirm, or null
};

/// Returns the URL and the validators of the last robots.txt, if there is one.
[[nodiscard]] detail::known_copy known_copy_of(const std::shared_ptr<const policy>& last);

/// Returns the record of a retrieval that ended at `now`. For `random`, see `failure_lifetime`.
[[nodiscard]] record record_of(detail::retrieval_result retrieved, const earlier_policies& before,
                               const judge_options& options, wall_time now, double random);

/// Returns `good`, or null if `good` is null or older than `last_good_for` at `now`.
[[nodiscard]] std::shared_ptr<const policy> if_young(const std::shared_ptr<const policy>& good,
                                                     time_point now, const judge_options& options);

/// Returns the limit of malformed lines in force: the fallback policy decides what the user did
/// not.
[[nodiscard]] malformed_limit limit_of(const judge_options& options);

/// Returns the action for `head`, which is not that of `judge_options::fallback` if the site counts
/// as one without a robots.txt. If so, also gives `head.error_text` the reason.
[[nodiscard]] fallback_action action_for(record_head& head, const judge_options& options);

/// Judges the record of a retrieval: makes the policy that the site has for one crawler. The policy
/// is the successor of `before.last`. Only this function and `judge_redirected` interpret records.
///
/// A file is read in its charset. If there is no file to obey, `judge_options::fallback` decides.
/// Content never causes an exception. Takes linear time in the size of the body.
[[nodiscard]] std::shared_ptr<const policy> judge(const record& retrieved,
                                                  const crawler_names_view& crawler,
                                                  const judge_options& options,
                                                  const earlier_policies& before,
                                                  const wall_anchor& now);

/// Makes the policy of a site that redirects to another site, whose policy is `target`. `head` is
/// the combined result of the requests along the redirects. If `target` is not based on rules, the
/// fallback policy chooses the action for `head`.
///
/// `own` is the answer of the redirecting site before the redirect (`policy::before_redirects`), or
/// null. If `target` has no last good copy, `own` serves as this copy unless `own` is too old.
[[nodiscard]] std::shared_ptr<const policy> judge_redirected(
    record_head head, const std::shared_ptr<const policy>& target,
    const crawler_names_view& crawler, const judge_options& options,
    const std::shared_ptr<const policy>& own);

/// Returns the policy of a site in quarantine. `source` is the last record of the site, if known.
[[nodiscard]] std::shared_ptr<const policy> quarantined(
    record_head source, std::string_view why, const crawler_names_view& crawler,
    const detail::any_fallback_policy& fallback);

}  // namespace robots::detail

#ifndef ROBOTS_COMPILED
#include <robots/policy/judge.bodies.hpp>
#endif

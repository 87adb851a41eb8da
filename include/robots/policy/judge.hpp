#pragma once

#include <robots/base/inline.hpp>
#include <robots/fetch/known_copy.hpp>
#include <robots/policy/judge_options.hpp>
#include <robots/policy/policy.hpp>
#include <robots/policy/record.hpp>
#include <robots/time/clock.hpp>
#include <robots/time/wall_time.hpp>

#include <memory>
#include <string_view>

namespace robots {

/// What is known of a site when a record of it is judged.
struct earlier_policies {
  std::shared_ptr<const policy> last{};       ///< the one to be replaced, if any
  std::shared_ptr<const policy> unchanged{};  ///< the one that a 304 speaks of, if it was asked for
};

/// The file by which to ask whether anything has changed.
[[nodiscard]] known_copy known_copy_of(const std::shared_ptr<const policy>& last);

/// The record of a retrieval that ended at `now`. `random`, from 0 to 1, spreads the lifetimes of
/// failures.
[[nodiscard]] record record_of(retrieval_result retrieved, const earlier_policies& before,
                               const judge_options& options, wall_time now, double random);

/// What a site permits one crawler, by what a retrieval brought: the one place that says what a
/// record means. `now` is one moment by both clocks.
///
/// A file is read in its charset, and too broken a one counts as `outcome::malformed`. Where there
/// is nothing to obey, `judge_options::fallback` says what holds; a last good copy counts until it
/// is older than `judge_options::last_good_for`. The policy is numbered after `before.last`. Never
/// throws on content; linear in the body.
[[nodiscard]] std::shared_ptr<const policy> judge(record_head head, std::string_view body,
                                                  std::string_view user_agent,
                                                  const judge_options& options,
                                                  const earlier_policies& before,
                                                  const wall_anchor& now);
/// The same of a whole record.
[[nodiscard]] inline std::shared_ptr<const policy> judge(const record& brought,
                                                         std::string_view user_agent,
                                                         const judge_options& options,
                                                         const earlier_policies& before,
                                                         const wall_anchor& now) {
  return judge(brought, brought.body, user_agent, options, before, now);
}
/// The same of one that is needed no more, whose texts the policy takes over.
[[nodiscard]] inline std::shared_ptr<const policy> judge(record&& brought,
                                                         std::string_view user_agent,
                                                         const judge_options& options,
                                                         const earlier_policies& before,
                                                         const wall_anchor& now) {
  return judge(static_cast<record_head&&>(brought), brought.body, user_agent, options, before, now);
}

/// What a site permits that redirects to another one, whose file came: by `theirs`, the same rules
/// for as long as they are fresh. Where those were not read, there is nothing to parse. `head` is
/// what the site itself answered with, and what came of it; `last` is the policy to be replaced.
[[nodiscard]] std::shared_ptr<const policy> judge_redirected(
    record_head head, const policy& theirs, std::string_view user_agent,
    const judge_options& options, const std::shared_ptr<const policy>& last);

}  // namespace robots

#ifndef ROBOTS_COMPILED
#include <robots/policy/judge.ipp>
#endif

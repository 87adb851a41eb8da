#pragma once

#include <robots/base/config.hpp>
#include <robots/fetch/known_copy.hpp>
#include <robots/fetch/outcome.hpp>
#include <robots/fetch/retrieval_result.hpp>
#include <robots/policy/any_fallback_policy.hpp>
#include <robots/policy/policy.hpp>
#include <robots/policy/record.hpp>
#include <robots/rep/read/crawler_names.hpp>
#include <robots/rep/read/malformed_limit.hpp>
#include <robots/rep/read/parse_options.hpp>
#include <robots/time/clock.hpp>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <string_view>

namespace robots::detail {

/// The options of `judge` and `lifetime_of`. `cache_options` describes the members except
/// `breaker_cooldown`.
struct judge_options {
  detail::any_fallback_policy fallback;
  parse_options parse{};
  malformed_limit malformed{};
  bool keep_text = false;
  std::chrono::seconds default_ttl = std::chrono::hours{24};
  std::chrono::seconds min_ttl = std::chrono::minutes{5};
  std::chrono::seconds max_ttl = std::chrono::hours{24};
  std::chrono::seconds failure_ttl = std::chrono::minutes{5};
  std::optional<std::chrono::seconds> unreachable_ttl{};
  std::chrono::seconds max_failure_ttl = std::chrono::hours{1};
  double failure_jitter = 0.1;
  std::chrono::seconds breaker_cooldown = std::chrono::minutes{1};  ///< after `circuit_open`
  std::chrono::seconds last_good_for = std::chrono::days{30};
  std::chrono::seconds no_file_after{0};
  std::chrono::seconds stale_while_revalidate{0};
};

/// Throws `std::invalid_argument` if an option is invalid. The message says what to change.
void validate(const judge_options& options);

/// Returns the lifetime of a failure. `failures` is the number of failures in a row, including this
/// failure. `random`, from 0 to 1, shortens the lifetime a little, so that sites that failed
/// together are asked at different times.
[[nodiscard]] constexpr std::chrono::seconds failure_lifetime(
    const judge_options& options, int failures, double random,
    outcome kind = outcome::server_error) {
  using std::chrono::seconds;
  seconds lifetime = options.failure_ttl;
  if (kind == outcome::unreachable && options.unreachable_ttl) {
    lifetime = *options.unreachable_ttl;
  }
  const seconds most = (std::max)(lifetime, options.max_failure_ttl);
  for (int i = 1; i < failures && lifetime < most && lifetime.count() > 0; ++i) {
    lifetime = lifetime > most / 2 ? most : 2 * lifetime;
  }
  if (lifetime > std::chrono::years{100}) {
    return lifetime;  // practically unlimited, and too long for exact arithmetic in `double`
  }
  const double less = options.failure_jitter * random;
  return lifetime -
         seconds{static_cast<seconds::rep>(static_cast<double>(lifetime.count()) * less)};
}

/// Returns the lifetime of a record: the lifetime that the server states, within the limits of the
/// options. `unchanged` is the record that a 304 has confirmed, or null. If the 304 states no
/// lifetime, the lifetime of `unchanged` applies again (RFC 9111, section 4.3.4).
[[nodiscard]] std::chrono::seconds lifetime_of(const record_head& head,
                                               const record_head* unchanged,
                                               const judge_options& options, double random);

/// Completes a head whose outcome is final: counts the failure, reads the lifetime that the server
/// states, and sets the lifetime in force. `failures` is the number of failures in a row before it.
/// For `unchanged` and `random`, see `lifetime_of`.
void set_lifetime(record_head& head, int failures, const record_head* unchanged,
                  const judge_options& options, wall_time now, double random);

/// The times until which a policy is fresh, usable and kept.
struct validity {
  time_point fresh_until{};  ///< the policy answers without a request until this time
  /// Until this time, a stale policy can answer during its renewal. `stale_until` is never before
  /// `fresh_until`.
  time_point stale_until{};
  time_point keep_until{};  ///< the cache keeps the policy no longer than this time
};

/// Returns the times until which `last` is fresh, usable and kept. A last good copy is usable for
/// `last_good_for` after its fetch. `keep_until` is at least `last_good_for` after the fetch of
/// `last`, since the next policy needs the rules, failure count and version of `last`. After a
/// failure, it is also at least `no_file_after`, since the next policy adds to `failing_for`.
[[nodiscard]] validity validity_of(const policy& last, const judge_options& options);

/// Returns true if an expired policy is still useful: for its failure count, as the last good copy,
/// or for a 304.
[[nodiscard]] bool is_of_use_when_over(const policy& last, const judge_options& options);

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

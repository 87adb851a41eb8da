#pragma once

#include <robots/fetch/outcome.hpp>
#include <robots/policy/judge_options.hpp>
#include <robots/policy/policy.hpp>
#include <robots/policy/record.hpp>
#include <robots/time/clock.hpp>

#include <algorithm>
#include <chrono>

namespace robots::detail {

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

}  // namespace robots::detail

#ifndef ROBOTS_COMPILED
#include <robots/policy/lifetime.bodies.hpp>
#endif

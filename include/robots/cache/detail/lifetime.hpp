#pragma once

#include <robots/base/saturating_add.hpp>
#include <robots/cache/cache_options.hpp>
#include <robots/fetch/outcome.hpp>
#include <robots/fetch/retrieval_result.hpp>
#include <robots/http/freshness.hpp>
#include <robots/http/retry_after.hpp>
#include <robots/policy/policy.hpp>
#include <robots/store/storage.hpp>
#include <robots/time/clock.hpp>

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>

namespace robots::detail {

/// Whether an outcome is no answer of the site, so that it is asked again sooner.
[[nodiscard]] constexpr bool is_failure(outcome what) noexcept {
  switch (what) {
    case outcome::success:
    case outcome::not_found:
    case outcome::client_error:
    case outcome::malformed:
      return false;
    default:
      return true;
  }
}

/// How long a failure is remembered that is the `failures`th in a row: doubled with each, up to a
/// limit, and a little less by chance (`random`, from 0 to 1), so that sites which failed together
/// are not asked together.
[[nodiscard]] constexpr std::chrono::seconds failure_lifetime(const cache_options& options,
                                                              int failures, double random) {
  using std::chrono::seconds;
  const seconds most = std::max(options.failure_ttl, options.max_failure_ttl);
  seconds lifetime = options.failure_ttl;
  for (int i = 1; i < failures && lifetime < most && lifetime.count() > 0; ++i) {
    lifetime = lifetime > most / 2 ? most : 2 * lifetime;
  }
  if (lifetime > std::chrono::years{100}) {
    return lifetime;  // as good as for ever; and a part of it might not be told as a double
  }
  const double less = options.failure_jitter * random;
  return lifetime -
         seconds{static_cast<seconds::rep>(static_cast<double>(lifetime.count()) * less)};
}

/// How long the outcome of a retrieval is used. What a server says by Cache-Control, Expires or
/// Retry-After counts within the limits that the options set; a 304 that says nothing leaves the
/// lifetime as it was (RFC 9111, section 4.3.4).
[[nodiscard]] inline std::chrono::seconds lifetime(const retrieval_result& result, int failures,
                                                   const policy* unchanged,
                                                   const cache_options& options, double random) {
  const auto now = std::chrono::system_clock::now();
  if (result.outcome == outcome::circuit_open) {
    return std::min(options.breaker.cooldown, options.max_ttl);
  }
  if (is_failure(result.outcome)) {
    const auto least = std::min(failure_lifetime(options, failures, random), options.max_ttl);
    return std::clamp(retry_after(result.headers, now).value_or(least), least, options.max_ttl);
  }
  const std::chrono::seconds otherwise =
      unchanged != nullptr ? unchanged->source().lifetime : options.default_ttl;
  return std::clamp(freshness_lifetime(result.headers, now).value_or(otherwise), options.min_ttl,
                    options.max_ttl);
}

/// Until when a policy that is fresh until then may answer while it is renewed: a last good copy
/// not for longer than it counts.
[[nodiscard]] inline time_point stale_until(const policy& kept, time_point fresh_until,
                                            const cache_options& options) {
  const time_point until = saturating_add(fresh_until, options.stale_while_revalidate);
  return kept.basis() != policy_basis::last_good
             ? until
             : std::min(until,
                        saturating_add(kept.rules_source().fetched_at, options.last_good_for));
}

/// Whether an entry, if it is one, is no longer fresh and may answer while it is renewed.
[[nodiscard]] inline bool may_serve_stale(const cache_entry& kept, const cache_options& options,
                                          time_point now) {
  return kept.policy && now >= kept.fresh_until &&
         now < stale_until(*kept.policy, kept.fresh_until, options);
}

/// The entry that keeps `made`: as long as it is fresh, while it may be served stale, and for as
/// long as a last good copy counts, since until then the next policy goes by it: by its rules, its
/// failures in a row, its version.
[[nodiscard]] inline cache_entry make_entry(std::shared_ptr<const policy> made,
                                            const cache_options& options, time_point now) {
  const std::chrono::seconds lifetime = made->source().lifetime;
  cache_entry entry{.policy = std::move(made), .fresh_until = saturating_add(now, lifetime)};
  if (entry.policy->basis() == policy_basis::last_good) {
    const time_point good_until =
        saturating_add(entry.policy->rules_source().fetched_at, options.last_good_for);
    entry.fresh_until = std::min(entry.fresh_until, good_until);
  }
  entry.keep_until = std::max({saturating_add(now, options.last_good_for), entry.fresh_until,
                               stale_until(*entry.policy, entry.fresh_until, options)});
  return entry;
}

}  // namespace robots::detail

#pragma once

#include <robots/base/config.hpp>
#include <robots/base/saturating_add.hpp>
#include <robots/http/freshness.hpp>
#include <robots/http/retry_after.hpp>
#include <robots/policy/fallback.hpp>
#include <robots/policy/lifetime.hpp>

#include <limits>

namespace robots::detail {

ROBOTS_INLINE std::chrono::seconds lifetime_of(const record_head& head,
                                               const record_head* unchanged,
                                               const judge_options& options, double random) {
  if (head.outcome == outcome::circuit_open) {
    return (std::min)(options.breaker_cooldown, options.max_ttl);
  }
  if (is_failure(head.outcome)) {
    const auto least =
        (std::min)(failure_lifetime(options, head.failures, random, head.outcome), options.max_ttl);
    return std::clamp(head.server_lifetime.value_or(least), least, options.max_ttl);
  }
  const std::chrono::seconds otherwise =
      unchanged != nullptr ? unchanged->lifetime : options.default_ttl;
  return (std::min)((std::max)(head.server_lifetime.value_or(otherwise), options.min_ttl),
                    options.max_ttl);
}

ROBOTS_INLINE void set_lifetime(record_head& head, int failures, const record_head* unchanged,
                                const judge_options& options, wall_time now, double random) {
  if (is_failure(head.outcome)) {
    const bool one_more =
        head.outcome != outcome::circuit_open && failures < (std::numeric_limits<int>::max)();
    head.failures = failures + (one_more ? 1 : 0);
    head.server_lifetime = retry_after(head.headers, now);
  } else {
    head.server_lifetime = freshness_lifetime(head.headers, now);
  }
  head.lifetime = lifetime_of(head, unchanged, options, random);
}

ROBOTS_INLINE validity validity_of(const policy& last, const judge_options& options) {
  using base::saturating_add;
  validity result;
  result.fresh_until = saturating_add(last.fetched_at(), last.source_view().lifetime);
  const time_point good_until = last.basis() == policy_basis::last_good
                                    ? saturating_add(last.rules_fetched_at(), options.last_good_for)
                                    : (time_point::max)();
  result.fresh_until = (std::min)(result.fresh_until, good_until);
  result.stale_until =
      (std::min)(saturating_add(result.fresh_until, options.stale_while_revalidate), good_until);
  result.keep_until =
      (std::max)(saturating_add(last.fetched_at(), options.last_good_for), result.stale_until);
  if (options.no_file_after.count() > 0 && is_failure(last.outcome())) {
    // One more day, so that a crawler that asks once in this time finds the record.
    const time_point counted_until = saturating_add(last.fetched_at(), options.no_file_after);
    result.keep_until =
        (std::max)(result.keep_until, saturating_add(counted_until, std::chrono::days{1}));
  }
  return result;
}

ROBOTS_INLINE bool is_of_use_when_over(const policy& last, const judge_options& options) {
  // Every fallback policy except `permissive` can choose the last good copy.
  const bool is_permissive = options.fallback.name() == fallback_policy::permissive().name();
  return !is_permissive || is_failure(last.outcome()) || last.source_view().has_validators;
}

}  // namespace robots::detail

#pragma once

#include <robots/base/saturating_add.hpp>
#include <robots/fetch/outcome.hpp>
#include <robots/policy/fallback.hpp>
#include <robots/policy/policy.hpp>
#include <robots/policy/record.hpp>
#include <robots/rep/read/file_findings.hpp>
#include <robots/rep/read/parse_options.hpp>
#include <robots/time/clock.hpp>

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <string>
#include <utility>

namespace robots::detail {

/// The options of `judge` and `lifetime_of`, which the cache copies from `cache_options`.
struct judge_options {
  detail::any_fallback_policy fallback;  ///< see `cache_options::fallback`
  parse_options parse{};                 ///< the options for parsing robots.txt files
  malformed_limit malformed{};           ///< a file above this limit has `outcome::malformed`
  bool keep_text = false;                ///< true to keep the text of each file with its policy

  /// The lifetime of an answer for which the server states no lifetime. It is at most `max_ttl`.
  std::chrono::seconds default_ttl = std::chrono::hours{24};
  std::chrono::seconds min_ttl = std::chrono::minutes{5};  ///< the minimum lifetime of an answer
  std::chrono::seconds max_ttl = std::chrono::hours{24};   ///< the maximum lifetime of any record
  std::chrono::seconds failure_ttl = std::chrono::minutes{5};  ///< the lifetime of a first failure
  /// The maximum lifetime of a failure. With each failure in a row, the lifetime doubles.
  std::chrono::seconds max_failure_ttl = std::chrono::hours{1};
  double failure_jitter = 0.1;  ///< the share of a failure's lifetime that is random, from 0 to 1
  /// The lifetime of the policy after `outcome::circuit_open`.
  std::chrono::seconds breaker_cooldown = std::chrono::minutes{1};
  /// The maximum age of a last good copy that applies.
  std::chrono::seconds last_good_for = std::chrono::days{30};
  /// The time for which a stale policy can answer while it is renewed.
  std::chrono::seconds stale_while_revalidate{0};
};

/// Throws `std::invalid_argument` if an option is invalid. The message says what to change.
inline void validate(const judge_options& options) {
  if (options.parse.max_bytes == 0) {
    throw std::invalid_argument{
        "parse.max_bytes is 0, so that every file would be empty and allow all: use 512'000 or "
        "more, as RFC 9309 asks"};
  }
  for (const auto& [name, duration] :
       {std::pair{"min_ttl", options.min_ttl}, std::pair{"max_ttl", options.max_ttl},
        std::pair{"default_ttl", options.default_ttl},
        std::pair{"failure_ttl", options.failure_ttl},
        std::pair{"max_failure_ttl", options.max_failure_ttl},
        std::pair{"last_good_for", options.last_good_for},
        std::pair{"stale_while_revalidate", options.stale_while_revalidate}}) {
    if (duration.count() < 0) {
      throw std::invalid_argument{std::string{name} + " is " + std::to_string(duration.count()) +
                                  " s: use 0 s or more"};
    }
  }
  if (!(options.failure_jitter >= 0.0 && options.failure_jitter <= 1.0)) {
    throw std::invalid_argument{"failure_jitter is " + std::to_string(options.failure_jitter) +
                                ": use a number from 0 to 1"};
  }
  if (!(options.malformed.share >= 0.0 && options.malformed.share <= 1.0)) {
    throw std::invalid_argument{"malformed.share is " + std::to_string(options.malformed.share) +
                                ": use a number from 0 to 1"};
  }
}

/// Returns the lifetime of the last of `failures` failures in a row. The lifetime doubles with each
/// failure, up to `max_failure_ttl`. `random`, from 0 to 1, shortens the lifetime a little, so that
/// sites that failed together are not asked together.
[[nodiscard]] constexpr std::chrono::seconds failure_lifetime(const judge_options& options,
                                                              int failures, double random) {
  using std::chrono::seconds;
  const seconds most = (std::max)(options.failure_ttl, options.max_failure_ttl);
  seconds lifetime = options.failure_ttl;
  for (int i = 1; i < failures && lifetime < most && lifetime.count() > 0; ++i) {
    lifetime = lifetime > most / 2 ? most : 2 * lifetime;
  }
  if (lifetime > std::chrono::years{100}) {
    return lifetime;  // practically unlimited; a double cannot hold its share exactly
  }
  const double less = options.failure_jitter * random;
  return lifetime -
         seconds{static_cast<seconds::rep>(static_cast<double>(lifetime.count()) * less)};
}

/// Returns the lifetime of a record. The lifetime that the server states applies, within the limits
/// of the options. If a 304 states no lifetime, the confirmed file, `unchanged`, keeps its lifetime
/// (RFC 9111, section 4.3.4). `unchanged` is null for any other record.
[[nodiscard]] inline std::chrono::seconds lifetime_of(const record_head& head,
                                                      const record_head* unchanged,
                                                      const judge_options& options, double random) {
  if (head.outcome == outcome::circuit_open) {
    return (std::min)(options.breaker_cooldown, options.max_ttl);
  }
  if (is_failure(head.outcome)) {
    const auto least =
        (std::min)(failure_lifetime(options, head.failures, random), options.max_ttl);
    return std::clamp(head.server_lifetime.value_or(least), least, options.max_ttl);
  }
  const std::chrono::seconds otherwise =
      unchanged != nullptr ? unchanged->lifetime : options.default_ttl;
  return (std::min)((std::max)(head.server_lifetime.value_or(otherwise), options.min_ttl),
                    options.max_ttl);
}

/// The times until which a policy is used.
struct validity {
  time_point fresh_until{};  ///< the policy answers without a request until this time
  /// Until this time, which is not before `fresh_until`, the policy can answer while it is renewed.
  time_point stale_until{};
  time_point keep_until{};  ///< the cache keeps the policy until this time, for the next policy
};

/// Returns the times until which a policy is used. A policy answers for the lifetime of its record.
/// A policy that obeys a last good copy answers at most until this copy is older than
/// `last_good_for`. The cache keeps the policy for at least `last_good_for`, since the next policy
/// needs its rules, its failure count, and its version.
[[nodiscard]] inline validity validity_of(const policy& last, const judge_options& options) {
  using base::saturating_add;
  validity result;
  result.fresh_until = saturating_add(last.fetched_at(), last.source().lifetime);
  const time_point good_until = last.basis() == policy_basis::last_good
                                    ? saturating_add(last.rules_fetched_at(), options.last_good_for)
                                    : (time_point::max)();
  result.fresh_until = (std::min)(result.fresh_until, good_until);
  result.stale_until =
      (std::min)(saturating_add(result.fresh_until, options.stale_while_revalidate), good_until);
  result.keep_until =
      (std::max)(saturating_add(last.fetched_at(), options.last_good_for), result.stale_until);
  return result;
}

/// Returns true if an expired policy is still useful: for its failure count, for its rules as a
/// fallback, or for its file, which a 304 can confirm.
[[nodiscard]] inline bool is_of_use_when_over(const policy& last, const judge_options& options) {
  const record_head source = last.source();
  // Any other fallback policy can choose a last good copy.
  const bool is_permissive = options.fallback.name() == fallback_policy::permissive().name();
  return !is_permissive || is_failure(source.outcome) || !source.validators.etag.empty() ||
         !source.validators.last_modified.empty();
}

}  // namespace robots::detail

#pragma once

#include <robots/base/inline.hpp>
#include <robots/cache/cache_options.hpp>
#include <robots/fetch/retrieval_options.hpp>
#include <robots/http/excluded_hosts.hpp>
#include <robots/policy/judge_options.hpp>

#include <stdexcept>
#include <utility>

namespace robots {

namespace cache_detail {

ROBOTS_INLINE retrieval_options
retrieval_options_of(const cache_options& options, std::shared_ptr<const excluded_hosts> excluded) {
  return {.user_agent = options.user_agent,
          .max_redirects = options.max_redirects,
          .timeout = options.timeout,
          .excluded = std::move(excluded),
          .max_bytes = options.parse.max_bytes,
          .retry = options.retry};
}

ROBOTS_INLINE judge_options judge_options_of(const cache_options& options) {
  return {.fallback = options.fallback,
          .parse = options.parse,
          .malformed = options.malformed,
          .default_ttl = options.default_ttl,
          .min_ttl = options.min_ttl,
          .max_ttl = options.max_ttl,
          .failure_ttl = options.failure_ttl,
          .max_failure_ttl = options.max_failure_ttl,
          .failure_jitter = options.failure_jitter,
          .breaker_cooldown = options.breaker.cooldown,
          .last_good_for = options.last_good_for,
          .stale_while_revalidate = options.stale_while_revalidate};
}

}  // namespace cache_detail

ROBOTS_INLINE void validate(const cache_options& options) {
  validate(cache_detail::retrieval_options_of(options));
  validate(cache_detail::judge_options_of(options));
  if (options.longest_call.count() < 0) {
    throw std::invalid_argument{"longest_call is negative: use 0 for no limit"};
  }
  if (!(options.fast_change_share >= 0 && options.fast_change_share <= 1)) {
    throw std::invalid_argument{"fast_change_share is no share: use a number from 0 to 1"};
  }
  if (options.quarantine_after < 0) {
    throw std::invalid_argument{"quarantine_after is negative: use 0 for no quarantine"};
  }
}

}  // namespace robots

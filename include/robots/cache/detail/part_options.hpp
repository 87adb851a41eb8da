#pragma once

#include <robots/cache/cache_options.hpp>
#include <robots/fetch/retrieval_options.hpp>
#include <robots/http/excluded_hosts.hpp>
#include <robots/policy/judge_options.hpp>

#include <memory>
#include <utility>

namespace robots::cache_detail {

[[nodiscard]] inline retrieval_options retrieval_options_of(
    const cache_options& options, std::shared_ptr<const excluded_hosts> excluded = nullptr) {
  return {.user_agent = options.user_agent,
          .max_redirects = options.max_redirects,
          .timeout = options.timeout,
          .excluded = std::move(excluded),
          .max_bytes = options.parse.max_bytes,
          .retry = options.retry};
}

[[nodiscard]] inline judge_options judge_options_of(const cache_options& options) {
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

}  // namespace robots::cache_detail

#pragma once

#include <robots/policy/any_fallback_policy.hpp>
#include <robots/rep/read/malformed_limit.hpp>
#include <robots/rep/read/parse_options.hpp>

#include <chrono>
#include <optional>

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

}  // namespace robots::detail

#ifndef ROBOTS_COMPILED
#include <robots/policy/judge_options.bodies.hpp>
#endif

#pragma once

#include <robots/policy/fallback.hpp>
#include <robots/rep/read/file_findings.hpp>
#include <robots/rep/read/parse_options.hpp>

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

}  // namespace robots::detail

#pragma once

#include <robots/policy/any_fallback_policy.hpp>
#include <robots/rep/read/file_findings.hpp>
#include <robots/rep/read/parse_options.hpp>

#include <chrono>
#include <stdexcept>

namespace robots::detail {

/// The options for judging a record: the fallback policy, the parsing, and the lifetimes.
/// `cache_options` has the same members.
struct judge_options {
  any_fallback_policy fallback;  ///< see `cache_options::fallback`
  parse_options parse{};         ///< how robots.txt files are read
  malformed_limit malformed{};   ///< beyond this, a file counts as `outcome::malformed`
  bool keep_text = false;        ///< policies keep the text that they were read from

  /// The lifetime of an answer for which the server states none; `max_ttl` still limits it.
  std::chrono::seconds default_ttl = std::chrono::hours{24};
  std::chrono::seconds min_ttl = std::chrono::minutes{5};  ///< the shortest lifetime of an answer
  std::chrono::seconds max_ttl = std::chrono::hours{24};   ///< limits every other lifetime
  std::chrono::seconds failure_ttl = std::chrono::minutes{5};  ///< the lifetime of a first failure
  /// The longest lifetime of a failure. Each failure in a row lasts twice as long as the one
  /// before.
  std::chrono::seconds max_failure_ttl = std::chrono::hours{1};
  double failure_jitter =
      0.1;  ///< the most that chance takes off `failure_ttl`, as a share from 0 to 1
  /// The lifetime of `outcome::circuit_open`.
  std::chrono::seconds breaker_cooldown = std::chrono::minutes{1};
  std::chrono::seconds last_good_for = std::chrono::days{30};  ///< how long a stale policy answers
  std::chrono::seconds stale_while_revalidate{
      0};  ///< the time for which a stale policy may answer while it is renewed
};

/// Throws `std::invalid_argument` if the options contradict each other. The message says what to
/// change.
inline void validate(const judge_options& options) {
  if (options.parse.max_bytes == 0) {
    throw std::invalid_argument{
        "parse.max_bytes is 0: nothing would be read and everything allowed; "
        "RFC 9309 asks for 500 KiB at least"};
  }
  if (options.min_ttl.count() < 0 || options.max_ttl.count() < 0 ||
      options.default_ttl.count() < 0 || options.failure_ttl.count() < 0 ||
      options.max_failure_ttl.count() < 0 || options.last_good_for.count() < 0 ||
      options.stale_while_revalidate.count() < 0) {
    throw std::invalid_argument{
        "min_ttl, max_ttl, default_ttl, failure_ttl, max_failure_ttl, last_good_for and "
        "stale_while_revalidate "
        "cannot be negative"};
  }
  if (!(options.failure_jitter >= 0.0 && options.failure_jitter <= 1.0)) {
    throw std::invalid_argument{"failure_jitter is not a share: use a number from 0 to 1"};
  }
  if (!(options.malformed.share >= 0.0 && options.malformed.share <= 1.0)) {
    throw std::invalid_argument{"malformed.share is not a share: use a number from 0 to 1"};
  }
}

}  // namespace robots::detail

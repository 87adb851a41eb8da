#pragma once

#include <robots/base/inline.hpp>
#include <robots/policy/judge_options.hpp>

#include <stdexcept>

namespace robots {

ROBOTS_INLINE void validate(const judge_options& options) {
  if (options.parse.max_bytes == 0) {
    throw std::invalid_argument{
        "parse.max_bytes is 0: nothing would be read and everything allowed; "
        "RFC 9309 asks for 500 KiB at least"};
  }
  if (options.min_ttl.count() < 0 || options.min_ttl > options.max_ttl) {
    throw std::invalid_argument{"min_ttl must lie between 0 and max_ttl"};
  }
  if (options.default_ttl.count() < 0 || options.failure_ttl.count() < 0 ||
      options.max_failure_ttl.count() < 0 || options.last_good_for.count() < 0 ||
      options.stale_while_revalidate.count() < 0) {
    throw std::invalid_argument{
        "default_ttl, failure_ttl, max_failure_ttl, last_good_for and stale_while_revalidate "
        "cannot be negative"};
  }
  if (options.default_ttl > options.max_ttl) {
    throw std::invalid_argument{
        "default_ttl is above max_ttl, which would cut it: lower default_ttl or raise max_ttl"};
  }
  if (!(options.failure_jitter >= 0.0 && options.failure_jitter <= 1.0)) {
    throw std::invalid_argument{"failure_jitter is a share: it lies between 0 and 1"};
  }
  if (!(options.malformed.share >= 0.0 && options.malformed.share <= 1.0)) {
    throw std::invalid_argument{"malformed.share is a share: it lies between 0 and 1"};
  }
}

}  // namespace robots

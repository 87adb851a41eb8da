#pragma once

#include <robots/base/config.hpp>
#include <robots/base/exceptions.hpp>
#include <robots/policy/judge_options.hpp>

#include <stdexcept>
#include <utility>

namespace robots::detail {

ROBOTS_INLINE void validate(const judge_options& options) {
  if (options.parse.max_bytes == 0) {
    throw std::invalid_argument{
        "parse.max_bytes is 0, so that every file would be empty and allow all: use 512'000 or "
        "more, as RFC 9309 asks"};
  }
  for (const auto& [name, duration] :
       {std::pair{"min_ttl", options.min_ttl}, std::pair{"max_ttl", options.max_ttl},
        std::pair{"default_ttl", options.default_ttl},
        std::pair{"failure_ttl", options.failure_ttl},
        std::pair{"unreachable_ttl", options.unreachable_ttl.value_or(std::chrono::seconds{0})},
        std::pair{"max_failure_ttl", options.max_failure_ttl},
        std::pair{"last_good_for", options.last_good_for},
        std::pair{"stale_while_revalidate", options.stale_while_revalidate}}) {
    base::require(duration.count() >= 0, name, duration.count(), " s: use 0 s or more");
  }
  const std::chrono::seconds least = std::chrono::days{1};
  base::require(options.no_file_after.count() == 0 || options.no_file_after >= least,
                "no_file_after", options.no_file_after.count(),
                " s: use 0 for never, or at least a day (86400 s), such as std::chrono::days{30}");
  for (const auto& [name, share] : {std::pair{"failure_jitter", options.failure_jitter},
                                    std::pair{"malformed.share", options.malformed.share}}) {
    base::require(share >= 0.0 && share <= 1.0, name, share, ": use a number from 0 to 1");
  }
}

}  // namespace robots::detail

#pragma once

#include <robots/fetch/retrieval_result.hpp>
#include <robots/policy/policy.hpp>
#include <robots/time/clock.hpp>

namespace robots::detail {

/// What a retrieval that ended at `now` tells of itself.
[[nodiscard]] inline provenance provenance_of(const retrieval_result& result, time_point now) {
  return {.outcome = result.outcome,
          .status = result.status,
          .error = result.error,
          .error_text = result.error_text,
          .url = result.url,
          .final_url = result.final_url,
          .redirects = result.redirects,
          .attempts = result.attempts,
          .not_modified = result.not_modified,
          .exchanges = result.exchanges,
          .fetched_at = now};
}

}  // namespace robots::detail

#pragma once

#include <robots/base/striped_counters.hpp>

namespace robots::cache_detail {

/// What a cache counts.
enum class cache_event : unsigned char {
  allowed_hits,  // these two are hits and decisions at once: a hit counts once
  denied_hits,
  hits,
  stale_hits,
  misses,
  joined,
  retrievals,
  not_modified,
  failures,
  allowed,
  denied,
  excluded,
  far_hits,
  far_misses,
  far_rejected,
  far_failures,
  count_
};

using cache_counters = base::striped_counters<cache_event>;

}  // namespace robots::cache_detail

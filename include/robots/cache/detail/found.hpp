#pragma once

#include <robots/time/clock.hpp>

#include <memory>

namespace robots {
class policy;
}

namespace robots::cache_detail {

/// What a look-up came to.
struct found {
  std::shared_ptr<const robots::policy> policy{};
  bool from_cache = false;
  bool stale = false;  // no longer fresh, and being renewed
  time_point now{};    // when an entry of the cache was found
};

}  // namespace robots::cache_detail

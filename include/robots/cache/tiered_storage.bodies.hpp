#pragma once

#include <robots/base/config.hpp>
#include <robots/cache/detail/store_side.hpp>
#include <robots/cache/tiered_storage.hpp>

#include <memory>

namespace robots::cache_detail {

ROBOTS_INLINE std::unique_ptr<far_side> make_far_side(SharedStore& shared,
                                                      const tiered_options& options,
                                                      look_up_environment& cache) {
  return std::make_unique<store_side>(shared, options, cache);
}

}  // namespace robots::cache_detail

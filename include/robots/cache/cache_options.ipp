#pragma once

#include <robots/base/inline.hpp>
#include <robots/cache/cache_options.hpp>
#include <robots/cache/detail/part_options.hpp>

#include <stdexcept>

namespace robots {

ROBOTS_INLINE void validate(const cache_options& options) {
  validate(cache_detail::retrieval_options_of(options));
  validate(cache_detail::judge_options_of(options));
  if (options.longest_call.count() < 0) {
    throw std::invalid_argument{"longest_call is negative: use 0 for no limit"};
  }
  if (!(options.fast_change_share >= 0 && options.fast_change_share <= 1)) {
    throw std::invalid_argument{"fast_change_share is no share: use a number from 0 to 1"};
  }
  if (options.quarantine_after < 0) {
    throw std::invalid_argument{"quarantine_after is negative: use 0 for no quarantine"};
  }
}

}  // namespace robots

#pragma once

#include <robots/base/config.hpp>
#include <robots/cache/cache_options.hpp>
#include <robots/fetch/retrieval.hpp>

namespace robots::cache_detail {

/// The options of a cache after their only check.
struct valid_options {
  cache_options all;                          ///< `cache_options::names` is set
  detail::valid_retrieval_options retrieval;  ///< for every fetch
};

/// Checks the options of a cache. Throws `std::invalid_argument` for invalid options. The message
/// says what to change.
[[nodiscard]] valid_options validated(cache_options options);

}  // namespace robots::cache_detail

#ifndef ROBOTS_COMPILED
#include <robots/cache/detail/valid_options.bodies.hpp>
#endif

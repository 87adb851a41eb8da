#pragma once

#include <robots/adapters/detail/prefetch_run.hpp>
#include <robots/adapters/prefetch_options.hpp>
#include <robots/cache/basic_robots_cache.hpp>

#include <concepts>
#include <ranges>
#include <string_view>
#include <utility>

namespace robots {

/// Brings the policies of `hosts`, which are URLs, hosts or `host:port`, into `cache`: the calling
/// thread asks up to `prefetch_options::max_in_flight` of them at once, over libcurl instead of the
/// cache's own fetcher. Retries, circuit breakers, fallbacks and what is kept are those of the
/// cache, and look-ups by other threads are shared both ways.
///
/// `hosts` is read once, as there is room for more, from this thread: it may be endless or read a
/// file, but should not block. Memory does not grow with it. What it throws comes out, once
/// everything under way was given up; and so what the callback throws. Others who wait for what was
/// given up begin anew.
///
/// Throws std::invalid_argument when an option is no good, and else nothing but std::bad_alloc.
/// Waits by the cache's clock: a `ManualClock` is moved to the next retry once no exchange is in
/// flight.
template <Fetcher F, Clock C, Storage S, Observer O, std::ranges::input_range Hosts>
  requires std::convertible_to<std::ranges::range_reference_t<Hosts>, std::string_view>
prefetch_summary prefetch(basic_robots_cache<F, C, S, O>& cache, Hosts&& hosts,
                          const prefetch_options& options = {}) {
  adapters_detail::prefetch_run run{cache, std::forward<Hosts>(hosts), options};
  return run();
}

}  // namespace robots

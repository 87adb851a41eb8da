#pragma once

#include <robots/adapters/curl/curl_multi_fetcher.hpp>
#include <robots/adapters/curl/curl_options.hpp>
#include <robots/base/stop_token.hpp>
#include <robots/cache/prefetch.hpp>

#include <cstddef>
#include <optional>
#include <utility>

namespace robots {

/// Settings of `prefetch` over libcurl.
struct prefetch_options {
  std::size_t max_in_flight = 64;        ///< most exchanges and connections at once
  std::size_t max_pending = 4'096;       ///< see `prefetch_limits`
  prefetch_callback progress{};          ///< called after each host
  stop_token stop{};                     ///< see `prefetch_limits`
  std::optional<time_point> deadline{};  ///< see `prefetch_limits`
  curl_options curl{};  ///< applies to every exchange; `max_idle_handles` has no effect
};

/// Calls `prefetch` with a `curl_multi_fetcher` made for this call.
template <Fetcher F, Clock C, Storage S, Observer O, class Hosts>
prefetch_summary prefetch(basic_robots_cache<F, C, S, O>& cache, Hosts&& hosts,
                          const prefetch_options& options = {}) {
  curl_multi_options multi_options{.curl = options.curl, .max_connections = options.max_in_flight};
  multi_options.curl.max_idle_handles = options.max_in_flight;
  curl_multi_fetcher web{multi_options};
  return prefetch(cache, std::forward<Hosts>(hosts), web,
                  {.max_in_flight = options.max_in_flight,
                   .max_pending = options.max_pending,
                   .stop = options.stop,
                   .deadline = options.deadline},
                  options.progress);
}

}  // namespace robots

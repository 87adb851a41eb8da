// What a program may set where one thread drives many exchanges over libcurl.
#pragma once

#include <robots/adapters/curl_options.hpp>

#include <cstddef>

namespace robots {

/// Settings of `curl_multi_fetcher` and `AsioCurlFetcher`.
struct curl_multi_options {
  /// What goes for every exchange. `max_idle_handles` are the handles kept for later exchanges.
  curl_options curl{};

  /// Most connections open at once, those kept for later included; 0 means no limit. An exchange
  /// for which there is none yet waits, and its time runs.
  std::size_t max_connections = 256;

  /// Most connections open at once to one host and port; 0 means no limit.
  std::size_t max_host_connections = 0;
};

}  // namespace robots

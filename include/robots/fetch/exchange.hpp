#pragma once

#include <robots/http/message.hpp>
#include <robots/time/clock.hpp>

#include <chrono>
#include <cstddef>
#include <string>

namespace robots::detail {

/// One request for a robots.txt, and its result.
struct exchange {
  std::string url;                        ///< the requested URL
  int status = 0;                         ///< HTTP status; 0 if there is no response
  fetch_error error = fetch_error::none;  ///< the reason if there is no status

  [[nodiscard]] friend bool operator==(const exchange&, const exchange&) = default;
};

/// The timing of an exchange, and its place in the retrieval.
struct exchange_timing {
  time_point ended{};                    ///< the time of the response or the error
  std::chrono::nanoseconds duration{0};  ///< the time from the request to `ended`
  std::size_t bytes = 0;                 ///< octets of the body that the fetcher returned
  int hop = 0;                           ///< number of redirects before the exchange
  int attempt = 1;                       ///< the number of the try, from 1 on; see `retry_options`
};

}  // namespace robots::detail

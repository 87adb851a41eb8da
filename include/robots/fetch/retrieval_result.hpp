#pragma once

#include <robots/base/stop_token.hpp>
#include <robots/fetch/outcome.hpp>
#include <robots/http/freshness.hpp>
#include <robots/http/message.hpp>
#include <robots/time/clock.hpp>

#include <chrono>
#include <cstddef>
#include <string>
#include <variant>
#include <vector>

namespace robots::detail {

/// A wait before the next try.
struct retry_wait {
  time_point until{};  ///< the end of the wait; then call `on_wait_over`
  stop_token stop{};   ///< a stop request ends the wait
};

/// A robots.txt from an earlier fetch. If the file has not changed, the server need not send it
/// again.
struct known_copy {
  std::string url{};                ///< the URL of the copy, after all redirects
  detail::validators validators{};  ///< the `ETag` and `Last-Modified` of the copy
};

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

/// The report of a retrieval.
struct retrieval_facts {
  robots::outcome outcome = robots::outcome::unreachable;  ///< the outcome of the retrieval
  int status = 0;                         ///< HTTP status of the last exchange, or 0
  fetch_error error = fetch_error::none;  ///< the reason if the last exchange had no response
  std::string error_text{};               ///< a message for people; empty if there is no problem
  std::string url{};                      ///< robots.txt URL of the last origin, before redirects
  std::string final_url{};                ///< the URL after all redirects
  int redirects = 0;                      ///< number of redirects from `url` to `final_url`
  int attempts = 0;                       ///< the number of tries, see `retry_options`
  std::vector<exchange> exchanges{};      ///< all exchanges, in order
  bool truncated = false;                 ///< true if only the start of the robots.txt was kept
  bool not_modified = false;              ///< true after a 304, so the known copy is still valid

  [[nodiscard]] friend bool operator==(const retrieval_facts&, const retrieval_facts&) = default;
};

/// The result of a retrieval.
struct retrieval_result : retrieval_facts {
  std::vector<exchange_timing> timings{};  ///< the timing of each of `exchanges`, in the same order
  std::vector<http_header> headers{};      ///< headers of the last exchange
  std::string body{};      ///< the robots.txt; empty after a 304 or if `outcome` is not `success`
  bool cut_short = false;  ///< true if cancelled during a wait; `outcome` is from the last try
  time_point next_try{};   ///< the planned time of the next try, if `cut_short` is true
};

/// The next step of a retrieval, which is a request, a wait, or the end.
using retrieval_step = std::variant<fetch_request, retry_wait, retrieval_result>;

}  // namespace robots::detail

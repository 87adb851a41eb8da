#pragma once

#include <robots/base/stop_token.hpp>
#include <robots/fetch/outcome.hpp>
#include <robots/http/message.hpp>
#include <robots/time/clock.hpp>

#include <chrono>
#include <cstddef>
#include <string>
#include <variant>
#include <vector>

namespace robots {

/// One exchange with a server: a request for a robots.txt, and its result.
struct exchange {
  std::string url;                        ///< the requested URL
  int status = 0;                         ///< HTTP status, or 0
  fetch_error error = fetch_error::none;  ///< why there is no status

  [[nodiscard]] friend bool operator==(const exchange&, const exchange&) = default;
};

/// A time to wait for before the next try.
struct retry_wait {
  time_point until{};  ///< then call `on_wait_over`
  stop_token stop{};   ///< requested: wait no longer
};

}  // namespace robots

namespace robots::detail {

/// The time and the purpose of an exchange.
struct exchange_timing {
  time_point ended{};                    ///< when the response, or the error, was there
  std::chrono::nanoseconds duration{0};  ///< from the request to that
  std::size_t bytes = 0;                 ///< octets of the body, as far as it was read
  int hop = 0;                           ///< redirects of this try that led here
  int attempt = 1;                       ///< which try it belongs to, see `retry_options`
};

/// The report of a retrieval about itself.
struct retrieval_facts {
  robots::outcome outcome = robots::outcome::unreachable;  ///< the row of the failure table
  int status = 0;                         ///< HTTP status of the last exchange, 0 without response
  fetch_error error = fetch_error::none;  ///< why the last exchange had no response
  std::string error_text{};               ///< for people, when something went wrong
  std::string url{};        ///< the robots.txt first asked for under the origin that was settled on
  std::string final_url{};  ///< the URL of the last exchange: another one after redirects
  int redirects = 0;        ///< how many were followed from `url` to `final_url`
  int attempts = 0;         ///< how many tries it took, see `retry_options`
  std::vector<exchange> exchanges{};  ///< all that were made, in order
  bool truncated = false;             ///< the robots.txt is longer than the part that was kept
  bool not_modified = false;          ///< a 304: the robots.txt is the known one

  [[nodiscard]] friend bool operator==(const retrieval_facts&, const retrieval_facts&) = default;
};

/// The result of a retrieval.
struct retrieval_result : retrieval_facts {
  std::vector<exchange_timing> timings{};  ///< of each of `exchanges`
  std::vector<http_header> headers{};      ///< of the last exchange
  std::string body{};      ///< the robots.txt; empty unless `outcome` is `success`, and after a 304
  bool cut_short = false;  ///< cancelled while it waited to try again: `outcome` is the last try's
  time_point next_try{};   ///< when the next try was due, if `cut_short`
};

/// The next step of a retrieval: send a request, wait for a time, or nothing more.
using retrieval_step = std::variant<fetch_request, retry_wait, retrieval_result>;

}  // namespace robots::detail

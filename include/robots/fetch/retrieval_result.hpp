#pragma once

#include <robots/fetch/exchange.hpp>
#include <robots/fetch/outcome.hpp>
#include <robots/http/message.hpp>
#include <robots/time/clock.hpp>

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

namespace robots::detail {

/// The report of a retrieval.
struct retrieval_facts {
  robots::outcome outcome = robots::outcome::unreachable;  ///< the outcome of the retrieval
  int status = 0;                         ///< HTTP status of the last exchange, or 0
  fetch_error error = fetch_error::none;  ///< the reason if the last exchange had no response
  /// A message for people; empty if there is no problem. Can quote octets from the network as they
  /// came, so escape it where you print it, as `base::printable` does.
  std::string error_text{};
  std::string url{};                  ///< robots.txt URL of the last origin, before redirects
  std::string final_url{};            ///< the URL after all redirects
  int redirects = 0;                  ///< number of redirects from `url` to `final_url`
  int attempts = 0;                   ///< the number of tries, see `retry_options`
  std::vector<exchange> exchanges{};  ///< all exchanges, in order
  bool truncated = false;             ///< true if only the start of the robots.txt was kept
  bool not_modified = false;          ///< true after a 304, so the known copy is still valid
  /// Headers of the last exchange. Only a fallback policy and an observer that get a new answer
  /// see them: neither `policy::source` nor a shared record has them.
  std::vector<http_header> headers{};

  [[nodiscard]] friend bool operator==(const retrieval_facts&, const retrieval_facts&) = default;
};

/// The result of a retrieval.
struct retrieval_result : retrieval_facts {
  std::vector<exchange_timing> timings{};  ///< the timing of each of `exchanges`, in the same order
  std::string body{};      ///< the robots.txt; empty after a 304 or if `outcome` is not `success`
  bool cut_short = false;  ///< true if cancelled during a wait; `outcome` is from the last try
  time_point next_try{};   ///< the planned time of the next try, if `cut_short` is true

  /// Returns the time until the next try. A caller that is in a hurry does not wait for it, but
  /// another caller can make it at the planned time. Returns the maximum if no try is planned.
  [[nodiscard]] std::chrono::seconds until_next_try(time_point now) const {
    const auto left = (std::max)(next_try - now, time_point::duration{0});
    return cut_short ? std::chrono::ceil<std::chrono::seconds>(left)
                     : (std::chrono::seconds::max)();
  }
};

}  // namespace robots::detail

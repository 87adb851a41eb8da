#pragma once

#include <robots/base/random.hpp>
#include <robots/fetch/origin_breakers.hpp>
#include <robots/fetch/outcome.hpp>
#include <robots/fetch/retrieval_options.hpp>
#include <robots/fetch/retrieval_result.hpp>
#include <robots/http/message.hpp>
#include <robots/http/origin.hpp>
#include <robots/http/site.hpp>
#include <robots/time/clock.hpp>

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace robots::detail {

/// Retrieves one robots.txt, but does no I/O and reads no clock. A retrieval names the next step. A
/// driver does that step and reports the result.
///
///     retrieval work{where, options, now()};
///     for (;;) {
///       if (const auto* request = std::get_if<fetch_request>(&work.next())) {
///         work.on_response(send(*request), now());
///       } else if (const auto* wait = std::get_if<retry_wait>(&work.next())) {
///         sleep_until(wait->until);
///         work.on_wait_over(now());
///       } else {
///         break;  // std::get<retrieval_result>(work.next())
///       }
///     }
///
/// A retrieval asks the origins of the site in turn until one responds. The search ends if an
/// exchange is cancelled or its address is refused. The search also ends at an origin whose breaker
/// is open, if this origin answered its last failed request. A retrieval follows redirects (301,
/// 302, 303, 307, 308) to http and https, at most `retrieval_options::max_redirects`. The file
/// behind the last redirect has the rules for the origin before the first redirect (RFC 9309,
/// section 2.3.1.2).
///
/// After a 5xx, a 429 or a network error, a retrieval waits and tries again, as
/// `retrieval_options::retry` says. The new try begins with the failed URL or, if no origin has
/// answered yet, with the first origin. If all exchanges of a try ended with a refused connection,
/// the retrieval ends, since a closed port rarely opens within seconds. The number of exchanges is
/// at most origins times tries plus redirects. After a 429, the wait is at least
/// `retry_options::base` or, if shorter, `cap`.
///
/// A retrieval asks the breaker of an origin before it asks the origin, and reports the result to
/// this breaker. A failure after a redirect is reported as a failure of the origin. A retrieval
/// does not use the breakers of redirect targets, since any site could open the breaker of another
/// site by a redirect to a failing URL. If a retrieval is destroyed during its probe, the breaker
/// admits another probe.
///
/// If an earlier copy is known, a request for the URL of that copy asks if the file has changed
/// (RFC 9110, section 13).
///
/// A driver adds the stop token to each request, and can shorten the timeout of the request. See
/// `run_retrieval` for a driver that blocks.
class retrieval {
 public:
  /// Begins a retrieval at the time `now`. Throws `std::invalid_argument` for bad options; see
  /// `validate`.
  retrieval(const site& asked, retrieval_options options, time_point now, known_copy known = {});

  /// Returns the next step. Only the functions below change the step. A `retrieval_result` is the
  /// last step.
  [[nodiscard]] const retrieval_step& next() const& noexcept { return step_; }

  /// Moves the result out of a retrieval that has ended.
  [[nodiscard]] retrieval_step next() && noexcept;

  /// Handles the response to the request of `next()`. Has no effect if `next()` is not a request.
  /// `date` is the wall time at `now`. If `Retry-After` is a date, the wait is the time from the
  /// response's `Date` to this date, or from `date` if `Date` is missing or invalid.
  ///
  /// Pass `fetch_error::cancelled` only for an exchange that the driver has stopped, since the
  /// retrieval then ends, and no cache keeps its result. If the fetcher cancelled the exchange
  /// without a stop request, pass `fetch_error::other`.
  void on_response(fetch_response response, time_point now,
                   wall_time date = std::chrono::system_clock::now());

  /// Reports that the wait of `next()` is over. Has no effect before `retry_wait::until`, or if
  /// `next()` is not a wait.
  void on_wait_over(time_point now);

  /// Ends the retrieval. During a wait before a retry, the result is the result of the last try.
  /// Otherwise the outcome is `cancelled`, and `why` is the error text. Has no effect if the
  /// retrieval has ended.
  void cancel(std::string why, time_point now);

 private:
  void ask_origin(time_point now);

  /// Asks only the breaker of the origin, not the breakers of redirect targets.
  void begin_try(time_point now);

  void send(time_point now);

  /// Returns true if `url_` is the URL of the known copy, and the copy has validators.
  [[nodiscard]] bool asks_for_changes() const noexcept;

  [[nodiscard]] std::string own_origin() const;

  /// Reports the end of a try to the breaker of its origin, even after a redirect.
  void settle(const fetch_response& response, time_point now);

  void on_failure(outcome kind, fetch_response response, time_point now, wall_time date = {});

  void try_again(outcome kind, fetch_response response, time_point now, wall_time date);

  void on_redirect(fetch_response response, time_point now);

  /// Returns true if a URL is the URL of a robots.txt, in any spelling of the path (RFC 9309,
  /// section 2.2.2), with or without an empty query. With any other query, the URL names another
  /// resource.
  [[nodiscard]] static bool is_robots_txt(const std::string& url);

  void finish(outcome kind, fetch_response response);

  retrieval_options options_;
  known_copy known_;
  std::vector<origin> origins_;
  base::random_sequence random_;
  std::size_t origin_ = 0;
  std::string url_{};
  std::vector<std::string> chain_;  // the first URL, and the redirect targets up to `url_`
  std::shared_ptr<void> permit_;    // its deleter releases a probe without a result
  time_point sent_at_{};
  retrieval_result result_;                 // filled step by step
  outcome failure_ = outcome::unreachable;  // the outcome of the last try, during a wait
  fetch_response failed_;
  bool answered_ = false;  // true if an origin has answered; then only that origin is asked
  bool is_closed_ = true;  // true if every failure of this try was a refused connection
  retrieval_step step_;
};

}  // namespace robots::detail

#ifndef ROBOTS_COMPILED
#include <robots/fetch/retrieval.ipp>
#endif

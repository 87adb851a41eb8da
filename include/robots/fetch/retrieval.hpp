#pragma once

#include <robots/base/config.hpp>
#include <robots/base/random_sequence.hpp>
#include <robots/fetch/known_copy.hpp>
#include <robots/fetch/outcome.hpp>
#include <robots/fetch/redirect_chain.hpp>
#include <robots/fetch/retrieval_options.hpp>
#include <robots/fetch/retrieval_result.hpp>
#include <robots/fetch/retrieval_step.hpp>
#include <robots/http/message.hpp>
#include <robots/http/origin.hpp>
#include <robots/http/site.hpp>
#include <robots/time/clock.hpp>

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace robots::detail {

/// Retrieves one robots.txt, or another file of a site, but does no I/O and reads no clock. The
/// caller, called the driver, does the step that `next()` names, and reports the result, as
/// `take_step` does.
///
/// Asks the origins of the site in turn until an origin responds. A cancelled exchange or a refused
/// address ends the search. An open circuit breaker ends the search if the origin is in reach: the
/// last request to this origin got a response, such as a 500. Follows redirects (301, 302, 303,
/// 307, 308) to http and https, at most `retrieval_options::max_redirects`. The file at the end of
/// the redirects applies to the origin that sent the first redirect (RFC 9309, section 2.3.1.2).
///
/// After a 5xx, a 429 or a network error, waits and tries again, as `retrieval_options::retry`
/// says. If an origin has answered, the new try begins with the failed URL. Otherwise, it begins
/// with the first origin. If every failure of a try was a refused connection, the retrieval ends,
/// since a closed port rarely opens within seconds. The number of exchanges is at most `origins *
/// tries + redirects`.
///
/// Before each try, asks the circuit breaker of the site's current origin. Reports the result of
/// the try to the same breaker, even if the result comes from a redirect target. Does not use the
/// breakers of redirect targets, so that a site cannot open another site's breaker by redirects to
/// failing URLs. If a retrieval is destroyed during a probe, the breaker admits another probe.
///
/// A request for `known_copy::url` asks if the file has changed (RFC 9110, section 13). The driver
/// adds the stop token to each request, and can shorten the timeout.
class retrieval {
 public:
  /// Begins a retrieval at the time `now`. `retrieval_options` are checked when they are passed.
  retrieval(const site& asked, valid_retrieval_options options, time_point now,
            known_copy known = {});

  /// Returns the next step. A `retrieval_result` is the last step.
  [[nodiscard]] const retrieval_step& next() const& noexcept { return step_; }

  /// Moves the result out of a retrieval that has ended.
  [[nodiscard]] retrieval_step next() && noexcept { return std::move(step_); }

  /// Handles the response to the request of `next()`. Has no effect if `next()` is not a request.
  /// `date` is the wall time at `now`. If `Retry-After` is a date and the response has no valid
  /// `Date` header, `date` replaces this header.
  ///
  /// Pass `fetch_error::cancelled`, which ends the retrieval, only if the driver stopped the
  /// exchange. Otherwise, call `be_no_cancellation(response)` first.
  void on_response(fetch_response response, time_point now,
                   wall_time date = std::chrono::system_clock::now());

  /// Call this after the wait of `next()`. Has no effect earlier, or if `next()` is not a wait.
  void on_wait_over(time_point now);

  /// Ends the retrieval. During a wait, the result is that of the last try. Otherwise the outcome
  /// is `cancelled`, and `why` is the error text. Has no effect if the retrieval has ended.
  void cancel(std::string why, time_point now);

 private:
  [[nodiscard]] bool asks_for_changes() const noexcept {
    return !known_.validators.empty() && known_.url == chain_.last();
  }
  [[nodiscard]] std::string own_origin() const { return to_string(origins_[origin_]); }

  /// Ends the retrieval, and returns true, if no further request may go to the origin.
  [[nodiscard]] bool end_if_forbidden();
  void ask_origin(time_point now);
  void begin_try(time_point now);
  void send(time_point now);
  void settle(const fetch_response& response, time_point now);
  void on_failure(outcome kind, fetch_response response, time_point now, wall_time date = {});
  void try_again(outcome kind, fetch_response response, time_point now, wall_time date);
  void on_redirect(fetch_response response, time_point now);
  void finish(outcome kind, fetch_response response);

  retrieval_options options_;
  known_copy known_;
  std::vector<origin> origins_;
  base::random_sequence random_;
  std::size_t origin_ = 0;
  redirect_chain chain_;          // the URLs of the present try
  std::shared_ptr<void> permit_;  // the deleter calls `origin_breakers::on_abandoned`
  time_point sent_at_{};
  retrieval_result result_;                 // filled step by step
  outcome failure_ = outcome::unreachable;  // the outcome of the last try, during a wait
  fetch_response failed_;
  bool answered_ = false;  // true if an origin has answered; then no other origin is asked
  bool is_closed_ = true;  // true if every failure of this try was a refused connection
  retrieval_step step_;
};

}  // namespace robots::detail

#ifndef ROBOTS_COMPILED
#include <robots/fetch/retrieval.bodies.hpp>
#endif

#pragma once

#include <robots/base/random_sequence.hpp>
#include <robots/fetch/known_copy.hpp>
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
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace robots::detail {

/// The retrieval of one robots.txt, without I/O and without a clock: a value that names the step to
/// do next and gets the result.
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
/// It asks the origins of the site in turn until one responds. An exchange that was cancelled or
/// whose address was refused ends the search. So does an open breaker, unless the origin could not
/// be reached when it failed last. It follows redirects (301, 302, 303, 307, 308) to http and
/// https, at most `retrieval_options::max_redirects`. The file at their end has the rules of the
/// first origin (RFC 9309, section 2.3.1.2).
///
/// After a 5xx, a 429 or a network error it waits and tries again, as `retrieval_options::retry`
/// says: the URL that failed or, if no origin could be reached, all of them. If all failures of a
/// try are refused connections, it is the last one, since a closed port rarely opens within
/// seconds. There are never more exchanges than origins times tries plus redirects. A 429 is never
/// asked again before `retry_options::base`.
///
/// Each try asks the breaker of the origin once and reports its end: a failure behind a redirect
/// counts as the origin's own. The breakers of the origins that redirects lead to are not used, so
/// that nobody can close a site by redirecting to a URL that fails there. A retrieval that is
/// dropped cancels its probe.
///
/// For a known file, it asks whether the file has changed (RFC 9110, section 13), at the URL where
/// it was found.
///
/// A driver adds the stop token to each request and may shorten its timeout. See `run_retrieval`
/// for one that blocks.
class retrieval {
 public:
  /// Begins at the time `now`. Throws `std::invalid_argument` for bad options; see `validate`.
  retrieval(const site& asked, retrieval_options options, time_point now, known_copy known = {});

  /// Returns the step to do now. It changes only when one of the functions below is called, and no
  /// more once it is a `retrieval_result`.
  [[nodiscard]] const retrieval_step& next() const& noexcept { return step_; }

  /// Takes the result out of a retrieval that has ended.
  [[nodiscard]] retrieval_step next() && noexcept;

  /// Takes the response to the request of `next()`. Has no effect if `next()` is not a request.
  /// `date` is the date at `now`, from which a date in `Retry-After` counts.
  ///
  /// `fetch_error::cancelled` is for exchanges that the driver asked to stop: it ends the retrieval
  /// with a result that no cache keeps. An exchange that was cancelled without a request is
  /// `fetch_error::other`.
  void on_response(fetch_response response, time_point now,
                   wall_time date = std::chrono::system_clock::now());

  /// Reports that the time for which `next()` waits has come. Has no effect before that time, and
  /// if it waits for none.
  void on_wait_over(time_point now);

  /// Ends the retrieval: while it waits to try again, with the result of the last try, else with
  /// `outcome::cancelled`. Without effect when it has ended already.
  void cancel(std::string why, time_point now);

 private:
  void ask_origin(time_point now);

  /// Asks the breaker of the origin, and of no other: where its redirects lead is its own affair.
  void begin_try(time_point now);

  void send(time_point now);

  /// Returns true if the request for `url_` is one for a file that is known.
  [[nodiscard]] bool asks_for_changes() const noexcept;

  [[nodiscard]] std::string own_origin() const;

  /// Reports the end of a try to the breaker of its origin, even after a redirect.
  void settle(const fetch_response& response, time_point now);

  void on_failure(outcome kind, fetch_response response, time_point now, wall_time date = {});

  /// Returns true if every failure of this try is a refused connection.
  [[nodiscard]] bool is_closed() const noexcept;

  void try_again(outcome kind, fetch_response response, time_point now, wall_time date);

  void on_redirect(fetch_response response, time_point now);

  /// Returns true if a URL is that of a robots.txt of another site, in whatever spelling of the
  /// path (RFC 9309, section 2.2.2) and with or without an empty query. With another query it is
  /// another resource, of which nothing is known.
  [[nodiscard]] bool is_robots_txt_of_other(const std::string& url) const;

  void finish(outcome kind, fetch_response response);

  retrieval_options options_;
  known_copy known_;
  std::vector<origin> origins_;
  base::random_sequence random_;
  std::size_t origin_ = 0;
  std::string url_{};
  std::vector<std::string> chain_;        // the URLs asked for since the origin, it included
  std::optional<breaker_permit> permit_;  // of the origin, until the result is known
  time_point sent_at_{};
  retrieval_result result_;                 // as far as it is known
  outcome failure_ = outcome::unreachable;  // the result of the last try, until the next one
  fetch_response failed_;
  bool answered_ = false;  // an origin has; it is settled which one is asked
  retrieval_step step_;
};

}  // namespace robots::detail

#ifndef ROBOTS_COMPILED
#include <robots/fetch/retrieval.ipp>
#endif

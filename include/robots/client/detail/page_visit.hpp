#pragma once

#include <robots/client/client_options.hpp>
#include <robots/client/page_result.hpp>
#include <robots/fetch/redirect_chain.hpp>
#include <robots/http/message.hpp>
#include <robots/polite/admission.hpp>
#include <robots/polite/host_gate.hpp>
#include <robots/rep/read/crawler_names.hpp>
#include <robots/time/clock.hpp>

#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace robots::client_detail {

/// All requests for one page, as a machine without I/O and without a clock:
///
///     url --> admission_wait --refused--> page_result
///                  |    ^
///               go |    | redirect: the next URL         429, 503: the same URL again
///                  v    +---------------------------------+
///             fetch_request --> response --> reported to gate and cache
///                                    +--> anything else --> statements about use --> page_result
///
/// The caller, called the driver, does the step that `next()` names, and reports its result. Only
/// an admission for exactly this URL leads to a request, so no redirect leads around the rules.
class page_visit {
 public:
  /// A step: ask for the admission of `url()`, and wait until its request may start.
  struct admission_wait {};

  /// A step. The result is the last one.
  using step = std::variant<admission_wait, fetch_request, page_result>;

  /// Begins a visit at the time `now`. `options` and `names` must live as long as the visit. `call`
  /// has the options of this call. Throws `std::invalid_argument` for bad options of the call.
  page_visit(std::string_view url, const page_options& call, const client_options& options,
             const crawler_names& names, time_point now);

  /// Returns the next step.
  [[nodiscard]] const step& next() const& noexcept { return step_; }

  /// Returns the URL that is asked for now.
  [[nodiscard]] const std::string& url() const noexcept { return chain_.last(); }

  /// Returns true if the next step is the result.
  [[nodiscard]] bool has_ended() const noexcept {
    return std::holds_alternative<page_result>(step_);
  }

  /// Moves the result out of a visit that has ended.
  [[nodiscard]] page_result result() && { return std::get<page_result>(std::move(step_)); }

  /// Handles the admission of the URL of `next()`. If it has a reservation, the request must have
  /// started (`reservation::start`). Has no effect if `next()` is no `admission_wait`.
  void on_admission(admission_result admitted, time_point now);

  /// Handles the response to the request of `next()`. `date` is the date at `now`. Has no effect if
  /// `next()` is no request.
  void on_response(fetch_response response, time_point now, wall_time date);

 private:
  void ask(time_point now);
  void send(time_point now);
  void on_redirect(time_point now);
  void on_overload(const request_report& report, time_point now);
  void read_page(wall_time date);
  void end(page_end why);

  const client_options& options_;
  const crawler_names& names_;
  page_options call_;
  detail::redirect_chain chain_;
  any_host_gate::reservation reservation_;
  time_point began_{};  // of the present step
  int overloads_ = 0;   // answers 429 and 503
  page_result result_;
  step step_;
};

}  // namespace robots::client_detail

#ifndef ROBOTS_COMPILED
#include <robots/client/detail/page_visit.bodies.hpp>
#endif

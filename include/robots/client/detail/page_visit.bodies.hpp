#pragma once

#include <robots/base/ascii.hpp>
#include <robots/base/config.hpp>
#include <robots/client/detail/page_visit.hpp>
#include <robots/fetch/one_exchange.hpp>
#include <robots/fetch/redirect_chain.hpp>
#include <robots/http/content_coding.hpp>
#include <robots/policy/challenge.hpp>
#include <robots/policy/page_of.hpp>
#include <robots/usage/license_link.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace robots::client_detail {

/// Returns the end of a call whose last URL got no reservation.
[[nodiscard]] constexpr page_end end_without_reservation(admission_reason reason) noexcept {
  if (reason == admission_reason::stopped) {
    return page_end::stopped;
  }
  if (reason == admission_reason::too_late) {
    return page_end::too_late;
  }
  return reason == admission_reason::busy || reason == admission_reason::not_yet ||
                 reason == admission_reason::no_room
             ? page_end::no_room
             : page_end::refused;
}

/// Returns true if a page with these headers can have meta elements. A page without a type can. So
/// can a page with several types, unless none of them can.
[[nodiscard]] inline bool may_have_meta(const std::vector<http_header>& headers) noexcept {
  constexpr std::array<std::string_view, 9> without{
      "application/json", "application/pdf", "audio/",     "font/", "image/",
      "text/css",         "text/csv",        "text/plain", "video/"};
  const auto may = [&without](std::string_view type) {
    return std::none_of(without.begin(), without.end(),
                        [type](std::string_view one) {
                          return base::starts_with_ignoring_case(type, one);
                        }) ||
           base::starts_with_ignoring_case(type, "image/svg") ||
           type.find(',') != std::string_view::npos;  // a list of types
  };
  bool has_type = false;
  for (const http_header& header : headers) {
    if (base::equal_ignoring_case(header.name, "Content-Type")) {
      has_type = true;
      if (may(header.value)) {
        return true;
      }
    }
  }
  return !has_type;
}

/// Returns true if the body of a response begins with the first octet of the page. A 206 with
/// several parts has no `Content-Range` (RFC 9110, section 15.3.7.2), and begins with that of the
/// first part.
[[nodiscard]] inline bool has_start(const fetch_response& response) noexcept {
  const std::string_view range =
      detail::find_header(response.headers, "Content-Range").value_or("");
  return response.status != 206 || base::starts_with_ignoring_case(range, "bytes 0-");
}

/// Returns true if a header names a content coding that the library does not know, so that the body
/// may still be coded. `detail::checked` refuses a body that is still coded in a known one.
[[nodiscard]] inline bool has_unknown_coding(const std::vector<http_header>& headers) {
  return std::any_of(headers.begin(), headers.end(), [](const http_header& header) {
    if (!base::equal_ignoring_case(header.name, "Content-Encoding")) {
      return false;
    }
    const std::vector<std::string_view> names = detail::coding_names(header.value);
    return std::any_of(names.begin(), names.end(), [](std::string_view name) {
      return !detail::is_content_coding(name) && !base::equal_ignoring_case(name, "identity");
    });
  });
}

ROBOTS_INLINE page_visit::page_visit(std::string_view url, const page_options& call,
                                     const client_options& options, const crawler_names& names,
                                     time_point now)
    : options_{options}, names_{names}, call_{call}, chain_{detail::first_url(url)} {
  validate(call_);
  ask(now);
}

ROBOTS_INLINE void page_visit::on_admission(admission_result admitted, time_point now) {
  if (!std::holds_alternative<admission_wait>(step_)) {
    return;
  }
  result_.hops.push_back({.url = chain_.last(),
                          .reason = admitted.reason,
                          .decision = std::move(admitted.decision),
                          .plan = admitted.plan,
                          .waited = now - began_});
  if (!admitted || !admitted.reservation) {
    return end(end_without_reservation(admitted.reason));
  }
  reservation_ = std::move(admitted.reservation);
  send(now);
}

ROBOTS_INLINE void page_visit::on_response(fetch_response response, time_point now,
                                           wall_time date) {
  if (!std::holds_alternative<fetch_request>(step_)) {
    return;
  }
  response = detail::checked(std::move(response));
  page_hop& hop = result_.hops.back();
  hop.status = response.status;
  hop.error = response.error;
  hop.error_text = response.error_text;
  hop.took = now - began_;
  request_report report = report_of(response, hop.took, date);
  report.is_challenge = policy_detail::has_challenge_header(response.headers);
  reservation_.complete(report, response.headers);
  result_.response = std::move(response);
  if (hop.error == fetch_error::cancelled) {
    end(call_.stop.stop_requested() ? page_end::stopped : page_end::too_late);
  } else if (hop.error != fetch_error::none) {
    end(hop.error == fetch_error::refused_address ? page_end::refused_address : page_end::failed);
  } else if (report.is_challenge) {
    end(page_end::challenged);
  } else if (detail::is_redirect(hop.status)) {
    on_redirect(now);
  } else if (report.overloaded()) {
    on_overload(report, now);
  } else if (licence_demand(hop.status, result_.response->headers)) {
    end(page_end::licence_demanded);
  } else {
    read_page(date);
    end(page_end::answered);
  }
}

ROBOTS_INLINE void page_visit::ask(time_point now) {
  began_ = now;
  step_ = admission_wait{};
}

ROBOTS_INLINE void page_visit::send(time_point now) {
  began_ = now;
  fetch_request request{
      .url = chain_.last(),
      .headers = {{"User-Agent", std::string{names_.header()}}, {"Accept", options_.accept}},
      .timeout = options_.timeout,
      .max_bytes = call_.max_bytes.value_or(options_.max_bytes),
      .stop = call_.stop};
  if (call_.range) {
    request.headers.push_back(
        {"Range", "bytes=" + std::to_string(call_.range->first) + '-' +
                      (call_.range->last ? std::to_string(*call_.range->last) : "")});
    // The octets of a range are those of the coded page, and a part of a code cannot be decoded.
    request.headers.push_back({"Accept-Encoding", "identity"});
  }
  step_ = std::move(request);
}

ROBOTS_INLINE void page_visit::on_redirect(time_point now) {
  using enum detail::redirect_problem;
  auto target = detail::redirect_target(chain_.last(),
                                        detail::find_header(result_.response->headers, "Location"));
  std::optional<detail::redirect_refusal> refusal;
  if (auto* const unfit = std::get_if<detail::redirect_refusal>(&target)) {
    refusal = std::move(*unfit);
  } else {
    refusal = chain_.refusal(std::get<detail::redirect_url>(target), options_.max_redirects,
                             options_.redirects);
  }
  if (refusal) {
    result_.why = std::move(refusal->why);
    const bool is_limit = refusal->problem == loop || refusal->problem == too_many;
    return end(is_limit ? page_end::redirect_limit : page_end::redirect_refused);
  }
  chain_.follow(std::move(std::get<detail::redirect_url>(target).url));
  ask(now);
}

ROBOTS_INLINE void page_visit::on_overload(const request_report& report, time_point now) {
  result_.retry_after = report.retry_after;
  ++overloads_;
  const bool is_long = report.retry_after && *report.retry_after > options_.max_retry_after;
  if (overloads_ >= options_.tries || is_long) {
    return end(page_end::overloaded);
  }
  ask(now);  // the gate holds the next turn back
}

ROBOTS_INLINE void page_visit::read_page(wall_time date) {
  const fetch_response& response = *result_.response;
  if (!has_page(response.status)) {
    return;
  }
  page_statements& page =
      result_.page.emplace(page_of(result_.hops.back().decision, chain_.last(), names_));
  page.mark_read(statement_place::headers);
  for (const http_header& header : response.headers) {
    page.header(header.name, header.value);
  }
  if (!may_have_meta(response.headers)) {
    page.mark_read(statement_place::meta);
  } else if (options_.reader && has_start(response) && !has_unknown_coding(response.headers)) {
    options_.reader(page, response.body, response.headers,
                    response.truncated || response.status == 206);
  }
  if (call_.purpose) {
    result_.permission = page.may(
        *call_.purpose, std::chrono::time_point_cast<std::chrono::system_clock::duration>(date));
  }
}

ROBOTS_INLINE void page_visit::end(page_end why) {
  result_.end = why;
  result_.url = chain_.last();
  step_ = std::move(result_);
}

}  // namespace robots::client_detail

#pragma once

#include <robots/base/enum_text.hpp>
#include <robots/http/message.hpp>
#include <robots/observe/admission_reason.hpp>
#include <robots/policy/challenge.hpp>
#include <robots/policy/decision.hpp>
#include <robots/polite/start_plan.hpp>
#include <robots/time/clock.hpp>
#include <robots/usage/page_statements.hpp>
#include <robots/usage/permission.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace robots {

/// Why a call of a `basic_polite_client` ended.
enum class page_end : std::uint8_t {
  answered,          ///< the site answered: see the status, which can be 404
  refused,           ///< the rules, a ruling or the gate refused the last URL: see its hop
  no_room,           ///< the gate has no room for a request to the host now
  challenged,        ///< the site sent a challenge, such as a CAPTCHA, instead of the page
  licence_demanded,  ///< the site demands a licence for the page
  overloaded,        ///< 429 or 503, too often or for too long: see `page_result::retry_after`
  redirect_refused,  ///< a redirect leads to where the client must not or cannot go
  redirect_limit,    ///< there were too many redirects, or a loop
  refused_address,   ///< the fetcher does not permit the address of the host
  failed,            ///< there was no response: see the error of the last hop
  stopped,           ///< the caller requested a stop
  too_late,          ///< the deadline came first
};

/// Returns the name of the enumerator.
[[nodiscard]] constexpr std::string_view to_string(page_end end) noexcept {
  return base::enum_text<page_end::too_late>(
      end,
      {"answered", "refused", "no_room", "challenged", "licence_demanded", "overloaded",
       "redirect_refused", "redirect_limit", "refused_address", "failed", "stopped", "too_late"});
}

namespace client_detail {

/// Returns true if a response with this status has the page. 204 has no content (RFC 9110,
/// section 15.3.5): for a robots.txt it means an empty file, but it is no page.
[[nodiscard]] constexpr bool has_page(int status) noexcept {
  return status >= 200 && status < 300 && status != 204 && !policy_detail::lacks_content(status);
}

}  // namespace client_detail

/// One URL that a call wanted to request, or its repetition after 429 or 503. A request was sent
/// only if `reason` is `go`.
struct page_hop {
  std::string url{};                                        ///< the URL
  admission_reason reason = admission_reason::invalid_url;  ///< `go`, or the refusal
  robots::decision decision{};                              ///< the decision that was in force
  start_plan plan{};                                        ///< the turn at the host
  std::chrono::nanoseconds waited{0};     ///< time for the robots.txt and for the turn at the host
  int status = 0;                         ///< HTTP status; 0 without a response
  fetch_error error = fetch_error::none;  ///< why there is no response
  /// A message about the error; it can quote octets from the network, so escape it where you print
  /// it.
  std::string error_text{};
  std::chrono::nanoseconds took{0};  ///< time from the request to the end of its response
};

/// The result of one call of a `basic_polite_client`.
struct page_result {
  page_end end = page_end::failed;  ///< why the call ended
  /// The last URL: that of the page, or the one that was refused. After `redirect_refused` and
  /// `redirect_limit`, the URL that redirects.
  std::string url{};
  std::optional<fetch_response> response{};  ///< the last response, if there was any
  std::vector<page_hop> hops{};              ///< all URLs in order, at least one
  /// The statements of the site about the use of the page: those of the robots.txt, of the headers,
  /// and those that the reader found. Empty unless the page came.
  std::optional<page_statements> page{};
  /// The answer for `page_options::purpose`. Empty if there is no purpose or no page.
  std::optional<robots::permission> permission{};
  /// The Retry-After of the last 429 or 503.
  std::optional<std::chrono::seconds> retry_after{};
  /// The reason why a redirect was not followed. It quotes octets from the network: escape it where
  /// you print it.
  std::string why{};

  /// Returns true if the page came: the site answered with a status of 2xx, but not with 202, 204
  /// or 205, which have no page.
  [[nodiscard]] explicit operator bool() const noexcept {
    return end == page_end::answered && response && client_detail::has_page(response->status);
  }
};

/// Returns why the call ended in a few words, in printable ASCII: `answered with 200`.
[[nodiscard]] std::string end_text(const page_result& result);

/// Returns the result in one line for people: why the call ended, and its last hop, in printable
/// ASCII.
[[nodiscard]] std::string explain(const page_result& result);

/// Returns what happened at a hop, in one line of printable ASCII. It leaves out a wait below a
/// millisecond.
///
///     https://example.com/: allowed: no rule matches; waited 1.000 s; 200 after 0.120 s
[[nodiscard]] std::string explain(const page_hop& hop);

}  // namespace robots

#ifndef ROBOTS_COMPILED
#include <robots/client/page_result.bodies.hpp>
#endif

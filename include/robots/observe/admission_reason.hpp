#pragma once

#include <robots/base/enum_text.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace robots {

/// The answer of a gate about a URL: `go`, or why the request may not start now.
enum class admission_reason : std::uint8_t {
  go,              ///< the request may start now, or has a reserved start time
  excluded,        ///< the crawler's own configuration excludes the host
  invalid_url,     ///< the text is not an http or https URL
  disallowed,      ///< robots.txt, or the fallback policy, does not allow the URL
  halted,          ///< the site is halted, or the gate withdrew the request
  needs_sign_off,  ///< nobody has signed the site off yet
  skip_host,       ///< robots.txt asks for a longer delay than the options accept
  busy,            ///< the host has no free reservation, or other callers wait for one
  not_yet,         ///< the request must wait until `start_plan::at`
  no_room,         ///< the gate remembers too many hosts; try another host, or try later
  stopped,         ///< the call was stopped, before robots.txt came or at the gate
  unread,          ///< the rulings of the crawl are not known: see `decision_reason::unread`
  too_late,        ///< robots.txt or the start of the request would come after the deadline
};

/// The name of a reason, as its enumerator is spelled.
[[nodiscard]] constexpr std::string_view to_string(admission_reason reason) noexcept {
  return base::enum_text<admission_reason::too_late>(
      reason, {"go", "excluded", "invalid_url", "disallowed", "halted", "needs_sign_off",
               "skip_host", "busy", "not_yet", "no_room", "stopped", "unread", "too_late"});
}

/// Returns "the request may start" for `go`. Returns the name of any other reason with a prefix:
/// "not now: " if the URL can be tried again later, and "refused: " otherwise.
[[nodiscard]] inline std::string explain(admission_reason reason) {
  if (reason == admission_reason::go) {
    return "the request may start";
  }
  return (reason < admission_reason::busy ? "refused: " : "not now: ") +
         std::string{to_string(reason)};
}

}  // namespace robots

#pragma once

#include <robots/base/enum_text.hpp>

#include <cstdint>
#include <string_view>

namespace robots {

/// The answer to a request for a URL: `go`, or the reason for the refusal.
enum class admission_reason : std::uint8_t {
  go,              ///< the request may start, or has a reservation
  excluded,        ///< the crawler's own configuration excludes the host
  invalid_url,     ///< the text is not an http or https URL
  disallowed,      ///< robots.txt, or the fallback policy, does not allow the URL
  halted,          ///< the site is halted, or the gate withdrew the request
  needs_sign_off,  ///< nobody has signed the site off yet
  skip_host,       ///< robots.txt asks for a longer delay than the options accept
  busy,            ///< all reservations of the host are taken, or other callers wait for one
  not_yet,         ///< the request must wait until `start_plan::at`
  no_room,         ///< the gate remembers too many hosts; try another host, or try later
  stopped,         ///< the call was stopped
  too_late,        ///< the request could start only after the deadline of the call
};

/// The name of a reason, as its enumerator is spelled.
[[nodiscard]] constexpr std::string_view to_string(admission_reason reason) noexcept {
  return base::enum_text<admission_reason::too_late>(
      reason, {"go", "excluded", "invalid_url", "disallowed", "halted", "needs_sign_off",
               "skip_host", "busy", "not_yet", "no_room", "stopped", "too_late"});
}

}  // namespace robots

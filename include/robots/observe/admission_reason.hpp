#pragma once

#include <robots/base/enum_text.hpp>

#include <cstdint>
#include <string_view>

namespace robots {

/// The answer to the question whether, and when, a URL may be fetched.
enum class admission_reason : std::uint8_t {
  go,              ///< it may, at the time of the reservation
  excluded,        ///< the host is excluded by the crawler's own configuration
  invalid_url,     ///< the text is no http or https URL
  disallowed,      ///< robots.txt, or the fallback in its place, does not allow it
  halted,          ///< the site is halted; a request that was planned is not made
  needs_sign_off,  ///< nobody has signed the site off yet
  skip_host,       ///< the site wants more delay than the options bear with
  busy,            ///< as many requests are under way at the host as may be, or others wait
  not_yet,         ///< it is too early; `start_plan::at` says when it is not
  no_room,         ///< too many hosts must be remembered; try another host, or this one later
  stopped,         ///< the call was stopped
  too_late,        ///< the deadline of the call comes first
};

/// The name of a reason, as its enumerator is spelled.
[[nodiscard]] constexpr std::string_view to_string(admission_reason reason) noexcept {
  return base::enum_text<admission_reason::too_late>(
      reason, {"go", "excluded", "invalid_url", "disallowed", "halted", "needs_sign_off",
               "skip_host", "busy", "not_yet", "no_room", "stopped", "too_late"});
}

}  // namespace robots

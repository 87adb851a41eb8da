#pragma once

#include <cstdint>
#include <string_view>

namespace robots {

/// Why a gate gives no pass.
enum class gate_refusal : std::uint8_t {
  none,         ///< it does
  invalid_url,  ///< the URL has no key
  busy,         ///< as many requests are under way at the host as may be, or others wait
  not_yet,      ///< it is too early; `schedule::at` says when it is not
  skip_host,    ///< the site wants more delay than the options bear with
  no_room,      ///< too many hosts must be remembered; try another host, or this one later
  stopped,      ///< the call was stopped
  too_late,     ///< the deadline of the call comes first
};

/// The name of a refusal, as its enumerator is spelled.
[[nodiscard]] constexpr std::string_view to_string(gate_refusal refusal) noexcept {
  switch (refusal) {
    case gate_refusal::none:
      return "none";
    case gate_refusal::invalid_url:
      return "invalid_url";
    case gate_refusal::busy:
      return "busy";
    case gate_refusal::not_yet:
      return "not_yet";
    case gate_refusal::skip_host:
      return "skip_host";
    case gate_refusal::no_room:
      return "no_room";
    case gate_refusal::stopped:
      return "stopped";
    case gate_refusal::too_late:
      return "too_late";
  }
  return "none";
}

}  // namespace robots

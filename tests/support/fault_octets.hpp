// The octets of correct and faulty responses.
#pragma once

#include "fault.hpp"
#include <robots/http/message.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace robots::test {

/// The correct response of a server, and its fault. A fault that has its own status, headers or
/// body ignores those of the correct response.
struct fault_plan {
  fault kind = fault::none;
  int status = 200;
  std::string body{};
  std::vector<http_header> headers{};
};

/// The end of a connection after its octets are sent.
enum class fault_ending {
  keep,   ///< waits for the next request
  close,  ///< closes the connection; with TLS, after close_notify
  reset,  ///< resets the connection
  stall,  ///< sends nothing more and waits until the client leaves
};

/// The octets that a server sends on a connection.
struct fault_octets {
  std::string octets{};
  std::string endless{};    ///< octets that are repeated after `octets`, or empty
  bool one_by_one = false;  ///< true if each segment has one octet
  fault_ending ending = fault_ending::keep;
};

/// Returns the octets of `plan` as the answer to a request for `target`.
[[nodiscard]] fault_octets octets_of(const fault_plan& plan, std::string_view target);

}  // namespace robots::test

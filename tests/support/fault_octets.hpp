// Answers as octets, whole or spoilt.
#pragma once

#include "fault.hpp"
#include <robots/http/message.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace robots::test {

/// The response of a server, and its fault. `status`, `headers` and `body` are those of the good
/// answer; a fault that has its own leaves them out.
struct fault_plan {
  fault kind = fault::none;
  int status = 200;
  std::string body{};
  std::vector<http_header> headers{};
};

/// The end of a connection after its octets are sent.
enum class fault_ending {
  keep,   ///< waits for the next request
  close,  ///< is closed, in TLS with its close_notify
  reset,  ///< is reset
  stall,  ///< sends nothing more and waits until the client leaves
};

/// The octets for a connection.
struct fault_octets {
  std::string octets{};
  std::string endless{};    ///< sent again and again after `octets`, when it is not empty
  bool one_by_one = false;  ///< in segments of one octet
  fault_ending ending = fault_ending::keep;
};

/// The octets of `plan` as the answer to a request for `target`.
[[nodiscard]] fault_octets octets_of(const fault_plan& plan, std::string_view target);

}  // namespace robots::test

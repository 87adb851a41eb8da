// The octets of correct and faulty answers.
#pragma once

#include "fault.hpp"
#include <robots/http/message.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace robots::test {

/// The response of a server, and its fault. `status`, `headers` and `body` are those of the correct
/// answer. A fault with another status, header or body ignores them.
struct fault_plan {
  fault kind = fault::none;
  int status = 200;
  std::string body{};
  std::vector<http_header> headers{};
};

/// The end of a connection after its octets are sent.
enum class fault_ending {
  keep,   ///< waits for the next request
  close,  ///< closes it; over TLS, after close_notify
  reset,  ///< resets it
  stall,  ///< sends nothing more and waits until the client leaves
};

/// The octets for a connection.
struct fault_octets {
  std::string octets{};
  std::string endless{};    ///< repeated after `octets`, if it is not empty
  bool one_by_one = false;  ///< sends segments of one octet
  fault_ending ending = fault_ending::keep;
};

/// Returns the octets of `plan` as the answer to a request for `target`.
[[nodiscard]] fault_octets octets_of(const fault_plan& plan, std::string_view target);

}  // namespace robots::test

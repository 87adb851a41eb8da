// Peers in other processes, which measure their own time. README.md describes the protocol.
#pragma once

#include "peers/peer.hpp"

#include <memory>
#include <string>
#include <vector>

namespace bench {

/// Starts `command` and waits for its greeting. Throws `peer_error` without a greeting. The message
/// has the reason if the peer states one.
std::unique_ptr<peer> start_process(std::string name, std::vector<std::string> command);

}  // namespace bench

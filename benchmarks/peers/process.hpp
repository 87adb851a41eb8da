// Peers in processes of their own, which time themselves; see README.md for what is said.
#pragma once

#include "peers/peer.hpp"

#include <memory>
#include <string>
#include <vector>

namespace bench {

/// Starts `command` and waits for its greeting. Throws `peer_error` if none comes; the message
/// is the reason it gives, if it gives one.
std::unique_ptr<peer> start_process(std::string name, std::vector<std::string> command);

}  // namespace bench

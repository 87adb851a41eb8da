// The lower limits of time, measured in the same run. The limits of parsing and matching are peers.
// The other limits are rows of primitives.cpp and plain_lru.hpp.
#pragma once

#include "peers/peer.hpp"

#include <vector>

namespace bench {

/// Returns peers that only read files and targets, without parsing.
std::vector<candidate> line_walks();

}  // namespace bench

// The lower limits of time, measured in the same run. A limit for parsing or matching is a peer.
// The others are rows of primitives.cpp and plain_lru.hpp.
#pragma once

#include "peers/peer.hpp"

#include <vector>

namespace bench {

/// Passes over files and targets, without parsing.
std::vector<candidate> line_walks();

}  // namespace bench

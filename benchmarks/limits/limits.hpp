// The lower bounds of time, measured in the same run. A limit on reading files or asking questions
// is a peer; the others are rows of primitives.cpp and plain_lru.hpp.
#pragma once

#include "peers/peer.hpp"

#include <vector>

namespace bench {

/// Passes over files and targets that understand nothing.
std::vector<candidate> line_walks();

}  // namespace bench

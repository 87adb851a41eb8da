#pragma once

#include "peers/peer.hpp"

#include <memory>

namespace bench {

std::unique_ptr<peer> make_robots_cpp();

}  // namespace bench

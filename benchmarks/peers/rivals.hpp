// The rivals in C++, each in its own file. The build omits those that it cannot find.
#pragma once

#include "peers/peer.hpp"

#include <memory>

namespace bench {

std::unique_ptr<peer> make_google_robotstxt();
std::unique_ptr<peer> make_rep_cpp();

}  // namespace bench

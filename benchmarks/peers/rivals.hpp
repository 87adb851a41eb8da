// The rivals that are called, each in its own file; the build leaves out what it cannot find.
#pragma once

#include "peers/peer.hpp"

#include <memory>

namespace bench {

std::unique_ptr<peer> make_google_robotstxt();
std::unique_ptr<peer> make_rep_cpp();

}  // namespace bench

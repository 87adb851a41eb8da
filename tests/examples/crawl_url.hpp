#pragma once

#include <cstdint>
#include <string>

namespace robots::example {

/// A URL of the crawl, and its number of links from a seed.
struct crawl_url {
  std::string url;
  std::int64_t depth = 0;
};

}  // namespace robots::example

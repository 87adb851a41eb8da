// Sites for caches: names of 22 octets and URLs on them, in an order without pattern.
#pragma once

#include "inputs/shapes.hpp"

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace bench {

/// `site-00017.example.com` and the like, shuffled the same way everywhere.
inline std::vector<std::string> host_names(std::size_t count) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string number = std::to_string(i);
    names.push_back("site-" + std::string(5 - number.size(), '0') + number + ".example.com");
  }
  dice random{count};
  for (std::size_t i = count; i > 1; --i) {
    std::swap(names[i - 1], names[random.below(i)]);
  }
  return names;
}

/// One URL on each host.
inline std::vector<std::string> urls_on(const std::vector<std::string>& hosts) {
  std::vector<std::string> urls;
  dice random{hosts.size() + 1};
  for (const std::string& host : hosts) {
    urls.push_back("https://" + host + path_of(random) + "/page.html");
  }
  return urls;
}

}  // namespace bench

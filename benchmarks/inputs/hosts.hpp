// Sites for caches: names of 22 octets and URLs on them.
#pragma once

#include "inputs/shapes.hpp"
#include <robots/base/zero_padded.hpp>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace bench {

/// Returns the texts in a random order, which is the same on every machine.
inline std::vector<std::string> shuffled(const std::vector<std::string>& texts) {
  std::vector<const std::string*> order;
  for (const std::string& text : texts) {
    order.push_back(&text);
  }
  dice random{texts.size()};
  for (std::size_t i = order.size(); i > 1; --i) {
    std::swap(order[i - 1], order[random.below(i)]);
  }
  // The texts are copied, so that their order in memory is the order of their use.
  std::vector<std::string> result;
  for (const std::string* text : order) {
    result.push_back(*text);
  }
  return result;
}

/// Returns names such as `site-00017.example.com`.
inline std::vector<std::string> host_names(std::size_t count) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < count; ++i) {
    names.push_back("site-" + robots::base::zero_padded(std::to_string(i), 5) + ".example.com");
  }
  return names;
}

inline std::vector<std::string> urls_on(const std::vector<std::string>& hosts) {
  std::vector<std::string> urls;
  dice random{hosts.size() + 1};
  for (const std::string& host : hosts) {
    urls.push_back("https://" + host + path_of(random) + "/page.html");
  }
  return urls;
}

}  // namespace bench

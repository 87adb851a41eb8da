#pragma once

#include <robots/http/validators.hpp>

#include <string>

namespace robots::detail {

/// A robots.txt that was fetched before, so that it need not come again if it has not changed.
struct known_copy {
  std::string url{};                ///< where it was found, behind any redirects
  robots::validators validators{};  ///< of the response
};

}  // namespace robots::detail

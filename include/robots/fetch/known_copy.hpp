#pragma once

#include <robots/http/validators.hpp>

#include <string>

namespace robots::detail {

/// A robots.txt from an earlier fetch, which the server need not send again if it is unchanged.
struct known_copy {
  std::string url{};                ///< the URL of the copy, after all redirects
  detail::validators validators{};  ///< the `ETag` and `Last-Modified` of the copy
};

}  // namespace robots::detail

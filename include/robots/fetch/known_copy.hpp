#pragma once

#include <robots/http/validators.hpp>

#include <string>

namespace robots::detail {

/// A robots.txt from an earlier fetch. If it has not changed, the server need not send it again.
struct known_copy {
  std::string url{};                ///< its URL, after all redirects
  detail::validators validators{};  ///< of the response
};

}  // namespace robots::detail

#pragma once

#include <cstddef>
#include <functional>
#include <string_view>

namespace robots::base {

/// Hashes strings and string views alike, so that a look-up by view makes no string.
///
/// Uses `std::hash`, since the default of Boost.Unordered 1.81 hashes octet by octet and takes
/// twice as long for the name of a site.
struct text_hash {
  using is_transparent = void;
  [[nodiscard]] std::size_t operator()(std::string_view text) const noexcept {
    return std::hash<std::string_view>{}(text);
  }
};

}  // namespace robots::base

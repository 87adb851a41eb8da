#pragma once

#include <cstddef>
#include <functional>
#include <string_view>

namespace robots::base {

/// Hashes strings and views of them alike, so that a table of strings is asked without making one.
///
/// Uses `std::hash`: the default of Boost.Unordered 1.81 goes octet by octet and takes twice as
/// long for the name of a site.
struct text_hash {
  using is_transparent = void;
  [[nodiscard]] std::size_t operator()(std::string_view text) const noexcept {
    return std::hash<std::string_view>{}(text);
  }
};

}  // namespace robots::base

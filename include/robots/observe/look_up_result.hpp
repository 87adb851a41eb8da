#pragma once

#include <robots/base/enum_text.hpp>

#include <cstdint>
#include <string_view>

namespace robots {

/// The way in which a look-up found its policy.
enum class look_up_result : std::uint8_t {
  hit,        ///< the cache had a fresh entry
  stale_hit,  ///< the cache had a stale entry; a look-up with time left has it renewed
  miss,       ///< the cache had no usable entry, so the site or a shared store is asked
  joined,     ///< the look-up waited for the fetch of another look-up
};

/// The name of a result, as its enumerator is spelled.
[[nodiscard]] constexpr std::string_view to_string(look_up_result result) noexcept {
  return base::enum_text<look_up_result::joined>(result, {"hit", "stale_hit", "miss", "joined"});
}

}  // namespace robots

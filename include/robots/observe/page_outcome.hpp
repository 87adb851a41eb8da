#pragma once

#include <robots/base/enum_text.hpp>

#include <cstdint>
#include <string_view>

namespace robots {

/// The outcome of a report of a page's response to a cache.
enum class page_outcome : std::uint8_t {
  noted,             ///< nothing of the kind below
  access_revoked,    ///< the site refuses a page that the cache does not deny
  licence_demanded,  ///< the server demands a licence for the page
};

/// The name of an outcome, as its enumerator is spelled.
[[nodiscard]] constexpr std::string_view to_string(page_outcome outcome) noexcept {
  return base::enum_text<page_outcome::licence_demanded>(
      outcome, {"noted", "access_revoked", "licence_demanded"});
}

}  // namespace robots

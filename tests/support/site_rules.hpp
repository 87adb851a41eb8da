// The robots.txt that most test sites have.
#pragma once

#include <string_view>

namespace robots::test {

inline constexpr const char* home = "https://example.com/";

/// Allows everything except /private.
inline constexpr std::string_view rules = "User-agent: *\nDisallow: /private\n";

}  // namespace robots::test

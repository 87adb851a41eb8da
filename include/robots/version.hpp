#pragma once

#include <string_view>

/// The library, which reads, fetches and caches robots.txt files and decides about URLs.
namespace robots {

/// Major version of the library, as in semantic versioning.
inline constexpr int version_major = 0;
/// Minor version of the library; before 1.0 a new minor version may change the interface.
inline constexpr int version_minor = 1;
/// Patch version of the library.
inline constexpr int version_patch = 0;

/// The version as "major.minor.patch". The build files and packages read the version here.
inline constexpr std::string_view version = "0.1.0";

}  // namespace robots

#include <robots/version.hpp>

#include <doctest/doctest.h>

#include <string>

TEST_CASE("The version as text is the three numbers joined by dots") {
  CHECK(robots::version == std::to_string(robots::version_major) + "." +
                               std::to_string(robots::version_minor) + "." +
                               std::to_string(robots::version_patch));
}

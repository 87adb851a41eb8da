// Reads a file as text.
#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace robots::test {

/// Returns the octets of a file; none if it cannot be read.
[[nodiscard]] inline std::string text_of(const std::filesystem::path& path) {
  std::ifstream file{path, std::ios::binary};
  return {std::istreambuf_iterator<char>{file}, {}};
}

}  // namespace robots::test

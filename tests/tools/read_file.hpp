// Reads files.
#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <istream>
#include <string>
#include <system_error>

namespace robots::check {

/// Returns the first `most` octets of a file, or of standard input if `name` is `-`. Throws
/// `std::system_error` if it cannot be read.
[[nodiscard]] inline std::string read_file(const std::string& name, std::size_t most) {
  const auto fail = [&name] {
    throw std::system_error(errno != 0 ? errno : EIO, std::generic_category(),
                            "cannot read " + (name == "-" ? "standard input" : '"' + name + '"'));
  };
  errno = 0;
  std::ifstream file;
  if (name != "-") {
    file.open(name, std::ios::binary);
    if (!file) {
      fail();
    }
  }
  std::istream& input = name == "-" ? std::cin : file;
  std::string text(most, '\0');
  input.read(text.data(), static_cast<std::streamsize>(most));
  if (input.bad() || (name == "-" && std::ferror(stdin) != 0)) {
    fail();
  }
  text.resize(static_cast<std::size_t>(input.gcount()));
  return text;
}

}  // namespace robots::check

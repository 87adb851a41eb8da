// The measured inputs: files, and questions about them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace bench {

/// One question about one file.
struct question {
  std::size_t file = 0;  ///< index into the input's files
  std::string agent;     ///< product token
  std::string path;      ///< path with query
};

/// The operations on an input, the same for every peer.
enum class operation : std::uint8_t {
  parse,    ///< parse a file into the peer's own form
  compile,  ///< parse a file and answer the first question about it
  match,    ///< answer one question from parsed rules
};

/// Files of one shape with questions about them.
struct input {
  std::string name;  ///< `family` or `family/size`, as in the names of rows
  std::vector<std::string> files;
  std::vector<question> questions;
  std::vector<operation> operations{operation::parse, operation::compile, operation::match};
  std::vector<std::string> file_names{};  ///< names for people, or empty
};

}  // namespace bench

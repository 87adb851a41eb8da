// Runs another program and keeps what it prints.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace robots::test {

/// How a program ended, and what it printed.
struct program_result {
  int status = -1;  ///< exit status; -1 if a signal ended it
  std::string output;
  std::string errors;

  /// Returns the lines of the output.
  [[nodiscard]] std::vector<std::string> lines() const;
};

/// Runs `program`, a path, without a shell in between, and waits for its end. Throws
/// std::system_error if it cannot be started.
[[nodiscard]] program_result run_program(const std::string& program,
                                         const std::vector<std::string>& arguments,
                                         std::string_view input = {});

}  // namespace robots::test

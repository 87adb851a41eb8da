// Runs another program, and keeps its output.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace robots::test {

/// The exit status of a program, and its output.
struct program_result {
  int status = -1;  ///< exit status; -1 if a signal ended it
  std::string output;
  std::string errors;

  [[nodiscard]] std::vector<std::string> lines() const;
};

/// Runs the program with the path `program`, without a shell, and waits for its end. Throws
/// std::system_error if it cannot be started.
[[nodiscard]] program_result run_program(const std::string& program,
                                         const std::vector<std::string>& arguments,
                                         std::string_view input = {});

}  // namespace robots::test

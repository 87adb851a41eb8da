// A program that reads and writes lines for the benchmarks (POSIX).
#pragma once

#include <sys/types.h>

#include <chrono>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace bench {

/// The error of a program that has ended, or does not answer in time.
class child_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Starts a program, uses its standard input and output, and ends it.
class child {
 public:
  explicit child(const std::vector<std::string>& command);
  child(const child&) = delete;
  child& operator=(const child&) = delete;
  ~child();

  /// Throws if there is an unread line, since it would be read as the answer to another question.
  void expect_silence() const;

  void write(std::string_view text, std::chrono::milliseconds limit);

  /// Returns the next line, without its end.
  [[nodiscard]] std::string read_line(std::chrono::milliseconds limit);

 private:
  pid_t id_ = -1;
  int socket_ = -1;
  std::string unread_;
};

}  // namespace bench

#pragma once

#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>

namespace robots::base {

/// Throws `error`. In a program that is compiled without exceptions, writes the message to the
/// standard error output and ends the program. `rep/` compiles without exceptions, so it throws
/// only with this function.
template <class Error>
[[noreturn]] void raise(const Error& error) {
#ifdef __cpp_exceptions
  throw error;
#else
  static_cast<void>(std::fprintf(stderr, "robots-cpp: %s\n", error.what()));
  std::abort();
#endif
}

/// Throws `std::invalid_argument` with the message `advice` if `is_valid` is false.
inline void require(bool is_valid, const char* advice) {
  if (!is_valid) {
    raise(std::invalid_argument{advice});
  }
}

/// Like the function above, with the message "NAME is VALUE" and then `advice`, such as ": use 1".
template <class Number>
void require(bool is_valid, const char* name, Number value, const char* advice) {
  if (!is_valid) {
    raise(std::invalid_argument{name + (" is " + std::to_string(value)) + advice});
  }
}

}  // namespace robots::base

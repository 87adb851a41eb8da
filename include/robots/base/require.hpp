#pragma once

#include <stdexcept>
#include <string>

namespace robots::base {

/// Throws `std::invalid_argument` with the message `advice` if `is_valid` is false.
inline void require(bool is_valid, const char* advice) {
  if (!is_valid) {
    throw std::invalid_argument{advice};
  }
}

/// Like the function above, with the message "NAME is VALUE" and then `advice`, such as ": use 1".
template <class Number>
void require(bool is_valid, const char* name, Number value, const char* advice) {
  if (!is_valid) {
    throw std::invalid_argument{name + (" is " + std::to_string(value)) + advice};
  }
}

}  // namespace robots::base

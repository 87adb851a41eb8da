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

/// Like the function above. The message is "NAME is VALUE", followed by `advice`, which begins with
/// the unit or a colon and says what to change.
template <class Number>
void require(bool is_valid, const char* name, Number value, const char* advice) {
  if (!is_valid) {
    throw std::invalid_argument{name + (" is " + std::to_string(value)) + advice};
  }
}

}  // namespace robots::base

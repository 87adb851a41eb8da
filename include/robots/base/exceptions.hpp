#pragma once

#include <exception>
#include <stdexcept>
#include <string>
#include <string_view>

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

/// Returns the text of the current exception, "WHO failed without a reason" or "no memory".
[[nodiscard]] inline std::string thrown_text(std::string_view who) noexcept {
  try {
    std::string text = std::string{who} + " failed without a reason";
    try {
      throw;
    } catch (const std::exception& thrown) {
      return *thrown.what() == '\0' ? text : thrown.what();
    } catch (...) {
      return text;
    }
  } catch (...) {
    return "no memory";
  }
}

}  // namespace robots::base

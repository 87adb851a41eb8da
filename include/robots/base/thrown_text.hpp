#pragma once

#include <exception>
#include <string>
#include <string_view>

namespace robots::base {

#ifdef __cpp_exceptions
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
#endif

}  // namespace robots::base

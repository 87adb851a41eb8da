#pragma once

#include <exception>
#include <string>
#include <string_view>

namespace robots::base {

/// Returns the text of the current exception, or a message that names `who` if it has none.
[[nodiscard]] inline std::string thrown_text(std::string_view who) {
  std::string text = std::string{who} + " failed without a reason";
  try {
    throw;
  } catch (const std::exception& thrown) {
    return *thrown.what() == '\0' ? text : thrown.what();
  } catch (...) {
    return text;
  }
}

}  // namespace robots::base

#pragma once

#include <exception>
#include <string>
#include <string_view>

namespace robots::base {

/// Returns the text of the current exception. If the exception has no text, returns a message that
/// names `who`. Call this function in a `catch (...)`.
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

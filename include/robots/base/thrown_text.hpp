#pragma once

#include <exception>
#include <string>
#include <string_view>

namespace robots::base {

/// Returns the text of the current exception. If the exception has no text, returns a text that
/// says that `who` failed. Call this function in a `catch (...)`.
[[nodiscard]] inline std::string thrown_text(std::string_view who) {
  std::string text;
  try {
    throw;
  } catch (const std::exception& thrown) {
    text = thrown.what();
  } catch (...) {
    text.clear();
  }
  return text.empty() ? std::string{who} + " failed without a reason" : text;
}

}  // namespace robots::base

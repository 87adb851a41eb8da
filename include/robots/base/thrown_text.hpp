#pragma once

#include <exception>
#include <string>
#include <string_view>

namespace robots::base {

/// What was thrown, in words; never empty. Call it within a `catch (...)`. Where the exception has
/// no text of its own, the words name `who` threw it.
[[nodiscard]] inline std::string thrown_text(std::string_view who) {
  std::string text;
  try {
    throw;
  } catch (const std::exception& thrown) {
    text = thrown.what();
  } catch (...) {
    text.clear();
  }
  return text.empty() ? std::string{who} + " failed, and did not say why" : text;
}

}  // namespace robots::base

#pragma once

#include <exception>
#include <string>
#include <string_view>

namespace robots::base {

/// In a `catch (...)`: what was thrown, in words, which are never none. `who` threw it, for what
/// does not say why.
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

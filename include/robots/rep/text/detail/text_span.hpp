#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace robots::rep_detail {

/// A stretch of the text that a `document` or `rule_set` owns.
struct text_span {
  std::uint32_t offset = 0;
  std::uint32_t size = 0;

  [[nodiscard]] constexpr std::string_view in(std::string_view text) const noexcept {
    return text.substr(offset, size);
  }
  [[nodiscard]] constexpr std::string_view in(const std::vector<char>& text) const noexcept {
    return in(std::string_view{text.data(), text.size()});
  }
};

}  // namespace robots::rep_detail

#pragma once

#include <robots/rep/read/detail/marked_line.hpp>
#include <robots/rep/text/detail/octet_block.hpp>

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <type_traits>

namespace robots::detail {

/// As std::popcount, which calls a function where the machine is not known to count bits.
[[nodiscard]] constexpr std::size_t count_octets(octet_set set) noexcept {
  set -= set >> 1U & 0x5555'5555U;
  set = (set & 0x3333'3333U) + (set >> 2U & 0x3333'3333U);
  set = (set + (set >> 4U)) & 0x0F0F'0F0FU;
  return set * 0x0101'0101U >> 24U;
}

/// The number of lines of a text, or a little more.
[[nodiscard]] constexpr std::size_t most_lines(std::string_view text) noexcept {
  std::size_t ends = 0;
  if (!std::is_constant_evaluated()) {
    for (; text.size() >= octet_block::size; text.remove_prefix(octet_block::size)) {
      const octet_block octets = octet_block::load(text.data());
      const octet_set line_feeds = octets.equal('\n');
      // A CR LF that lies in two blocks counts twice.
      const octet_set others = octets.equal('\r') & ~(line_feeds >> 1U);
      ends += count_octets(line_feeds | others);
    }
  }
  return ends + static_cast<std::size_t>(std::ranges::count_if(text, is_line_end)) + 1;
}

}  // namespace robots::detail

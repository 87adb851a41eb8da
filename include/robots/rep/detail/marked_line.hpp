#pragma once

#include <robots/rep/detail/octet_block.hpp>
#include <robots/rep/detail/octet_window.hpp>

#include <bit>
#include <cstddef>
#include <string_view>
#include <type_traits>

namespace robots::detail {

[[nodiscard]] constexpr bool is_line_end(char c) noexcept { return c == '\n' || c == '\r'; }

/// The line ends in a block.
struct line_ends {
  template <class Octets>
  [[nodiscard, gnu::always_inline]] octet_set operator()(const Octets& octets) const noexcept {
    return octets.equal('\n') | octets.equal('\r');
  }
};

/// `text` without what stands behind its last line end.
[[nodiscard]] constexpr std::string_view whole_lines(std::string_view text) noexcept {
  if (text.empty() || std::is_constant_evaluated()) {
    return text.substr(0, text.find_last_of("\r\n") + 1);
  }
  const char* const end =
      octet_window{text.data(), text.data() + text.size()}.find_behind_last(line_ends{});
  return {text.data(), static_cast<std::size_t>(end - text.data())};
}

/// A line, and where the octets that decide how it is read first stand in it.
struct marked_line {
  std::string_view text{};
  std::size_t comment = std::string_view::npos;  ///< of the first `#`
  std::size_t colon = std::string_view::npos;
  std::size_t nul = std::string_view::npos;
};

/// Marks the whole of `text`, which is one line.
[[nodiscard]] constexpr marked_line mark(std::string_view text) noexcept {
  return {.text = text,
          .comment = text.find('#'),
          .colon = text.find(':'),
          .nul = text.find('\0')};
}

/// Marks the line at the start of `text`, which is not empty. All octets are looked at once.
[[nodiscard]] inline marked_line mark_in_blocks(std::string_view text) noexcept {
  struct sets {
    octet_set end, comment, colon, nul;
  };
  marked_line line;
  const octet_window window{text.data(), text.data() + text.size()};
  const auto note = [](std::size_t& place, octet_set found, std::size_t offset) {
    if (found != 0 && place == std::string_view::npos) {
      place = offset + static_cast<std::size_t>(std::countr_zero(found));
    }
  };
  for (std::size_t offset = 0;; offset += octet_block::size) {
    const char* const at = text.data() + offset;
    const sets found = window.look(at, [](const auto& octets) -> sets {
      const octet_set end = line_ends{}(octets);
      const octet_set line_octets = (end & (0U - end)) - 1U;
      return {end, octets.equal('#') & line_octets, octets.equal(':') & line_octets,
              octets.equal('\0') & line_octets};
    });
    note(line.comment, found.comment, offset);
    note(line.colon, found.colon, offset);
    note(line.nul, found.nul, offset);
    if (found.end != 0) {
      line.text =
          text.substr(0, offset + static_cast<std::size_t>(std::countr_zero(found.end)));
      return line;
    }
    if (window.is_last(at)) {
      line.text = text;
      return line;
    }
  }
}

/// Marks the line at the start of `text`, which is not empty.
[[nodiscard]] constexpr marked_line mark_first_line(std::string_view text) noexcept {
  if (!std::is_constant_evaluated()) {
    return mark_in_blocks(text);
  }
  std::size_t size = 0;
  while (size < text.size() && !is_line_end(text[size])) {
    ++size;
  }
  return mark(text.substr(0, size));
}

}  // namespace robots::detail

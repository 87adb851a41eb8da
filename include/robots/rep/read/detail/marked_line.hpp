#pragma once

#include <robots/rep/text/detail/octet_block.hpp>
#include <robots/rep/text/detail/octet_window.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <string_view>
#include <type_traits>

namespace robots::rep_detail {

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

/// A line, and where the first octet in it stands that may end what is read of it: a `#` or a NUL
/// octet.
struct marked_line {
  std::string_view text{};
  std::size_t mark = std::string_view::npos;
};

/// Marks `text`, which is one line.
[[nodiscard]] constexpr marked_line mark(std::string_view text) noexcept {
  return {.text = text, .mark = text.find_first_of(std::string_view{"#\0", 2})};
}

/// Marks the line at the start of `text`, which is not empty. All octets are looked at once.
[[nodiscard]] inline marked_line mark_in_blocks(std::string_view text) noexcept {
  struct sets {
    octet_set end, mark;
  };
  const octet_window window{text.data(), text.data() + text.size()};
  const char* mark = nullptr;
  for (const char* at = text.data();; at += octet_block::size) {
    const sets found = window.look(at, [](const auto& octets) {
      return sets{line_ends{}(octets), octets.equal('#') | octets.equal('\0')};
    });
    const octet_set before_end = (found.end & (0U - found.end)) - 1U;
    if (mark == nullptr && (found.mark & before_end) != 0) {
      mark = at + std::countr_zero(found.mark);
    }
    const bool ends = found.end != 0;
    if (!ends && !window.is_last(at)) {
      continue;
    }
    const auto places = [&](const char* to) { return static_cast<std::size_t>(to - text.data()); };
    return {.text = ends ? text.substr(0, places(at + std::countr_zero(found.end))) : text,
            .mark = mark != nullptr ? places(mark) : std::string_view::npos};
  }
}

/// Marks the line at the start of `text`, which is not empty.
[[nodiscard]] constexpr marked_line mark_first_line(std::string_view text) noexcept {
  if (!std::is_constant_evaluated()) {
    return mark_in_blocks(text);
  }
  const auto end =
      static_cast<std::size_t>(std::find_if(text.begin(), text.end(), is_line_end) - text.begin());
  return mark(text.substr(0, end));
}

}  // namespace robots::rep_detail

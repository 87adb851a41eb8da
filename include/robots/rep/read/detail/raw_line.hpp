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
struct raw_line {
  std::string_view text{};
  std::size_t stop = std::string_view::npos;
};

/// The line at the start of `text`, which is not empty. All octets are looked at once.
[[nodiscard]] inline raw_line first_raw_line_in_blocks(std::string_view text) noexcept {
  struct sets {
    octet_set end, stop;
  };
  const octet_window window{text.data(), text.data() + text.size()};
  const char* stop = nullptr;
  for (const char* at = text.data();; at += octet_block::size) {
    const sets found = window.look(at, [](const auto& octets) {
      return sets{line_ends{}(octets), octets.equal('#') | octets.equal('\0')};
    });
    const octet_set before_end = (found.end & (0U - found.end)) - 1U;
    if (stop == nullptr && (found.stop & before_end) != 0) {
      stop = at + std::countr_zero(found.stop);
    }
    const bool ends = found.end != 0;
    if (!ends && !window.is_last(at)) {
      continue;
    }
    const auto places = [&](const char* to) { return static_cast<std::size_t>(to - text.data()); };
    return {.text = ends ? text.substr(0, places(at + std::countr_zero(found.end))) : text,
            .stop = stop != nullptr ? places(stop) : std::string_view::npos};
  }
}

/// The line at the start of `text`, which is not empty.
[[nodiscard]] constexpr raw_line first_raw_line(std::string_view text) noexcept {
  if (!std::is_constant_evaluated()) {
    return first_raw_line_in_blocks(text);
  }
  text = text.substr(0, text.find_first_of("\r\n"));
  return {.text = text, .stop = text.find_first_of(std::string_view{"#\0", 2})};
}

}  // namespace robots::rep_detail

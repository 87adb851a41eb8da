#pragma once

#include <robots/base/ascii.hpp>
#include <robots/rep/read/detail/raw_line.hpp>
#include <robots/rep/text/detail/octet_window.hpp>

#include <cstddef>
#include <cstdint>

namespace robots::rep_detail {

/// What a line is of which only the first octet that is not white space matters.
enum class skippable_kind : std::uint8_t {
  none,    ///< the line is none of these
  silent,  ///< nothing, or a comment
  markup,  ///< HTML
};

/// A line that says nothing.
struct skippable_line {
  skippable_kind kind = skippable_kind::none;
  const char* first = nullptr;  ///< its first octet that is not white space
  const char* end = nullptr;
};

/// The octets in a block that are no white space.
struct no_white_space {
  template <class Octets>
  [[nodiscard, gnu::always_inline]] octet_set operator()(const Octets& octets) const noexcept {
    return ~(octets.equal(' ') | octets.equal('\t'));
  }
};

/// Reads the line that begins at `at`, which is not the end, if it can be skipped and has `most`
/// octets at most. All dialects and options read such a line alike.
[[nodiscard, gnu::always_inline]] inline skippable_line read_skippable_line(
    const char* at, const char* end, const octet_window& text, std::size_t most) noexcept {
  const char* const first = base::is_ws(*at) ? text.find(at, no_white_space{}) : at;
  const bool blank = first == end || is_line_end(*first);
  if (!blank && *first != '#' && *first != '<') {
    return {};
  }
  const char* const stop = blank ? first : text.find(first, line_ends{});
  if (static_cast<std::size_t>(stop - at) > most) {
    return {};
  }
  return {.kind = !blank && *first == '<' ? skippable_kind::markup : skippable_kind::silent,
          .first = first,
          .end = stop};
}

}  // namespace robots::rep_detail

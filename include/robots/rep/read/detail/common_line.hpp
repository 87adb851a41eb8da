#pragma once

#include <robots/base/ascii.hpp>
#include <robots/rep/read/detail/common_key.hpp>
#include <robots/rep/read/detail/raw_line.hpp>
#include <robots/rep/read/directive.hpp>
#include <robots/rep/text/detail/octet_window.hpp>

#include <cstddef>
#include <string_view>

namespace robots::rep_detail {

/// A line in the form that nearly all have: a frequent key, a colon, and a value without white
/// space in it; then at most a comment.
struct common_line {
  directive_kind kind = directive_kind::unknown;  ///< unknown: the line is not of that form
  std::string_view key{};
  std::string_view value{};
  const char* end = nullptr;  ///< of the line
};

/// The octets that end the value of a common line: white space, `#` and what spoils a line are all
/// among them, and of what may stand in a value only `!` and `"`.
struct value_ends {
  template <class Octets>
  [[nodiscard, gnu::always_inline]] octet_set operator()(const Octets& octets) const noexcept {
    return octets.at_most('#');
  }
};

/// The end of a line of which at `at`, which is not its end, nothing but white space and a comment
/// may follow; nothing if something else does.
[[nodiscard]] inline const char* find_end_of_rest(const char* at, const char* end,
                                                  const octet_window& text) noexcept {
  while (at != end && base::is_ws(*at)) {
    ++at;
  }
  if (at == end || is_line_end(*at)) {
    return at;
  }
  return *at == '#' ? text.find(at, line_ends{}) : nullptr;
}

/// Reads the line that goes on at `at` if it is a common one, and has no more than `most` octets
/// from there. All dialects and options read such a line alike.
[[nodiscard, gnu::always_inline]] inline common_line read_common_line(const char* at,
                                                                      const char* end,
                                                                      const octet_window& text,
                                                                      std::size_t most) noexcept {
  // One octet more than the longest key and its colon, so that there is one behind any colon.
  if (end - at <= static_cast<std::ptrdiff_t>(common_key::looked_at)) [[unlikely]] {
    return {};
  }
  const common_key key = find_common_key(at);
  if (key.kind == directive_kind::unknown) {
    return {};
  }
  const char* const behind_colon = at + key.size + 1;
  const char* value = behind_colon;
  value += *value == ' ' ? 1 : 0;
  if (value == end) [[unlikely]] {
    return {};
  }
  const char* stop = text.find(value, value_ends{});
  std::string_view written{value, static_cast<std::size_t>(stop - value)};
  if (stop != end && !is_line_end(*stop)) [[unlikely]] {
    stop = written.empty() ? nullptr : find_end_of_rest(stop, end, text);
    if (stop == nullptr) {
      return {};
    }
  }
  if (static_cast<std::size_t>(stop - at) > most) [[unlikely]] {
    return {};
  }
  if (written.empty()) {
    written = {behind_colon, behind_colon};
  }
  return {.kind = key.kind, .key = {at, key.size}, .value = written, .end = stop};
}

}  // namespace robots::rep_detail

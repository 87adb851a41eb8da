#pragma once

#include <robots/rep/detail/octet_block.hpp>
#include <robots/rep/detail/octet_window.hpp>
#include <robots/rep/detail/plain_key.hpp>
#include <robots/rep/directive.hpp>

#include <cstddef>
#include <string_view>

namespace robots::detail {

/// A line in the form that nearly all have: a key of the protocol, a colon, at most one space, and
/// a value that ends where the line does and holds nothing that could have to be taken off.
struct plain_line {
  directive_kind kind = directive_kind::unknown;  ///< unknown: the line is none of these
  std::string_view key{};
  std::string_view value{};
};

/// Reads the line that begins at `at` if it is plain, with `most` octets at most. All dialects and
/// options read such a line alike.
[[nodiscard, gnu::always_inline]] inline plain_line read_plain_line(const char* at, const char* end,
                                                const octet_window& text,
                                                std::size_t most) noexcept {
  if (end - at < static_cast<std::ptrdiff_t>(plain_key::max_size)) {
    return {};
  }
  const plain_key* const key = find_plain_key(at);
  if (key == nullptr) {
    return {};
  }
  const char* value = at + key->size();
  if (*value == ' ' && ++value == end) {
    return {};
  }
  // White space, controls, NUL and `#` are all at most `#`; of other characters only `!` and `"`.
  const char* const stop =
      text.find(value, [](const auto& octets) { return octets.at_most('#'); });
  if (stop == value || static_cast<std::size_t>(stop - at) > most ||
      (stop != end && *stop != '\n' && *stop != '\r')) {
    return {};
  }
  return {.kind = key->kind(),
          .key = {at, key->size() - 1},
          .value = {value, static_cast<std::size_t>(stop - value)}};
}

}  // namespace robots::detail

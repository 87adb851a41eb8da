#pragma once

#include <robots/base/config.hpp>
#include <robots/rep/rules/detail/compiled_pattern.hpp>
#include <robots/rep/rules/detail/rule_hash.hpp>
#include <robots/rep/text/detail/octet_word.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace robots::rep_detail {

/// Longest prefix by which rules are told apart.
inline constexpr std::size_t max_key_size = 63;

/// What one look at a pattern tells that is its own compiled form, save for a `*` at its end.
struct plain_pattern {
  std::size_t star;    ///< where the first `*` is; the pattern's size if there is none
  std::size_t key;     ///< octets before that, `max_key_size` at most
  std::uint64_t hash;  ///< of these
};

/// What `read_plain_pattern` has to say of a pattern with a star, or a longer one. `state` is that
/// of the hash of the first `at` octets, in which nothing was found.
[[nodiscard]] ROBOTS_NOINLINE constexpr std::optional<plain_pattern> read_starred_pattern(
    std::string_view text, std::size_t at, hash_state state) noexcept {
  const std::string_view rest = text.substr(at);
  const std::size_t star = at + find_octet(rest, '*');
  if (!is_graphic_without<'%', '$'>(rest) || has_double_star(text.substr(star))) {
    return std::nullopt;
  }
  const std::size_t key = (std::min)(star, max_key_size);
  return plain_pattern{star, key, state.finish(word_at(text, at), key - at)};
}

/// Reads a pattern without its anchor, if it consists of graphic ASCII characters other than `%`
/// and `$`, without two stars in a row, as most do: then all dialects compile it alike.
[[nodiscard]] ROBOTS_ALWAYS_INLINE constexpr std::optional<plain_pattern> read_plain_pattern(
    std::string_view text) noexcept {
  hash_state state = hash_state::start();
  std::size_t at = 0;
  for (; text.size() - at >= sizeof(octet_word) && at + sizeof(octet_word) <= max_key_size;
       at += sizeof(octet_word)) {
    const octet_word word = whole_word(text, at);
    if (has_other_than_graphic<'%', '$', '*'>(word)) {
      break;
    }
    state = state.with(word);
  }
  // GCC calls a function for `substr` here.
  const std::string_view rest{text.data() + at, text.size() - at};
  if (rest.size() < sizeof(octet_word)) {
    const octet_word word = last_word(text, at);
    if (!has_other_than_graphic<'%', '$', '*'>(with_graphic_end(word, rest.size()))) {
      return plain_pattern{text.size(), text.size(), state.finish(word, rest.size())};
    }
  }
  return read_starred_pattern(text, at, state);
}

}  // namespace robots::rep_detail

#pragma once

#include <robots/base/config.hpp>
#include <robots/rep/rules/detail/block_layout.hpp>
#include <robots/rep/rules/detail/prefix_hash.hpp>
#include <robots/rep/text/detail/octet_word.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace robots::rep_detail {

// Nearly all patterns are plain: every dialect compiles them to themselves. One pass over the
// octets of a pattern, eight at a time, does three things: it finds out if the pattern is plain, it
// finds the first wildcard, and it computes the hash of the key, which is the text before this
// wildcard.

/// The result of one pass over a plain pattern.
struct plain_pattern {
  std::size_t star;      ///< the place of the first `*`, or the size of the pattern
  std::size_t key_size;  ///< the octets before this place, but at most `max_key_size`
  std::uint64_t hash;    ///< the hash of these octets
};

/// Returns true if `text` has `**`. `text` must be ASCII. Each word begins with the last octet of
/// the word before it, so that a `**` is whole in one of them:
///
///     *cart/*/shop/**/x
///     [ word ]                     octets 0 to 7
///            [ word ]              octets 7 to 14
///                   [ word ]       octets 14 to 17, and zeros
[[nodiscard]] constexpr bool has_double_star(std::string_view text) noexcept {
  for (std::size_t start = 0; start + 1 < text.size(); start += sizeof(octet_word) - 1) {
    const octet_word stars = flags_of_equal(word_at(text, start), '*');
    if ((stars & (stars >> 8U)) != 0) {
      return true;
    }
  }
  return false;
}

/// Finishes `read_plain_pattern` for a pattern with a wildcard, a long pattern, or one that is not
/// plain. `state` is the hash state after the first `offset` octets, which have no wildcard.
[[nodiscard]] ROBOTS_NOINLINE constexpr std::optional<plain_pattern> read_starred_pattern(
    std::string_view text, std::size_t offset, std::uint64_t state) noexcept {
  const std::string_view rest = behind(text, offset);
  const std::size_t star = offset + find_octet(rest, '*');
  if (!is_graphic_without<'%', '$'>(rest) || has_double_star(behind(text, star))) {
    return std::nullopt;
  }
  const std::size_t key_size = (std::min)(star, max_key_size);
  return plain_pattern{.star = star,
                       .key_size = key_size,
                       .hash = finish_hash(state, word_at(text, offset), key_size - offset)};
}

/// Reads a pattern without its anchor. Returns an empty optional if the pattern is not plain. A
/// plain pattern has only graphic ASCII characters other than `%` and `$`, and no `**`.
[[nodiscard]] ROBOTS_ALWAYS_INLINE constexpr std::optional<plain_pattern> read_plain_pattern(
    std::string_view text) noexcept {
  std::uint64_t state = hash_start;
  std::size_t offset = 0;
  for (; text.size() - offset >= sizeof(octet_word) && offset + sizeof(octet_word) <= max_key_size;
       offset += sizeof(octet_word)) {
    const octet_word word = whole_word(text, offset);
    if (has_other_than_graphic<'%', '$', '*'>(word)) {
      return read_starred_pattern(text, offset, state);
    }
    state = next_hash_state(state, word);
  }
  const std::size_t rest = text.size() - offset;
  if (rest < sizeof(octet_word)) {
    const octet_word word = last_word(text, offset);
    if (!has_other_than_graphic<'%', '$', '*'>(with_graphic_end(word, rest))) {
      return plain_pattern{
          .star = text.size(), .key_size = text.size(), .hash = finish_hash(state, word, rest)};
    }
  }
  return read_starred_pattern(text, offset, state);
}

}  // namespace robots::rep_detail

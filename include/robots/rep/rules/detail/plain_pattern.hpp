#pragma once

#include <robots/base/config.hpp>
#include <robots/rep/rules/detail/block_layout.hpp>
#include <robots/rep/rules/detail/prefix_hash.hpp>
#include <robots/rep/text/detail/octet_word.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace robots::rep_detail {

// Nearly all patterns are plain: short, without wildcards, and their own compiled form. One pass
// over the octets of a pattern finds out if it is plain, and computes the hash of its key at the
// same time, eight octets a step.

/// Returns the hash of a plain pattern, or an empty optional if `text` is not plain. `text` is a
/// pattern without its anchor. A plain pattern has only graphic ASCII characters other than `%`,
/// `$` and `*`, and at most `max_key_size` octets. Every dialect compiles it to itself.
[[nodiscard]] ROBOTS_ALWAYS_INLINE constexpr std::optional<std::uint64_t> hash_of_plain(
    std::string_view text) noexcept {
  if (text.size() > max_key_size) {
    return std::nullopt;
  }
  std::uint64_t state = hash_start;
  std::size_t offset = 0;
  for (; text.size() - offset >= sizeof(octet_word); offset += sizeof(octet_word)) {
    const octet_word word = whole_word(text, offset);
    if (has_other_than_graphic<'%', '$', '*'>(word)) {
      return std::nullopt;
    }
    state = next_hash_state(state, word);
  }
  const std::size_t rest = text.size() - offset;
  const octet_word word = last_word(text, offset);
  if (has_other_than_graphic<'%', '$', '*'>(with_graphic_end(word, rest))) {
    return std::nullopt;
  }
  return finish_hash(state, word, rest);
}

}  // namespace robots::rep_detail

#pragma once

#include <robots/base/config.hpp>
#include <robots/base/octet_word.hpp>
#include <robots/rep/text/detail/long_text.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>

namespace robots::rep_detail {

using base::last_word;
using base::octet_word;
using base::part_of_word;
using base::whole_word;
using base::word_at;

/// Stores the lowest `Size` octets of `word` at `to`. `part_of_word` can read these octets.
template <std::size_t Size>
constexpr void store_word(char* to, octet_word word) noexcept {
  if (!std::is_constant_evaluated() && std::endian::native == std::endian::little) {
    std::memcpy(to, &word, Size);
    return;
  }
  for (std::size_t i = 0; i < Size; ++i) {
    to[i] = static_cast<char>(static_cast<unsigned char>(word >> (8 * i)));
  }
}

[[nodiscard]] constexpr octet_word repeat_octet(unsigned char c) noexcept {
  return 0x0101'0101'0101'0101U * c;
}

/// Returns a mask for the lowest `count` octets of a word. `count` is 0 to 7.
[[nodiscard]] constexpr octet_word octet_mask(std::size_t count) noexcept {
  return (octet_word{1} << (8 * count)) - 1;
}

[[nodiscard]] constexpr bool has_octet(octet_word word, unsigned char c) noexcept {
  const octet_word differs = word ^ repeat_octet(c);
  return ((differs - repeat_octet(1)) & ~differs & repeat_octet(0x80)) != 0;
}

/// Returns the highest bit of each octet of `word` that is `c`. `word` and `c` must be ASCII.
[[nodiscard]] constexpr octet_word flags_of_equal(octet_word word, unsigned char c) noexcept {
  return ~((word ^ repeat_octet(c)) + repeat_octet(0x7F)) & repeat_octet(0x80);
}

/// Returns true if `word` has an octet below `c`. `word` must be ASCII.
[[nodiscard]] constexpr bool has_octet_below(octet_word word, unsigned char c) noexcept {
  return ((word - repeat_octet(c)) & ~word & repeat_octet(0x80)) != 0;
}

/// Returns true if a word has an octet above ASCII, or the control character DEL.
[[nodiscard]] constexpr bool has_octet_above_graphic(octet_word word) noexcept {
  return ((word | (word + repeat_octet(1))) & repeat_octet(0x80)) != 0;
}

/// Returns true if `word` has an octet outside the graphic ASCII characters (`0x21` to `0x7E`), or
/// one of `Others`.
template <unsigned char... Others>
[[nodiscard]] ROBOTS_ALWAYS_INLINE constexpr bool has_other_than_graphic(octet_word word) noexcept {
  constexpr unsigned char above_others = '+';
  static_assert(((Others < above_others) && ...));
  if (has_octet_above_graphic(word)) {
    return true;
  }
  return has_octet_below(word, above_others) &&
         (has_octet_below(word, '!') || (has_octet(word, Others) || ...));
}

/// Returns `word` with `~` in place of each octet after the first `count` octets. The replaced
/// octets must be 0. `has_other_than_graphic` ignores the graphic character `~`.
[[nodiscard]] constexpr octet_word with_graphic_end(octet_word word, std::size_t count) noexcept {
  return word | (repeat_octet('~') & ~octet_mask(count));
}

/// The size from which a text is long, in octets: see long_text.hpp.
inline constexpr std::size_t long_text = 256;

/// Returns true if `text` has only graphic ASCII characters, and none of `Others`.
template <unsigned char... Others>
[[nodiscard]] constexpr bool is_graphic_without(std::string_view text) noexcept {
  constexpr std::size_t word = sizeof(octet_word);
  if (text.size() < word) {
    return !has_other_than_graphic<Others...>(with_graphic_end(last_word(text, 0), text.size()));
  }
  std::size_t offset = 0;
  if (!std::is_constant_evaluated() && text.size() >= long_text) {
    constexpr unsigned char star_or_none = ((Others == '*') || ...) ? '*' : '\0';
    static_assert(((Others < '&' || Others == '*') && ...), "`pass_graphic` ends at these");
    const char* const end = text.data() + text.size();
    offset = static_cast<std::size_t>(pass_graphic(text.data(), end, star_or_none) - text.data());
  }
  const std::size_t last = text.size() - word;
  for (; offset < last; offset += word) {
    if (has_other_than_graphic<Others...>(whole_word(text, offset))) {
      return false;
    }
  }
  return !has_other_than_graphic<Others...>(whole_word(text, last));
}

/// Returns `text` from `offset` on. Faster than `substr`, which GCC does not inline.
[[nodiscard]] ROBOTS_ALWAYS_INLINE constexpr std::string_view behind(std::string_view text,
                                                                     std::size_t offset) noexcept {
  return {text.data() + offset, text.size() - offset};
}

/// Returns the position of the first `c` in `text`, or the size of `text`. Faster than
/// `std::string_view::find` if `c` is near the start of `text`.
[[nodiscard]] ROBOTS_ALWAYS_INLINE constexpr std::size_t find_octet(std::string_view text,
                                                                    char c) noexcept {
  constexpr std::size_t nearest = 2 * sizeof(octet_word);
  const octet_word wanted = repeat_octet(static_cast<unsigned char>(c));
  for (std::size_t offset = 0; offset < text.size(); offset += sizeof(octet_word)) {
    if (offset == nearest) {
      return (std::min)(text.find(c, offset), text.size());
    }
    const octet_word differs = word_at(text, offset) ^ wanted;
    // The lowest set bit belongs to the first equal octet; higher bits can be wrong.
    const octet_word equal = (differs - repeat_octet(1)) & ~differs & repeat_octet(0x80);
    if (equal != 0) {
      return (std::min)(offset + static_cast<std::size_t>(std::countr_zero(equal)) / 8,
                        text.size());
    }
  }
  return text.size();
}

#if defined(__x86_64__) && defined(__GNUC__)
/// Returns which of the 16 octets from `from` on are at most `most`, bit n for the n-th octet. Uses
/// SSE2, which each x86-64 machine has. Not for constant expressions.
[[nodiscard]] ROBOTS_ALWAYS_INLINE inline std::uint64_t at_most_of_16(const char* from,
                                                                      char most) noexcept {
  using octets = unsigned char __attribute__((vector_size(16)));
  using chars = char __attribute__((vector_size(16)));
  octets block;  // NOLINT(*-member-init): filled below
  std::memcpy(&block, from, sizeof block);
  const auto flags = reinterpret_cast<chars>(block <= static_cast<unsigned char>(most));
  return static_cast<unsigned>(__builtin_ia32_pmovmskb128(flags));
}
#endif

/// `find_at_most` for places in the last octets of a text, and in constant expressions.
[[nodiscard]] ROBOTS_ALWAYS_INLINE constexpr const char* find_at_most_by_word(const char* from,
                                                                              const char* end,
                                                                              char most) noexcept {
  const octet_word limit = repeat_octet(static_cast<unsigned char>(most + 1));
  for (; end - from >= std::ptrdiff_t{sizeof(octet_word)}; from += sizeof(octet_word)) {
    const octet_word word = whole_word({from, sizeof(octet_word)}, 0);
    // The lowest set bit belongs to the first octet found; higher bits can be wrong.
    if (const octet_word found = (word - limit) & ~word & repeat_octet(0x80); found != 0) {
      return from + std::countr_zero(found) / 8;
    }
  }
  while (from != end && static_cast<unsigned char>(*from) > static_cast<unsigned char>(most)) {
    ++from;
  }
  return from;
}

/// `find_at_most` for a place that is not near.
[[nodiscard]] ROBOTS_NOINLINE constexpr const char* find_far_at_most(const char* from,
                                                                     const char* end,
                                                                     char most) noexcept {
#if defined(__x86_64__) && defined(__GNUC__)
  constexpr std::ptrdiff_t block = 32;
  constexpr std::ptrdiff_t usual = 128;
  const char* const usual_end = end - from > usual ? from + usual : end;
  while (!std::is_constant_evaluated() && end - from >= block) {
    const std::uint64_t found = at_most_of_16(from, most) | at_most_of_16(from + 16, most) << 16;
    if (found != 0) {
      return from + std::countr_zero(found);
    }
    from += block;
    if (from == usual_end) {
      from = pass_above(from, end, static_cast<unsigned char>(most));
    }
  }
#endif
  return find_at_most_by_word(from, end, most);
}

/// Returns the first place in [`from`, `end`) with an octet of at most `most`, or `end`. `most` is
/// ASCII. Compares octets as unsigned numbers.
///
/// Looks at a whole block before the first branch:
///
///     Disallow: /search?q=          32 octets: the end of nearly each value is among them
///               /search?q=.Disallow: /cart.Disall
///                         ^ at most `#`
///
/// A branch for each 16 octets would depend on the length of each value, which a processor cannot
/// predict. `block` is a constant, a multiple of 16 up to 64. The portable path ignores it.
[[nodiscard]] ROBOTS_ALWAYS_INLINE constexpr const char* find_at_most(
    const char* from, const char* end, char most,
    [[maybe_unused]] std::ptrdiff_t block = 32) noexcept {
#if defined(__x86_64__) && defined(__GNUC__)
  if (!std::is_constant_evaluated() && end - from >= block) {
    std::uint64_t found = 0;
    for (std::ptrdiff_t i = 0; i < block; i += 16) {
      found |= at_most_of_16(from + i, most) << i;
    }
    if (found != 0) {
      return from + std::countr_zero(found);
    }
    return find_far_at_most(from + block, end, most);
  }
#endif
  return find_at_most_by_word(from, end, most);
}

/// Like `std::string_view::starts_with`, but faster if both texts are short.
[[nodiscard]] ROBOTS_ALWAYS_INLINE constexpr bool begins_with(std::string_view text,
                                                              std::string_view prefix) noexcept {
  if (text.size() < prefix.size()) {
    return false;
  }
  text = {text.data(), prefix.size()};
  std::size_t offset = 0;
  for (; prefix.size() - offset >= sizeof(octet_word); offset += sizeof(octet_word)) {
    if (whole_word(text, offset) != whole_word(prefix, offset)) {
      return false;
    }
  }
  return offset == prefix.size() || last_word(text, offset) == last_word(prefix, offset);
}

}  // namespace robots::rep_detail

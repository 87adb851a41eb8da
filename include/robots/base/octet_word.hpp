#pragma once

#include <robots/base/config.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>

namespace robots::base {

/// Eight octets as one number, to compare them at once. The first octet is in the lowest bits.
using octet_word = std::uint64_t;

/// Reads `Size` octets of `text`, from `start` on.
template <std::size_t Size>
[[nodiscard]] constexpr octet_word part_of_word(std::string_view text, std::size_t start) noexcept {
  octet_word word = 0;
  if (!std::is_constant_evaluated() && std::endian::native == std::endian::little) {
    std::memcpy(&word, text.data() + start, Size);
    return word;
  }
  for (std::size_t i = 0; i < Size; ++i) {
    word |= octet_word{static_cast<unsigned char>(text[start + i])} << (8 * i);
  }
  return word;
}

/// Reads eight octets of `text`, from `start` on.
[[nodiscard]] constexpr octet_word whole_word(std::string_view text, std::size_t start) noexcept {
  return part_of_word<sizeof(octet_word)>(text, start);
}

/// Reads `text` from `start` to its end, at most seven octets. The rest of the word is 0.
[[nodiscard]] ROBOTS_ALWAYS_INLINE constexpr octet_word last_word(std::string_view text,
                                                                  std::size_t start) noexcept {
  const std::size_t left = text.size() - start;
  if (left == 0) {
    return 0;
  }
  if (text.size() >= sizeof(octet_word)) {
    return whole_word(text, text.size() - sizeof(octet_word)) >> (8 * (sizeof(octet_word) - left));
  }
  // The two parts can overlap. Both parts put a shared octet into the same bits of the word, so `|`
  // does not change the octet.
  if (left >= 4) {
    return part_of_word<4>(text, start) | part_of_word<4>(text, text.size() - 4)
                                              << (8 * (left - 4));
  }
  if (left >= 2) {
    return part_of_word<2>(text, start) | part_of_word<2>(text, text.size() - 2)
                                              << (8 * (left - 2));
  }
  return part_of_word<1>(text, start);
}

/// Reads eight octets of `text`, from `start` on. Octets after the end of `text` are 0.
[[nodiscard]] ROBOTS_ALWAYS_INLINE constexpr octet_word word_at(std::string_view text,
                                                                std::size_t start) noexcept {
  return text.size() - start >= sizeof(octet_word) ? whole_word(text, start)
                                                   : last_word(text, start);
}

}  // namespace robots::base

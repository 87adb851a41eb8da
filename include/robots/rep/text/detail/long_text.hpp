#pragma once

#include <robots/base/config.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

// Nearly all lines, patterns and targets are a few words long, and octet_word.hpp reads them eight
// octets at a time. Generators write lines of some kilobytes. This file passes over the inside of
// such a text in blocks, and leaves the block in which something is found, and the rest, to the
// caller:
//
//     /search?q=...  |  128 octets  |  128 octets  |  128 octets  |  rest
//                     passed over    passed over    a `#` inside
//                                                   ^ returned
//
// Each function is compiled twice: for each x86-64 processor, and for those with AVX2, which are
// twice as fast here. Other compilers and processors pass over nothing, and nor does Windows, where
// GCC does not align the stack for vectors of 32 octets (GCC bug 54412).

namespace robots::rep_detail {

#if defined(__x86_64__) && defined(__GNUC__) && !defined(_WIN32) && !defined(__CYGWIN__)

/// The octets of a long text that one step passes over.
inline constexpr std::ptrdiff_t long_block = 128;

/// The octets that one instruction takes with AVX2, and two instructions without.
using octets_of_vector = unsigned char __attribute__((vector_size(32)));

/// Returns true if an octet of `found` is not 0.
[[nodiscard]] ROBOTS_ALWAYS_INLINE inline bool has_set_octet(
    const octets_of_vector& found) noexcept {
  using lanes = std::uint64_t __attribute__((vector_size(32)));
  const lanes parts = reinterpret_cast<lanes>(found);
  return (parts[0] | parts[1] | parts[2] | parts[3]) != 0;
}

/// Passes over blocks that have no octet of at most `most`.
[[nodiscard]] ROBOTS_ALWAYS_INLINE inline const char* blocks_above(const char* from,
                                                                   const char* end,
                                                                   unsigned char most) noexcept {
  for (; end - from >= long_block; from += long_block) {
    octets_of_vector least = octets_of_vector{} + 0xFFU;
    for (std::ptrdiff_t i = 0; i < long_block; i += std::ptrdiff_t{sizeof least}) {
      octets_of_vector octets;  // NOLINT(*-member-init): filled below
      std::memcpy(&octets, from + i, sizeof octets);
      least = octets < least ? octets : least;
    }
    if (has_set_octet(reinterpret_cast<octets_of_vector>(least <= most))) {
      break;
    }
  }
  return from;
}

/// Passes over blocks of graphic ASCII characters from `&` on, without `other`.
[[nodiscard]] ROBOTS_ALWAYS_INLINE inline const char* graphic_blocks(const char* from,
                                                                     const char* end,
                                                                     unsigned char other) noexcept {
  constexpr unsigned char first = '&';
  constexpr unsigned char last = '~';
  for (; end - from >= long_block; from += long_block) {
    octets_of_vector greatest{};
    octets_of_vector others{};
    for (std::ptrdiff_t i = 0; i < long_block; i += std::ptrdiff_t{sizeof greatest}) {
      octets_of_vector octets;  // NOLINT(*-member-init): filled below
      std::memcpy(&octets, from + i, sizeof octets);
      others |= reinterpret_cast<octets_of_vector>(octets == other);
      octets -= first;  // an octet below `first` becomes greater than each graphic one
      greatest = octets > greatest ? octets : greatest;
    }
    others |=
        reinterpret_cast<octets_of_vector>(greatest > static_cast<unsigned char>(last - first));
    if (has_set_octet(others)) {
      break;
    }
  }
  return from;
}

[[nodiscard, gnu::noinline, gnu::target("avx2")]] inline const char* blocks_above_with_avx2(
    const char* from, const char* end, unsigned char most) noexcept {
  return blocks_above(from, end, most);
}

[[nodiscard, gnu::noinline, gnu::target("avx2")]] inline const char* graphic_blocks_with_avx2(
    const char* from, const char* end, unsigned char other) noexcept {
  return graphic_blocks(from, end, other);
}

#endif

/// Returns a place in [`from`, `end`) before which no octet is at most `most`. Passes over the
/// blocks of a long text. Not for constant expressions.
[[nodiscard]] ROBOTS_NOINLINE inline const char* pass_above(
    const char* from, [[maybe_unused]] const char* end,
    [[maybe_unused]] unsigned char most) noexcept {
#if defined(__x86_64__) && defined(__GNUC__) && !defined(_WIN32) && !defined(__CYGWIN__)
  return __builtin_cpu_supports("avx2") ? blocks_above_with_avx2(from, end, most)
                                        : blocks_above(from, end, most);
#else
  return from;
#endif
}

/// Returns a place in [`from`, `end`) before which all octets are graphic ASCII characters, not
/// below `&`, and not `other`. Passes over the blocks of a long text. Not for constant expressions.
[[nodiscard]] ROBOTS_NOINLINE inline const char* pass_graphic(
    const char* from, [[maybe_unused]] const char* end,
    [[maybe_unused]] unsigned char other) noexcept {
#if defined(__x86_64__) && defined(__GNUC__) && !defined(_WIN32) && !defined(__CYGWIN__)
  return __builtin_cpu_supports("avx2") ? graphic_blocks_with_avx2(from, end, other)
                                        : graphic_blocks(from, end, other);
#else
  return from;
#endif
}

}  // namespace robots::rep_detail

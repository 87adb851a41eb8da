#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#if defined(__x86_64__)
#include <emmintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#else
#include <bit>
#endif

namespace robots::rep_detail {

/// A set of octets of a block: bit n for the n-th.
using octet_set = std::uint32_t;

// One `octet_block` is compiled, with the vectors that every machine of the architecture has: SSE2
// of x86-64, NEON of AArch64, else words. The choice must not depend on compiler flags, or files of
// one program that are compiled with different -m flags would disagree about what the class is.
//
// It is thirty-two octets looked at at once: `load` reads them, all of which must be readable;
// `equal(c)` tells which ones are `c`; `at_most(c)` tells which ones, as unsigned numbers, are not
// above `c`, an ASCII character, and `any_at_most`, whether two blocks have such. Not for constant
// expressions.

#if defined(__x86_64__) || defined(__aarch64__)

class octet_block {
 public:
  static constexpr std::size_t size = 32;

  [[nodiscard, gnu::always_inline]] static octet_block load(const char* at) noexcept {
    octet_block block;  // NOLINT(*-member-init): filled below
    std::memcpy(&block.low_, at, sizeof block.low_);
    std::memcpy(&block.high_, at + sizeof block.low_, sizeof block.high_);
    return block;
  }

  [[nodiscard, gnu::always_inline]] octet_set equal(char c) const noexcept {
    const auto wanted = static_cast<unsigned char>(c);
    return set_of(low_ == wanted, high_ == wanted);
  }

  [[nodiscard, gnu::always_inline]] octet_set at_most(char c) const noexcept {
    const auto most = static_cast<unsigned char>(c);
    return set_of(low_ <= most, high_ <= most);
  }

  [[nodiscard, gnu::always_inline]] static bool any_at_most(char c, octet_block a,
                                                            octet_block b) noexcept {
    const octets first = a.low_ < a.high_ ? a.low_ : a.high_;
    const octets second = b.low_ < b.high_ ? b.low_ : b.high_;
    const octets least = first < second ? first : second;
    const flags found = least <= static_cast<unsigned char>(c);
    return set_of(found, found) != 0;
  }

 private:
  using octets = unsigned char __attribute__((vector_size(16)));
  using flags = decltype(octets{} == 0);  // all bits of an octet, or none

  [[nodiscard, gnu::always_inline]] static octet_set set_of(flags low, flags high) noexcept {
#if defined(__x86_64__)
    const auto set = [](flags of) { return _mm_movemask_epi8(reinterpret_cast<__m128i>(of)); };
    return static_cast<octet_set>(set(low)) | static_cast<octet_set>(set(high)) << 16U;
#else
    const uint8x16_t bits = vreinterpretq_u8_u64(vdupq_n_u64(0x8040'2010'0804'0201U));
    uint8x16_t sums = vpaddq_u8(vandq_u8(reinterpret_cast<uint8x16_t>(low), bits),
                                vandq_u8(reinterpret_cast<uint8x16_t>(high), bits));
    sums = vpaddq_u8(sums, sums);
    sums = vpaddq_u8(sums, sums);
    return vgetq_lane_u32(vreinterpretq_u32_u8(sums), 0);
#endif
  }

  octets low_;
  octets high_;
};

#else

class octet_block {
 public:
  static constexpr std::size_t size = 32;

  [[nodiscard, gnu::always_inline]] static octet_block load(const char* at) noexcept {
    octet_block block;  // NOLINT(*-member-init): filled below
    std::memcpy(block.words_.data(), at, size);
    return block;
  }

  [[nodiscard, gnu::always_inline]] octet_set equal(char c) const noexcept {
    return at_most(ones * static_cast<unsigned char>(c), 0);
  }

  [[nodiscard, gnu::always_inline]] octet_set at_most(char c) const noexcept {
    return at_most(0, static_cast<unsigned char>(c));
  }

  [[nodiscard, gnu::always_inline]] static bool any_at_most(char c, octet_block a,
                                                            octet_block b) noexcept {
    return (a.at_most(c) | b.at_most(c)) != 0;
  }

 private:
  using word = std::uint64_t;
  static constexpr word ones = 0x0101'0101'0101'0101U;

  [[nodiscard, gnu::always_inline]] octet_set at_most(word flipped, unsigned c) const noexcept {
    // The multiplication gathers the lowest bits of all octets in the highest octet.
    constexpr word gather = std::endian::native == std::endian::little ? 0x0102'0408'1020'4080U
                                                                       : 0x8040'2010'0804'0201U;
    octet_set set = 0;
    for (std::size_t i = 0; i < words_.size(); ++i) {
      const word octets = words_[i] ^ flipped;
      const word above = ((octets & ones * 0x7FU) + ones * (0x7FU - c)) | octets;
      set |= static_cast<octet_set>(((~above >> 7U & ones) * gather) >> 56U) << 8U * i;
    }
    return set;
  }

  std::array<word, 4> words_;
};

#endif

/// A text that is shorter than a block, with octets behind it that are not ASCII.
[[nodiscard]] inline octet_block padded(std::string_view text) noexcept {
  std::array<char, octet_block::size> octets;  // NOLINT(*-member-init): filled below
  octets.fill('\xFF');
  std::copy(text.begin(), text.end(), octets.begin());
  return octet_block::load(octets.data());
}

}  // namespace robots::rep_detail

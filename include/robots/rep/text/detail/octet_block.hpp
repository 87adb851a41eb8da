#pragma once

#include <robots/base/config.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>

#if defined(__aarch64__)
#include <arm_neon.h>
#elif !defined(__x86_64__)
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
// above `c`, an ASCII character. Not for constant expressions.

#if defined(__x86_64__) || defined(__aarch64__)

class octet_block {
 public:
  static constexpr std::size_t size = 32;

  [[nodiscard]] ROBOTS_ALWAYS_INLINE static octet_block load(const char* at) noexcept {
    octet_block block;  // NOLINT(*-member-init): filled below
    std::memcpy(&block.low_, at, sizeof block.low_);
    std::memcpy(&block.high_, at + sizeof block.low_, sizeof block.high_);
    return block;
  }

  [[nodiscard]] ROBOTS_ALWAYS_INLINE octet_set equal(char c) const noexcept {
    const auto wanted = static_cast<unsigned char>(c);
    return set_of(low_ == wanted, high_ == wanted);
  }

  [[nodiscard]] ROBOTS_ALWAYS_INLINE octet_set at_most(char c) const noexcept {
    const auto most = static_cast<unsigned char>(c);
    return set_of(low_ <= most, high_ <= most);
  }

 private:
  using octets = unsigned char __attribute__((vector_size(16)));
  using flags = decltype(octets{} == 0);  // all bits of an octet, or none

  [[nodiscard]] ROBOTS_ALWAYS_INLINE static octet_set set_of(flags low, flags high) noexcept {
#if defined(__x86_64__)
    using chars = char __attribute__((vector_size(16)));
    const auto set = [](flags of) {
      return __builtin_ia32_pmovmskb128(reinterpret_cast<chars>(of));
    };
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

  [[nodiscard]] ROBOTS_ALWAYS_INLINE static octet_block load(const char* at) noexcept {
    octet_block block;  // NOLINT(*-member-init): filled below
    std::memcpy(block.words_.data(), at, size);
    return block;
  }

  [[nodiscard]] ROBOTS_ALWAYS_INLINE octet_set equal(char c) const noexcept {
    return at_most(ones * static_cast<unsigned char>(c), 0);
  }

  [[nodiscard]] ROBOTS_ALWAYS_INLINE octet_set at_most(char c) const noexcept {
    return at_most(0, static_cast<unsigned char>(c));
  }

 private:
  using word = std::uint64_t;
  static constexpr word ones = 0x0101'0101'0101'0101U;

  [[nodiscard]] ROBOTS_ALWAYS_INLINE octet_set at_most(word flipped, unsigned c) const noexcept {
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

/// Whether this machine runs functions that are compiled for `avx2_block`. On Windows none does:
/// GCC does not align such vectors on the stack there (its bug 54412).
[[nodiscard]] ROBOTS_ALWAYS_INLINE constexpr bool has_avx2() noexcept {
#if defined(__x86_64__) && !defined(_WIN32) && !defined(__CYGWIN__)
  return !std::is_constant_evaluated() && __builtin_cpu_supports("avx2") &&
         __builtin_cpu_supports("bmi") && __builtin_cpu_supports("popcnt");
#else
  return false;
#endif
}

#if defined(__x86_64__)

/// Sixty-four octets looked at at once, in functions that are compiled for AVX2 whatever the flags
/// of their file are.
class avx2_block {
 public:
  static constexpr std::size_t size = 64;

  // NOLINTNEXTLINE(*-member-init): filled below
  [[gnu::always_inline, gnu::target("avx2")]] explicit avx2_block(const char* at) noexcept {
    std::memcpy(&low_, at, sizeof low_);
    std::memcpy(&high_, at + sizeof low_, sizeof high_);
  }

  [[nodiscard, gnu::always_inline, gnu::target("avx2")]] std::uint64_t equal(
      char c) const noexcept {
    const auto wanted = static_cast<unsigned char>(c);
    return set_of(low_ == wanted, high_ == wanted);
  }

  [[nodiscard, gnu::always_inline, gnu::target("avx2")]] std::uint64_t at_most(
      char c) const noexcept {
    const auto most = static_cast<unsigned char>(c);
    return set_of(low_ <= most, high_ <= most);
  }

  /// Adds `c` to each octet, wrapping around.
  [[gnu::always_inline, gnu::target("avx2")]] avx2_block& add(char c) noexcept {
    low_ += static_cast<unsigned char>(c);
    high_ += static_cast<unsigned char>(c);
    return *this;
  }

  /// Whether some octet is at most `c`; quicker than the set of them.
  [[nodiscard, gnu::always_inline, gnu::target("avx2")]] bool has_at_most(char c) const noexcept {
    const octets least = low_ < high_ ? low_ : high_;
    return set_of(least <= static_cast<unsigned char>(c)) != 0;
  }

  /// Keeps the lesser of each octet and that of `other`.
  [[gnu::always_inline, gnu::target("avx2")]] avx2_block& lessen(const avx2_block& other) noexcept {
    low_ = low_ < other.low_ ? low_ : other.low_;
    high_ = high_ < other.high_ ? high_ : other.high_;
    return *this;
  }

 private:
  using octets = unsigned char __attribute__((vector_size(32)));
  using flags = decltype(octets{} == 0);

  [[nodiscard, gnu::always_inline, gnu::target("avx2")]] static octet_set set_of(
      const flags& half) noexcept {
    using chars = char __attribute__((vector_size(32)));
    return static_cast<octet_set>(__builtin_ia32_pmovmskb256(reinterpret_cast<chars>(half)));
  }

  [[nodiscard, gnu::always_inline, gnu::target("avx2")]] static std::uint64_t set_of(
      const flags& low, const flags& high) noexcept {
    return set_of(low) | std::uint64_t{set_of(high)} << 32U;
  }

  octets low_;
  octets high_;
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

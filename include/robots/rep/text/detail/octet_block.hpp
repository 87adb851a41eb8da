#pragma once

#include <robots/base/config.hpp>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#if defined(__aarch64__)
#include <arm_neon.h>
#endif

namespace robots::rep_detail {

/// A set of octets of a block. Bit n stands for the octet at offset n.
using octet_set = std::uint32_t;

#if defined(__x86_64__) || defined(__aarch64__)

/// Thirty-two octets that are compared at once, with the vectors that every machine of the
/// architecture has: SSE2 or NEON. Compiler flags do not change this class, since it must be the
/// same in all files of a program. AVX2 would gain only 2 to 6 % on real files.
///
/// This class cannot be used in constant expressions.
class octet_block {
 public:
  static constexpr std::size_t size = 32;

  /// Reads `size` octets.
  [[nodiscard]] ROBOTS_ALWAYS_INLINE static octet_block load(const char* from) noexcept {
    octet_block block;  // NOLINT(*-member-init): filled below
    std::memcpy(&block.low_, from, sizeof block.low_);
    std::memcpy(&block.high_, from + sizeof block.low_, sizeof block.high_);
    return block;
  }

  /// Returns the octets that equal `c`.
  [[nodiscard]] ROBOTS_ALWAYS_INLINE octet_set equal(char c) const noexcept {
    const auto wanted = static_cast<unsigned char>(c);
    return set_of(low_ == wanted, high_ == wanted);
  }

  /// Returns the octets that are at most `c`, compared as unsigned numbers.
  [[nodiscard]] ROBOTS_ALWAYS_INLINE octet_set at_most(char c) const noexcept {
    const auto most = static_cast<unsigned char>(c);
    return set_of(low_ <= most, high_ <= most);
  }

 private:
  using octets = unsigned char __attribute__((vector_size(16)));
  using flags = decltype(octets{} == 0);  // an octet with all bits set means true, 0 means false

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

/// Thirty-two octets, for all other architectures. Has the same functions as the class above.
class octet_block {
 public:
  static constexpr std::size_t size = 32;

  [[nodiscard]] static octet_block load(const char* from) noexcept {
    octet_block block;  // NOLINT(*-member-init): filled below
    std::memcpy(block.octets_.data(), from, size);
    return block;
  }

  [[nodiscard]] octet_set equal(char c) const noexcept {
    return at_most(static_cast<unsigned char>(c), 0);
  }

  [[nodiscard]] octet_set at_most(char c) const noexcept {
    return at_most(0, static_cast<unsigned char>(c));
  }

 private:
  [[nodiscard]] octet_set at_most(unsigned flipped, unsigned most) const noexcept {
    octet_set set = 0;
    for (std::size_t i = 0; i < size; ++i) {
      set |= octet_set{(octets_[i] ^ flipped) <= most} << i;
    }
    return set;
  }

  std::array<unsigned char, size> octets_;
};

#endif

/// Returns the position of the first octet in [`from`, `end`) that is not above `most`, or `end`.
/// Compares octets as unsigned numbers.
[[nodiscard]] ROBOTS_ALWAYS_INLINE constexpr const char* find_at_most(const char* from,
                                                                      const char* end,
                                                                      char most) noexcept {
  if (!std::is_constant_evaluated()) {
    for (; end - from >= std::ptrdiff_t{octet_block::size}; from += octet_block::size) {
      if (const octet_set found = octet_block::load(from).at_most(most); found != 0) {
        return from + std::countr_zero(found);
      }
    }
  }
  while (from != end && static_cast<unsigned char>(*from) > static_cast<unsigned char>(most)) {
    ++from;
  }
  return from;
}

}  // namespace robots::rep_detail

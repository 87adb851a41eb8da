#pragma once

#include <robots/rep/rules/detail/packed_rule.hpp>
#include <robots/rep/text/detail/octet_word.hpp>
#include <robots/rep/text/detail/stored_octets.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace robots::rep_detail {

/// The rules whose hashes lie in one part of the range of hashes. They are stored one after
/// another; where they end, those of the next bucket begin.
struct hash_bucket {
  std::uint32_t first = 0;    ///< index of the first rule
  std::uint32_t present = 0;  ///< which of 32 equal parts of the bucket's range are not empty, so
                              ///< that most look-ups in vain end here

  /// Octets that one takes in store.
  static constexpr std::size_t stored_size = 8;

  /// Reads the bucket stored at `offset`.
  [[nodiscard]] static constexpr hash_bucket load(std::string_view octets,
                                                  std::size_t offset) noexcept {
    const octet_word word = part_of_word<stored_size>(octets, offset);
    return {.first = static_cast<std::uint32_t>(word),
            .present = static_cast<std::uint32_t>(word >> 32U)};
  }

  constexpr void store(char* to) const noexcept {
    store_word<stored_size>(to, first | octet_word{present} << 32U);
  }
};

/// The usual number of buckets for `rules` rules: a power of two, with three to six rules each.
[[nodiscard]] constexpr std::uint32_t buckets_for(std::uint32_t rules) noexcept {
  return rules == 0 ? 0 : std::bit_ceil((rules + 5) / 6);
}

/// The place of hashes among buckets: the first bits of a hash name the bucket, the next five the
/// part of it.
class hash_places {
 public:
  struct place {
    std::size_t offset;  ///< where the bucket is stored
    std::uint32_t bit;   ///< in `hash_bucket::present`
  };

  /// The first of `buckets`, a power of two, is stored at `first`. Of 0 buckets none is asked for.
  constexpr hash_places(std::size_t first, std::size_t buckets) noexcept
      : first_(first), shift_(64 - part_bits - std::countr_zero(buckets)) {}

  [[nodiscard]] constexpr place of(std::uint64_t hash) const noexcept {
    const std::uint64_t part = hash >> shift_;
    return {
        .offset = first_ + static_cast<std::size_t>(part >> part_bits) * hash_bucket::stored_size,
        .bit = std::uint32_t{1} << (part & 0x1FU)};
  }

 private:
  static constexpr int part_bits = 5;
  std::size_t first_;
  int shift_;
};

/// Other bits of the hash than those.
[[nodiscard]] constexpr std::uint32_t tag_of(std::uint64_t hash) noexcept {
  return static_cast<std::uint32_t>((hash ^ hash >> 32U) & ((1U << packed_rule::tag_bits) - 1));
}

}  // namespace robots::rep_detail

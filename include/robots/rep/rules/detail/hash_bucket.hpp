#pragma once

#include <robots/rep/rules/detail/packed_rule.hpp>
#include <robots/rep/text/detail/octet_word.hpp>
#include <robots/rep/text/detail/stored_octets.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace robots::rep_detail {

/// The rules with hashes in one part of the range of hashes. Rules are stored one after another; a
/// bucket ends where the next one begins.
struct hash_bucket {
  std::uint32_t first = 0;    ///< index of the first rule
  std::uint32_t present = 0;  ///< a bit for each of 32 equal parts of its range that is not empty:
                              ///< most failing look-ups end here

  /// The octets that it takes when stored.
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

/// Returns the usual number of buckets for `rules` rules: a power of two, with three to six rules
/// each.
[[nodiscard]] constexpr std::uint32_t buckets_for(std::uint32_t rules) noexcept {
  return rules == 0 ? 0 : std::bit_ceil((rules + 5) / 6);
}

/// The position of a hash among buckets: its first bits select the bucket, the next five the part.
class hash_places {
 public:
  struct place {
    std::size_t offset;  ///< the position of the stored bucket
    std::uint32_t bit;   ///< in `hash_bucket::present`
  };

  /// There are `buckets` buckets, a power of two; the first one is stored at `first`. With 0
  /// buckets, `of` must not be called.
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

/// Returns other bits of the hash.
[[nodiscard]] constexpr std::uint32_t tag_of(std::uint64_t hash) noexcept {
  return static_cast<std::uint32_t>((hash ^ hash >> 32U) & ((1U << packed_rule::tag_bits) - 1));
}

}  // namespace robots::rep_detail

#pragma once

#include <robots/rep/rules/detail/packed_rule.hpp>
#include <robots/rep/text/detail/octet_word.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace robots::rep_detail {

// A query finds rules by hashes: of the prefixes of its target, and of short pieces of it. Most of
// these hashes belong to no rule. So a bucket can say "no rule" without a look at its rules:
//
//   a hash   BBBB PPPPP . . . . . . .     the first bits select a bucket; the next five select
//              |    |                     one of the 32 bits of `present`
//              v    |
//   buckets  [ first | present ]          `first` is the index of the bucket's first rule;
//            [ first | present ]          a bit of `present` is set if a rule has such a hash
//            [ first |    -    ]          the last entry only ends the bucket before
//
//   rules    rule rule | rule rule rule | ...      stored bucket by bucket
//
// If the bit is 0, the look-up ends, and has read only the eight octets of the bucket. If the bit
// is 1, the query compares a few other bits of the hash, the tag, with the tag of each rule of the
// bucket. It compares the target only with the rules whose tag is equal.

struct hash_bucket {
  std::uint32_t first = 0;
  std::uint32_t present = 0;

  static constexpr std::size_t stored_size = 8;

  [[nodiscard]] static constexpr hash_bucket load(std::string_view octets,
                                                  std::size_t place) noexcept {
    const octet_word word = part_of_word<stored_size>(octets, place);
    return {.first = static_cast<std::uint32_t>(word),
            .present = static_cast<std::uint32_t>(word >> 32U)};
  }

  constexpr void store(char* to) const noexcept {
    store_word<stored_size>(to, first | octet_word{present} << 32U);
  }
};

/// Returns the number of buckets for `rules` rules: 0 or a power of two. A bucket has three to six
/// rules on average.
[[nodiscard]] constexpr std::uint32_t buckets_for(std::uint32_t rules) noexcept {
  return rules == 0 ? 0 : std::bit_ceil((rules + 5) / 6);
}

/// Finds the bucket of a hash, and its bit in `hash_bucket::present`.
class bucket_finder {
 public:
  struct place {
    std::size_t offset;  ///< where the bucket is stored
    std::uint32_t bit;
  };

  /// The first of `buckets` buckets is stored at `offset`. `buckets` is a power of two, or 0 if the
  /// caller never calls `of`.
  constexpr bucket_finder(std::size_t offset, std::size_t buckets) noexcept
      : offset_(offset), shift_(64 - part_bits - std::countr_zero(buckets)) {}

  [[nodiscard]] constexpr place of(std::uint64_t hash) const noexcept {
    const std::uint64_t bucket_and_part = hash >> shift_;
    const auto bucket = static_cast<std::size_t>(bucket_and_part >> part_bits);
    return {.offset = offset_ + bucket * hash_bucket::stored_size,
            .bit = std::uint32_t{1} << (bucket_and_part % 32)};
  }

 private:
  static constexpr int part_bits = 5;
  std::size_t offset_;
  int shift_;
};

[[nodiscard]] constexpr std::uint32_t tag_of(std::uint64_t hash) noexcept {
  return static_cast<std::uint32_t>((hash ^ hash >> 32U) & ((1U << packed_rule::tag_bits) - 1));
}

}  // namespace robots::rep_detail

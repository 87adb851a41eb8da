#pragma once

#include <robots/rep/rules/detail/packed_rule.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

namespace robots::rep_detail {

/// The rules whose hashes lie in one part of the range of hashes. They are stored one after
/// another; where they end, those of the next bucket begin.
struct hash_bucket {
  std::uint32_t first = 0;    ///< index of the first rule
  std::uint32_t present = 0;  ///< which of 32 equal parts of the bucket's range are not empty, so
                              ///< that most look-ups in vain end here
};

/// How many buckets `rules` rules are put into: a power of two, for three to six rules each.
[[nodiscard]] constexpr std::size_t buckets_for(std::size_t rules) noexcept {
  return rules == 0 ? 0 : std::bit_ceil((rules + 5) / 6);
}

/// Where hashes belong among buckets: the first bits of a hash name the bucket, the next five the
/// part of it.
class hash_places {
 public:
  struct place {
    std::size_t bucket;
    std::uint32_t bit;  ///< in `hash_bucket::present`
  };

  /// `buckets` is a power of two.
  constexpr explicit hash_places(std::size_t buckets) noexcept
      : shift_(64 - part_bits - std::countr_zero(buckets)) {}

  [[nodiscard]] constexpr place of(std::uint64_t hash) const noexcept {
    const std::uint64_t part = hash >> shift_;
    return {.bucket = static_cast<std::size_t>(part >> part_bits),
            .bit = std::uint32_t{1} << (part & 0x1FU)};
  }

 private:
  static constexpr int part_bits = 5;
  int shift_;
};

/// Other bits of the hash than those.
[[nodiscard]] constexpr std::uint16_t tag_of(std::uint64_t hash) noexcept {
  return static_cast<std::uint16_t>((hash ^ hash >> 32U) & ((1U << packed_rule::tag_bits) - 1));
}

/// Rules found by a hash: a view of them and of their buckets. One bucket more lies behind, which
/// says where the last one ends.
struct hash_table {
  const packed_rule* rules;
  const hash_bucket* buckets;
  hash_places places;

  /// The rules among which those with this hash are: most often none.
  [[nodiscard]] constexpr std::span<const packed_rule> candidates(std::uint64_t hash) const {
    const auto place = places.of(hash);
    const hash_bucket* const bucket = buckets + place.bucket;
    if ((bucket->present & place.bit) == 0) [[likely]] {
      return {};
    }
    return {rules + bucket[0].first, std::size_t{bucket[1].first} - bucket[0].first};
  }

  /// Calls `use` with each rule that may have this hash.
  template <class Use>
  constexpr void visit(std::uint64_t hash, Use use) const {
    const std::uint16_t tag = tag_of(hash);
    for (const packed_rule& rule : candidates(hash)) {
      if (rule.tag() == tag) {
        use(rule);
      }
    }
  }
};

}  // namespace robots::rep_detail

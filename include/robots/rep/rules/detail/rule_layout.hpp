#pragma once

#include <robots/rep/rules/detail/class_set.hpp>
#include <robots/rep/rules/detail/gram.hpp>
#include <robots/rep/rules/detail/hash_bucket.hpp>
#include <robots/rep/rules/detail/packed_rule.hpp>
#include <robots/rep/rules/detail/prefix_hash.hpp>
#include <robots/rep/rules/detail/rule_set_parts.hpp>
#include <robots/rep/text/detail/octet_word.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

namespace robots::rep_detail {

/// Orders rules such that a query finds those that can match, and makes the tables that it needs
/// for that. Linear in the octets of the rules, but for sorting those that are tried one by one.
class rule_layout {
 public:
  /// Expects so many rules.
  constexpr explicit rule_layout(std::size_t expected) { placed_.reserve(expected); }

  /// Adds a rule that is looked up by its whole pattern, whose hash is `hash`.
  constexpr void add_simple(const rule_fields& rule, std::string_view pattern, std::uint64_t hash) {
    add(rule, found_by::prefix, hash);
    index_.add_length(pattern);
  }

  /// Adds a rule with its compiled pattern, and where the first wildcard in that is.
  constexpr void add(const rule_fields& rule, std::string_view pattern, std::size_t star) {
    if (rule.star && star < least_prefix) {
      add(rule, found_by::trial, 0);
      return;
    }
    const std::string_view key = pattern.substr(0, std::min(star, max_key_size));
    add(rule, found_by::prefix, hash_of(key));
    index_.add_length(key);
    starred_prefixes_ += rule.star ? 1 : 0;
  }

  /// Writes the rules in their order, the tables, and what a query must know of both.
  constexpr void write_to(rule_set_parts& result) && {
    text_ = {result.text.data(), result.text.size()};
    if (starred_prefixes_ > most_crowded) {
      relieve_crowded();
    }
    if (count(found_by::trial) > most_tried) {
      place_by_gram();
    }
    const std::size_t tried = count(found_by::trial);
    const std::size_t grams = count(found_by::gram);
    const std::size_t rules = placed_.size();
    index_.prefix_buckets = static_cast<std::uint32_t>(buckets_for(count(found_by::prefix)));
    index_.gram_buckets = static_cast<std::uint32_t>(buckets_for(grams));
    result.index = index_;

    result.rules = std::vector<packed_rule>(rules);
    if (tried > 0) {
      write_tried(result);
    }
    if (tried < rules) {
      result.buckets = std::vector<hash_bucket>(index_.prefix_buckets + index_.gram_buckets + 1);
      result.buckets.back().first = static_cast<std::uint32_t>(rules);
      hash_bucket* const buckets = result.buckets.data();
      fill(found_by::prefix, buckets, index_.prefix_buckets, tried, result.rules);
      fill(found_by::gram, buckets + index_.prefix_buckets, index_.gram_buckets, rules - grams,
           result.rules);
    }
  }

 private:
  enum class found_by : std::uint8_t { trial, prefix, gram };

  struct placed_rule {
    constexpr placed_rule(const rule_fields& fields, found_by how, std::uint64_t key_hash) noexcept
        : hash(key_hash), rule(fields), by(how) {}

    std::uint64_t hash;
    packed_rule rule;
    found_by by;
  };

  /// So many rules are tried one by one sooner than looked up.
  static constexpr std::size_t most_tried = 12;
  /// A shorter prefix before the first wildcard tells too little.
  static constexpr std::size_t least_prefix = 2;
  /// Most rules with wildcards that are looked up together.
  static constexpr std::size_t most_crowded = 16;

  [[nodiscard]] constexpr std::size_t count(found_by by) const noexcept {
    return counts_[static_cast<std::size_t>(by)];
  }

  constexpr void add(const rule_fields& rule, found_by by, std::uint64_t hash) {
    ++counts_[static_cast<std::size_t>(by)];
    // In place: to build it first and copy it then costs as much as all the rest.
    placed_.emplace_back(rule, by, hash);
  }

  constexpr void move_to(placed_rule& rule, found_by by) noexcept {
    --counts_[static_cast<std::size_t>(rule.by)];
    ++counts_[static_cast<std::size_t>(by)];
    rule.by = by;
  }

  /// Where many patterns have one prefix before their first wildcard, it tells too little as well.
  constexpr void relieve_crowded() {
    const std::size_t buckets = buckets_for(count(found_by::prefix));
    const hash_places places{buckets};
    std::vector<std::uint32_t> stars(buckets, 0U);
    for (const placed_rule& rule : placed_) {
      if (is_starred_prefix(rule)) {
        ++stars[places.of(rule.hash).bucket];
      }
    }
    for (placed_rule& rule : placed_) {
      if (is_starred_prefix(rule) && stars[places.of(rule.hash).bucket] > most_crowded) {
        move_to(rule, found_by::trial);
      }
    }
  }

  [[nodiscard]] static constexpr bool is_starred_prefix(const placed_rule& rule) noexcept {
    return rule.by == found_by::prefix && rule.rule.star();
  }

  /// Gives each rule the stretch of its literals that the fewest others have.
  constexpr void place_by_gram() {
    std::vector<std::uint32_t> uses(std::bit_ceil(8 * count(found_by::trial)), 0U);
    const auto uses_of = [&](std::uint64_t hash) -> std::uint32_t& {
      return uses[hash >> (64 - std::countr_zero(uses.size()))];  // the first bits are the best
    };
    for (const placed_rule& rule : placed_) {
      if (rule.by == found_by::trial) {
        for_each_literal_gram(rule, [&](std::uint64_t hash) { ++uses_of(hash); });
      }
    }
    for (placed_rule& rule : placed_) {
      if (rule.by != found_by::trial) {
        continue;
      }
      std::uint32_t fewest = std::numeric_limits<std::uint32_t>::max();
      for_each_literal_gram(rule, [&](std::uint64_t hash) {
        if (uses_of(hash) < fewest) {
          fewest = uses_of(hash);
          rule.hash = hash;
        }
      });
      if (fewest != std::numeric_limits<std::uint32_t>::max()) {
        move_to(rule, found_by::gram);
      }
    }
  }

  template <class Use>
  constexpr void for_each_literal_gram(const placed_rule& rule, Use use) const {
    std::string_view rest = rule.rule.pattern(text_).text;
    while (!rest.empty()) {
      const std::size_t star = find_octet(rest, '*');
      for_each_gram(rest.substr(0, star), use);
      rest.remove_prefix(std::min(star + 1, rest.size()));
    }
  }

  constexpr void write_tried(rule_set_parts& result) const {
    packed_rule* const first = result.rules.data();
    packed_rule* end = first;
    for (const placed_rule& rule : placed_) {
      if (rule.by == found_by::trial) {
        *end++ = rule.rule;
      }
    }
    std::sort(first, end, [&](const packed_rule& a, const packed_rule& b) {
      return a.rank(text_).decides_over(b.rank(text_), result.facts.tie);
    });
    result.needed.reserve(count(found_by::trial));
    for (const packed_rule* rule = first; rule != end; ++rule) {
      result.needed.push_back(classes_needed(rule->pattern(text_).text));
    }
  }

  /// Counts the rules of each of the `size` buckets, then puts each rule at the end of what is left
  /// of its bucket's place.
  constexpr void fill(found_by by, hash_bucket* buckets, std::size_t size, std::size_t first,
                      std::vector<packed_rule>& rules) const {
    if (size == 0) {
      return;
    }
    const hash_places places{size};
    for (const placed_rule& rule : placed_) {
      if (rule.by == by) {
        const auto place = places.of(rule.hash);
        ++buckets[place.bucket].first;
        buckets[place.bucket].present |= place.bit;
      }
    }
    auto end = static_cast<std::uint32_t>(first);
    for (hash_bucket* bucket = buckets; bucket != buckets + size; ++bucket) {
      end += bucket->first;
      bucket->first = end;
    }
    for (std::size_t i = placed_.size(); i-- > 0;) {
      const placed_rule& rule = placed_[i];
      if (rule.by == by) {
        packed_rule& to = rules[--buckets[places.of(rule.hash).bucket].first];
        to = rule.rule;
        to.set_tag(tag_of(rule.hash));
      }
    }
  }

  std::string_view text_{};  // of all patterns, once they are written
  std::vector<placed_rule> placed_;
  std::array<std::size_t, 3> counts_{};
  std::size_t starred_prefixes_ = 0;
  rule_index index_;
};

}  // namespace robots::rep_detail

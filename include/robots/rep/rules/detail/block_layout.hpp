#pragma once

#include <robots/rep/rules/detail/hash_bucket.hpp>
#include <robots/rep/rules/detail/packed_rule.hpp>
#include <robots/rep/rules/detail/rule_set_parts.hpp>
#include <robots/rep/text/detail/octet_word.hpp>
#include <robots/rep/text/detail/stored_octets.hpp>

#include <array>
#include <cstddef>
#include <string_view>

namespace robots::rep_detail {

/// The longest prefix in the index.
inline constexpr std::size_t max_key_size = 63;

/// The lengths of the prefixes in the index, one bit for each. The second octet of a prefix is its
/// class. A target is compared only with prefixes of its class.
struct prefix_lengths {
  std::array<octet_word, 4> of_class{};

  /// The octets that they take when stored.
  static constexpr std::size_t stored_size = 32;

  constexpr void add(std::string_view prefix) noexcept {
    const octet_word bit = octet_word{1} << prefix.size();
    if (prefix.size() > 1) {
      of_class[class_of(prefix)] |= bit;
      return;
    }
    for (octet_word& lengths : of_class) {
      lengths |= bit;
    }
  }

  /// Returns the possible lengths of prefixes of `target`, from those stored in front of `octets`.
  [[nodiscard]] static constexpr octet_word load_for(std::string_view target,
                                                     std::string_view octets) noexcept {
    const std::size_t place = target.size() > 1 ? class_of(target) : 0;
    const octet_word found = whole_word(octets, place * sizeof(octet_word));
    return target.size() < max_key_size ? found & ((octet_word{2} << target.size()) - 1) : found;
  }

  constexpr void store(char* to) const noexcept {
    for (const octet_word lengths : of_class) {
      store_word<sizeof(octet_word)>(to, lengths);
      to += sizeof(octet_word);
    }
  }

 private:
  [[nodiscard]] static constexpr std::size_t class_of(std::string_view text) noexcept {
    return static_cast<unsigned char>(text[1]) % 4U;
  }
};

static_assert(rule_set_facts::buckets_at == prefix_lengths::stored_size);

constexpr std::size_t rule_set_facts::rules_at() const noexcept {
  const std::size_t buckets = std::size_t{prefix_buckets} + gram_buckets;
  return buckets == 0 ? 0 : buckets_at + (buckets + 1) * hash_bucket::stored_size;
}

constexpr std::size_t rule_set_facts::texts_at() const noexcept {
  return rules_at() + rules * packed_rule::stored_size;
}

/// The positions of the buckets of rules by prefix and by gram.
struct rule_places {
  hash_places prefixes;
  hash_places grams;

  constexpr explicit rule_places(const rule_set_facts& facts) noexcept
      : prefixes(facts.buckets_at, facts.prefix_buckets),
        grams(facts.buckets_at + facts.prefix_buckets * hash_bucket::stored_size,
              facts.gram_buckets) {}
};

}  // namespace robots::rep_detail

#pragma once

#include <robots/rep/read/detail/dialect_traits.hpp>
#include <robots/rep/read/parse_options.hpp>
#include <robots/rep/rules/detail/hash_bucket.hpp>
#include <robots/rep/rules/detail/octet_classes.hpp>
#include <robots/rep/rules/detail/packed_rule.hpp>
#include <robots/rep/rules/verdict.hpp>
#include <robots/rep/text/detail/octet_word.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace robots::rep_detail {

// A `rule_set` is one block of octets and a few facts about it. The block, from its start:
//
//   prefix lengths     32 octets    only if rules are found by hash, see `prefix_lengths`
//   prefix buckets      8 each      only then; see `hash_bucket`
//   gram buckets        8 each      only then; right behind the prefix buckets
//   one more bucket     8           only then; it ends the last bucket
//   rules              12 each      those that are tried one by one, by descending `rule_rank`;
//                                   then those of each bucket, or those that are listed
//   classes             4 each      for the rules that are tried one by one, see `class_set`
//   texts              any size     the patterns as written, then the token of the crawler
//
// `rule_packer` writes the block, and `rule_table` searches it.

/// The maximum size of a prefix by which a rule is found, in octets.
inline constexpr std::size_t max_key_size = 63;

/// The maximum number of rules that are listed, without buckets. A search in a list of this size
/// takes no longer than the search by prefix, and most files have fewer rules.
inline constexpr std::size_t most_listed = 8;

/// The tag of a listed rule: the second and the third octet of its key, or 0 if the key is shorter.
/// A target that the rule matches has the same tag, unless the tag of the rule is 0.
[[nodiscard]] constexpr std::uint32_t start_tag(std::string_view text) noexcept {
  constexpr std::size_t octets = 3;
  if (text.size() < octets) {
    return 0;
  }
  const octet_word start = part_of_word<2>(text, 1);
  return static_cast<std::uint32_t>((start & 0x7FU) | (start >> 1U & 0x3F80U));
}

/// The lengths of the hashed prefixes, as a set of bits for each of four classes. Bit n of a class
/// is set if a prefix of this class has n octets. The second octet of a text selects its class. A
/// prefix without a second octet is in all classes. A target can begin only with prefixes of its
/// class.
struct prefix_lengths {
  std::array<octet_word, 4> of_class{};

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

  constexpr void store(char* to) const noexcept {
    for (std::size_t i = 0; i < of_class.size(); ++i) {
      store_word<8>(to + 8 * i, of_class[i]);
    }
  }

  /// Returns the prefix lengths for the class of `target`. Omits lengths above the size of
  /// `target`. `octets` begins with the stored `prefix_lengths`.
  [[nodiscard]] static constexpr octet_word load_for(std::string_view target,
                                                     std::string_view octets) noexcept {
    const std::size_t index = target.size() > 1 ? class_of(target) : 0;
    const octet_word lengths = whole_word(octets, index * sizeof(octet_word));
    return target.size() < max_key_size ? lengths & ((octet_word{2} << target.size()) - 1)
                                        : lengths;
  }

 private:
  [[nodiscard]] static constexpr std::size_t class_of(std::string_view text) noexcept {
    return static_cast<unsigned char>(text[1]) % 4U;
  }
};

/// All facts of a `rule_table`, except its block of octets.
struct rule_set_facts {
  dialect_traits_reference traits = rfc9309_traits;  ///< the dialect of rules and targets
  std::chrono::milliseconds delay{-1};               ///< Crawl-delay; negative if there is none
  std::uint32_t token_size = 0;                      ///< octets of the crawler's token
  std::uint32_t rules = 0;
  std::uint32_t tried = 0;  ///< rules that are tried one by one
  /// The number of buckets for rules found by the hash of a prefix. The prefix is the text before
  /// the first wildcard, but at most `max_key_size` octets.
  std::uint32_t prefix_buckets = 0;
  std::uint32_t gram_buckets = 0;  ///< buckets for rules found by a hash of a gram
  group_choice group = group_choice::none;
  tie_break tie = tie_break::allow;
  bool is_nameless = false;  ///< the crawler's header has no product token: see `verdict::nameless`

  [[nodiscard]] constexpr std::optional<std::chrono::milliseconds> crawl_delay() const noexcept {
    return delay < delay.zero() ? std::nullopt : std::optional{delay};
  }

  [[nodiscard]] friend constexpr bool operator==(const rule_set_facts&,
                                                 const rule_set_facts&) = default;

  /// Returns true if there are listed rules.
  [[nodiscard]] constexpr bool has_list() const noexcept {
    return (prefix_buckets | gram_buckets) == 0 && tried != rules;
  }

  static constexpr std::size_t buckets_at = prefix_lengths::stored_size;

  [[nodiscard]] constexpr std::size_t rules_at() const noexcept {
    const std::size_t buckets = std::size_t{prefix_buckets} + gram_buckets;
    return buckets == 0 ? 0 : buckets_at + (buckets + 1) * hash_bucket::stored_size;
  }

  [[nodiscard]] constexpr std::size_t classes_at() const noexcept {
    return rules_at() + rules * packed_rule::stored_size;
  }

  [[nodiscard]] constexpr std::size_t texts_at() const noexcept {
    return classes_at() + tried * sizeof(class_set);
  }

  [[nodiscard]] constexpr bucket_finder prefix_finder() const noexcept {
    return {buckets_at, prefix_buckets};
  }

  [[nodiscard]] constexpr bucket_finder gram_finder() const noexcept {
    return {buckets_at + prefix_buckets * hash_bucket::stored_size, gram_buckets};
  }
};

}  // namespace robots::rep_detail

#pragma once

#include <robots/rep/read/detail/dialect_traits.hpp>
#include <robots/rep/read/parse_options.hpp>
#include <robots/rep/rules/detail/hash_bucket.hpp>
#include <robots/rep/rules/detail/packed_rule.hpp>
#include <robots/rep/rules/detail/plain_pattern.hpp>
#include <robots/rep/rules/group_choice.hpp>
#include <robots/rep/text/detail/octet_word.hpp>
#include <robots/rep/text/detail/stored_octets.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace robots::rep_detail {

/// The lengths of the prefixes by which rules are found, a bit for each. Their second octets put
/// them into classes, since a target is compared with those of its own class only.
struct prefix_lengths {
  std::array<octet_word, 4> of_class{};

  /// Octets that they take in store.
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

  /// Of those stored in front of `octets`, the lengths that prefixes of `target` may have.
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

/// What a rule set keeps beside its block. That holds, one behind another:
/// - where rules are looked up, their `prefix_lengths` and a `hash_bucket` for each bucket, and one
///   that says where the last one ends;
/// - a `packed_rule` for each rule: those tried one by one, the one that decides first; those
///   found by prefix; those found by gram;
/// - a `class_set` for each of the rules that are tried;
/// - the texts of rules, and the token.
struct rule_set_facts {
  const dialect_traits* traits = &rfc9309_traits;  ///< how targets are read
  std::chrono::milliseconds delay{-1};             ///< Crawl-delay; negative if there is none
  std::uint32_t token_size = 0;                    ///< of the crawler's token, as it was asked for
  std::uint32_t rules = 0;
  std::uint32_t tried = 0;  ///< how many of them are tried one by one
  /// Buckets of the rules found by the hash of what stands before their first wildcard, or of its
  /// first `max_key_size` octets.
  std::uint32_t prefix_buckets = 0;
  /// Buckets, behind those, of the rules found by the hash of a stretch of a literal.
  std::uint32_t gram_buckets = 0;
  group_choice group = group_choice::none;
  tie_break tie = tie_break::allow;

  [[nodiscard]] constexpr std::optional<std::chrono::milliseconds> crawl_delay() const noexcept {
    return delay < delay.zero() ? std::nullopt : std::optional{delay};
  }

  /// Where buckets begin in the block, if there are any.
  static constexpr std::size_t buckets_at = prefix_lengths::stored_size;

  /// Where rules begin.
  [[nodiscard]] constexpr std::size_t rules_at() const noexcept {
    const std::size_t buckets = std::size_t{prefix_buckets} + gram_buckets;
    return buckets == 0 ? 0 : buckets_at + (buckets + 1) * hash_bucket::stored_size;
  }

  /// Where the classes needed by rules begin.
  [[nodiscard]] constexpr std::size_t needed_at() const noexcept {
    return rules_at() + rules * packed_rule::stored_size;
  }
};

/// Everything that a `rule_set` keeps.
struct rule_set_parts {
  std::vector<char> block{};
  rule_set_facts facts{};
};

}  // namespace robots::rep_detail

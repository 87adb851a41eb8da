#pragma once

#include <robots/rep/read/detail/dialect_traits.hpp>
#include <robots/rep/read/parse_options.hpp>
#include <robots/rep/rules/group_choice.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace robots::rep_detail {

/// The members of a rule set, except its block. The block contains, in this order:
/// - if rules are looked up: their `prefix_lengths`, a `hash_bucket` for each bucket, and one more
///   that marks the end of the last one;
/// - a `packed_rule` for each rule: first those that are tried one by one, the deciding one first;
///   then those found by prefix; then those found by gram;
/// - the texts of the rules, and the token.
struct rule_set_facts {
  const dialect_traits* traits = &rfc9309_traits;  ///< how targets are read
  std::chrono::milliseconds delay{-1};             ///< Crawl-delay; negative if there is none
  std::uint32_t token_size = 0;                    ///< octets of the crawler's token
  std::uint32_t rules = 0;
  std::uint32_t tried = 0;  ///< the number of rules that are tried one by one
  /// The buckets of the rules by the hash of the text before their first wildcard, or of its first
  /// `max_key_size` octets.
  std::uint32_t prefix_buckets = 0;
  /// After those, the buckets of the rules by the hash of a part of a literal.
  std::uint32_t gram_buckets = 0;
  group_choice group = group_choice::none;
  tie_break tie = tie_break::allow;

  [[nodiscard]] constexpr std::optional<std::chrono::milliseconds> crawl_delay() const noexcept {
    return delay < delay.zero() ? std::nullopt : std::optional{delay};
  }

  [[nodiscard]] friend constexpr bool operator==(const rule_set_facts&,
                                                 const rule_set_facts&) = default;

  /// Returns the start of the buckets in the block, if there are any.
  static constexpr std::size_t buckets_at = 32;

  /// Returns the start of the rules.
  [[nodiscard]] constexpr std::size_t rules_at() const noexcept;

  /// Returns the start of the texts.
  [[nodiscard]] constexpr std::size_t texts_at() const noexcept;
};

/// Everything that a `rule_set` keeps.
struct rule_set_parts {
  std::vector<char> block{};
  rule_set_facts facts{};

  [[nodiscard]] friend constexpr bool operator==(const rule_set_parts&,
                                                 const rule_set_parts&) = default;
};

}  // namespace robots::rep_detail

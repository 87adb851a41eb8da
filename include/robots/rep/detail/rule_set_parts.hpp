#pragma once

#include <robots/rep/detail/class_set.hpp>
#include <robots/rep/detail/compiled_rule.hpp>
#include <robots/rep/detail/dialect_traits.hpp>
#include <robots/rep/detail/hash_bucket.hpp>
#include <robots/rep/detail/packed_rule.hpp>
#include <robots/rep/explanation.hpp>
#include <robots/rep/parse_options.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace robots::detail {

/// Longest prefix by which rules are told apart.
inline constexpr std::size_t max_key_size = 127;

/// How the rules of a rule set are found. They lie in three parts, one after another: those tried
/// one by one, those found by prefix, those found by gram.
struct rule_index {
  std::uint32_t rules = 0;  ///< all of them
  std::uint32_t tried = 0;  ///< tried one by one, the one that decides first
  std::uint32_t grams = 0;  ///< found by the hash of a stretch of a literal
  /// Buckets of the rules found by the hash of what stands before their first wildcard, or of its
  /// first `max_key_size` octets. Those of the rules found by gram lie behind.
  std::uint32_t prefix_buckets = 0;
  std::uint32_t gram_buckets = 0;
  /// The lengths of the prefixes hashed, a bit for each.
  std::array<std::uint64_t, (max_key_size + 1) / 64> lengths{};

  constexpr void add_length(std::size_t size) noexcept {
    lengths[size / 64] |= std::uint64_t{1} << size % 64;
  }
};

/// What a rule set keeps beside what varies in size.
struct rule_set_facts {
  rule_index index{};
  text_span token{};  ///< of the crawler, in lower case
  std::optional<std::chrono::milliseconds> crawl_delay{};
  const dialect_traits* traits = &rfc9309_traits;  ///< how targets are read
  group_choice group = group_choice::none;
  tie_break tie = tie_break::allow;
};

/// Everything that a `rule_set` keeps.
struct rule_set_parts {
  rule_set_facts facts{};
  std::vector<hash_bucket> buckets{};
  std::vector<packed_rule> rules{};
  std::vector<char> text{};
  std::vector<class_set> needed{};  ///< by each of the rules that are tried one by one
};

}  // namespace robots::detail

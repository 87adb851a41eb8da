#pragma once

#include <robots/rep/read/detail/dialect_traits.hpp>
#include <robots/rep/read/parse_options.hpp>
#include <robots/rep/rules/detail/class_set.hpp>
#include <robots/rep/rules/detail/hash_bucket.hpp>
#include <robots/rep/rules/detail/packed_rule.hpp>
#include <robots/rep/rules/group_choice.hpp>
#include <robots/rep/text/detail/text_span.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace robots::rep_detail {

/// Longest prefix by which rules are told apart.
inline constexpr std::size_t max_key_size = 63;

/// How the rules of a rule set are found. They lie in three parts, one after another: those tried
/// one by one, the one that decides first; those found by prefix; those found by gram.
struct rule_index {
  /// Buckets of the rules found by the hash of what stands before their first wildcard, or of its
  /// first `max_key_size` octets.
  std::uint32_t prefix_buckets = 0;
  /// Buckets, behind those, of the rules found by the hash of a stretch of a literal.
  std::uint32_t gram_buckets = 0;
  /// The lengths of the prefixes hashed, a bit for each. Their second octets put them into classes,
  /// since a target is compared with those of its own class only.
  std::array<std::uint64_t, 4> lengths{};

  constexpr void add_length(std::string_view prefix) noexcept {
    const std::uint64_t bit = std::uint64_t{1} << prefix.size();
    if (prefix.size() > 1) {
      lengths[class_of(prefix[1])] |= bit;
      return;
    }
    for (std::uint64_t& of_class : lengths) {
      of_class |= bit;
    }
  }

  /// The lengths of the prefixes that `target` may begin with.
  [[nodiscard]] constexpr std::uint64_t lengths_for(std::string_view target) const noexcept {
    const std::uint64_t found = lengths[target.size() > 1 ? class_of(target[1]) : 0];
    return target.size() < max_key_size ? found & ((std::uint64_t{2} << target.size()) - 1) : found;
  }

 private:
  [[nodiscard]] static constexpr std::size_t class_of(char second) noexcept {
    return static_cast<unsigned char>(second) % 4U;
  }
};

/// What a rule set keeps beside what varies in size.
struct rule_set_facts {
  text_span token{};  ///< of the crawler, as it was asked for
  std::optional<std::chrono::milliseconds> crawl_delay{};
  const dialect_traits* traits = &rfc9309_traits;  ///< how targets are read
  group_choice group = group_choice::none;
  tie_break tie = tie_break::allow;
};

/// Everything that a `rule_set` keeps. What a query that meets no rule reads comes first, so that
/// it lies in few cache lines.
struct rule_set_parts {
  rule_index index{};
  std::vector<hash_bucket> buckets{};
  std::vector<packed_rule> rules{};
  std::vector<class_set> needed{};  ///< by each of the rules that are tried one by one
  std::vector<char> text{};
  rule_set_facts facts{};
};

}  // namespace robots::rep_detail

#pragma once

#include <robots/rep/read/parse_options.hpp>
#include <robots/rep/read/scan.hpp>
#include <robots/rep/rules/detail/hash_bucket.hpp>
#include <robots/rep/rules/detail/packed_rule.hpp>
#include <robots/rep/rules/detail/rule_collector.hpp>
#include <robots/rep/rules/detail/rule_set_parts.hpp>
#include <robots/rep/rules/detail/rule_table.hpp>
#include <robots/rep/text/fixed_string.hpp>

#include <algorithm>
#include <array>
#include <cstddef>

namespace robots::rep_detail {

/// The parts of a rule set in arrays, which may outlive the compiler where vectors may not.
template <std::size_t Octets, std::size_t Rules, std::size_t Buckets, std::size_t Tried>
struct static_rules {
  std::array<char, Octets> text{};
  std::array<packed_rule, Rules> rules{};
  std::array<hash_bucket, Buckets> buckets{};
  std::array<class_set, Tried> needed{};
  rule_index index{};
  rule_set_facts facts{};

  [[nodiscard]] constexpr rule_table table() const noexcept {
    return {.text = {text.data(), text.size()},
            .rules = rules,
            .buckets = buckets.data(),
            .needed = needed,
            .index = index,
            .facts = facts};
  }
};

template <fixed_string Text, fixed_string UserAgent, parse_options Options>
[[nodiscard]] constexpr rule_set_parts compile_static() {
  rule_collector collector{UserAgent.view(), Options};
  scan(Text.view(), collector, Options);
  return collector.parts();
}

struct static_sizes {
  std::size_t octets;
  std::size_t rules;
  std::size_t buckets;
  std::size_t tried;
};

/// Compiles twice: first to learn how long the arrays must be.
template <fixed_string Text, fixed_string UserAgent, parse_options Options>
[[nodiscard]] consteval auto make_static_rules() {
  constexpr static_sizes sizes = [] {
    const rule_set_parts parts = compile_static<Text, UserAgent, Options>();
    return static_sizes{.octets = parts.text.size(),
                        .rules = parts.rules.size(),
                        .buckets = parts.buckets.size(),
                        .tried = parts.needed.size()};
  }();
  const rule_set_parts parts = compile_static<Text, UserAgent, Options>();
  static_rules<sizes.octets, sizes.rules, sizes.buckets, sizes.tried> result{.index = parts.index,
                                                                             .facts = parts.facts};
  std::copy(parts.text.begin(), parts.text.end(), result.text.begin());
  std::copy(parts.rules.begin(), parts.rules.end(), result.rules.begin());
  std::copy(parts.buckets.begin(), parts.buckets.end(), result.buckets.begin());
  std::copy(parts.needed.begin(), parts.needed.end(), result.needed.begin());
  return result;
}

}  // namespace robots::rep_detail

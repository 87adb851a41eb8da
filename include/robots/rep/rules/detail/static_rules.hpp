#pragma once

#include <robots/rep/read/parse_options.hpp>
#include <robots/rep/read/scan.hpp>
#include <robots/rep/rules/detail/rule_collector.hpp>
#include <robots/rep/rules/detail/rule_set_parts.hpp>
#include <robots/rep/rules/detail/rule_table.hpp>
#include <robots/rep/text/fixed_string.hpp>

#include <algorithm>
#include <array>
#include <cstddef>

namespace robots::rep_detail {

/// The parts of a rule set with an array, which may outlive the compiler where a vector may not.
template <std::size_t Octets>
struct static_rules {
  std::array<char, Octets> block{};
  rule_set_facts facts{};

  [[nodiscard]] constexpr rule_table table() const noexcept {
    return {.block = {block.data(), block.size()}, .facts = facts};
  }
};

template <fixed_string Text, fixed_string UserAgent, parse_options Options>
[[nodiscard]] constexpr rule_set_parts compile_static() {
  rule_collector collector{UserAgent.view(), Options};
  scan(Text.view(), collector, Options);
  return collector.parts();
}

/// Compiles twice: first to learn how long the array must be.
template <fixed_string Text, fixed_string UserAgent, parse_options Options>
[[nodiscard]] consteval auto make_static_rules() {
  constexpr std::size_t size = compile_static<Text, UserAgent, Options>().block.size();
  const rule_set_parts parts = compile_static<Text, UserAgent, Options>();
  static_rules<size> result{.facts = parts.facts};
  std::copy(parts.block.begin(), parts.block.end(), result.block.begin());
  return result;
}

}  // namespace robots::rep_detail

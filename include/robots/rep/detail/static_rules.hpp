#pragma once

#include <robots/rep/detail/compiled_rule.hpp>
#include <robots/rep/detail/rule_collector.hpp>
#include <robots/rep/detail/rule_set_parts.hpp>
#include <robots/rep/detail/rule_table.hpp>
#include <robots/rep/fixed_string.hpp>
#include <robots/rep/parse_options.hpp>
#include <robots/rep/scan.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <optional>

namespace robots::detail {

/// The parts of a rule set in arrays, which may outlive the compiler where vectors may not.
template <std::size_t Octets, std::size_t Rules>
struct static_rules {
  std::array<char, Octets> text{};
  std::array<compiled_rule, Rules> rules{};
  text_span token{};
  std::optional<std::chrono::milliseconds> crawl_delay{};
  group_choice group = group_choice::none;
  const dialect_traits* traits = nullptr;

  [[nodiscard]] constexpr rule_table table() const noexcept {
    return {.text = {text.data(), text.size()},
            .rules = rules,
            .token = token,
            .group = group,
            .traits = *traits};
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
};

/// Compiles twice: first to learn how long the arrays must be.
template <fixed_string Text, fixed_string UserAgent, parse_options Options>
[[nodiscard]] consteval auto make_static_rules() {
  constexpr static_sizes sizes = [] {
    const rule_set_parts parts = compile_static<Text, UserAgent, Options>();
    return static_sizes{.octets = parts.text.size(), .rules = parts.rules.size()};
  }();
  const rule_set_parts parts = compile_static<Text, UserAgent, Options>();
  static_rules<sizes.octets, sizes.rules> result{.token = parts.token,
                                                 .crawl_delay = parts.crawl_delay,
                                                 .group = parts.group,
                                                 .traits = parts.traits};
  std::ranges::copy(parts.text, result.text.begin());
  std::ranges::copy(parts.rules, result.rules.begin());
  return result;
}

}  // namespace robots::detail

#pragma once

#include <robots/rep/read/parse_options.hpp>
#include <robots/rep/read/scan.hpp>
#include <robots/rep/rules/detail/rule_collector.hpp>
#include <robots/rep/rules/detail/rule_set_parts.hpp>
#include <robots/rep/rules/detail/rule_table.hpp>
#include <robots/rep/rules/verdict.hpp>
#include <robots/rep/text/fixed_string.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <optional>
#include <string_view>

namespace robots {

namespace rep_detail {

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

}  // namespace rep_detail

/// A robots.txt compiled while the program is:
/// `static_rule_set<"User-agent: *\nDisallow: /x\n">::allows("/y")`.
///
/// The same answers as `compile(Text, UserAgent, Options)`, without reading, memory or
/// initialisation at run time. A long text may need a higher limit of the compiler on the steps of
/// constant expressions (`-fconstexpr-ops-limit`, `-fconstexpr-steps`).
template <fixed_string Text, fixed_string UserAgent = "*", parse_options Options = parse_options{}>
class static_rule_set {
  static constexpr auto stored = rep_detail::make_static_rules<Text, UserAgent, Options>();

 public:
  /// Whether the crawler may fetch `target`, an absolute URL or a path with query.
  /// At the cost of `rule_set::allows`; never allocates.
  [[nodiscard]] static constexpr bool allows(std::string_view target) noexcept {
    return stored.table().allows(target);
  }

  /// The same with the deciding rule (RFC 9309, section 2.2.2). The views in the result are valid
  /// as long as the program runs.
  [[nodiscard]] static constexpr verdict match(std::string_view target) noexcept {
    return stored.table().match(target);
  }

  /// The Crawl-delay that applies to the crawler, in milliseconds, rounded up; nothing when its
  /// groups have none.
  [[nodiscard]] static constexpr std::optional<std::chrono::milliseconds> crawl_delay() noexcept {
    return stored.facts.crawl_delay();
  }

  /// What verdicts report: the crawler's token as given, or "*" when the rules of `*` apply.
  [[nodiscard]] static constexpr std::string_view user_agent() noexcept {
    return stored.table().user_agent();
  }

  /// Number of rules; empty ones, which restrict nothing, do not count.
  [[nodiscard]] static constexpr std::size_t size() noexcept { return stored.facts.rules; }
};

}  // namespace robots

#pragma once

#include <robots/rep/read/detail/dialect_traits.hpp>
#include <robots/rep/read/directive.hpp>
#include <robots/rep/read/parse_options.hpp>
#include <robots/rep/rules/detail/compiled_pattern.hpp>
#include <robots/rep/rules/verdict.hpp>

#include <cstdint>
#include <string_view>

namespace robots::rep_detail {

[[nodiscard]] constexpr rule_kind rule_kind_of(directive_kind line) noexcept {
  return line == directive_kind::allow ? rule_kind::allow : rule_kind::disallow;
}

/// The rank of a rule. The matching rule with the highest rank decides.
using rule_rank = std::uint64_t;

/// Returns the rank by RFC 9309, section 2.2.2. The rule with more octets ranks higher. Of equally
/// long rules, the rule of the kind that `tie` prefers ranks higher. If the kind is equal, too, the
/// earlier rule ranks higher.
[[nodiscard]] constexpr rule_rank rank_of(std::uint32_t specificity, rule_kind kind,
                                          std::uint32_t line, tie_break tie) noexcept {
  const bool is_preferred = (kind == rule_kind::allow) == (tie == tie_break::allow);
  return (rule_rank{2} * specificity + (is_preferred ? 1 : 0)) << 32U | (0xFFFF'FFFFU - line);
}

/// Calls `use` with each pattern of a rule. An empty rule has no pattern, since it restricts
/// nothing (RFC 9309, section 2.2.2: `empty-pattern`).
///
/// For google/robotstxt, a rule that allows `/x/index.html` also allows `/x/`.
template <class Use>
constexpr void for_each_pattern(rule_kind kind, std::string_view value,
                                const parse_options& options, const dialect_traits& traits,
                                Use use) {
  if (value.empty()) {
    return;
  }
  use(pattern_source::of(value, options.prepend_slash));
  if (kind != rule_kind::allow || !traits.index_html_is_directory) {
    return;
  }
  const auto slash = value.find_last_of('/');
  if (slash != std::string_view::npos && value.substr(slash).starts_with("/index.htm")) {
    use(pattern_source{.body = value.substr(0, slash + 1), .anchored = true});
  }
}

}  // namespace robots::rep_detail

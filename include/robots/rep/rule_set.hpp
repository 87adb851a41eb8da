#pragma once

#include <robots/rep/detail/compiled_rule.hpp>
#include <robots/rep/detail/match.hpp>
#include <robots/rep/detail/normal_target.hpp>
#include <robots/rep/detail/rule_set_parts.hpp>
#include <robots/rep/detail/rule_table.hpp>
#include <robots/rep/explanation.hpp>
#include <robots/rep/verdict.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace robots {

namespace detail {
class rule_collector;
}  // namespace detail

/// The rules of one robots.txt that apply to one crawler, compiled.
///
/// Made by `compile` or `document::rules_for`. Owns what it needs; a value that many threads may
/// ask at once.
class rule_set {
 public:
  /// No rules: everything is allowed, to everyone.
  constexpr rule_set() = default;

  /// Whether the crawler may fetch `target`, an absolute URL or a path with query.
  /// Linear in the target for each rule that is tried; never allocates.
  [[nodiscard]] constexpr bool allows(std::string_view target) const noexcept {
    return match(target).allowed;
  }

  /// The same with the deciding rule. The views in the result live as long as this rule set.
  ///
  /// RFC 9309, section 2.2.2: the matching rule with the most octets decides, at equal length an
  /// allow rule; without a matching rule, and for /robots.txt itself, the target is allowed.
  [[nodiscard]] constexpr verdict match(std::string_view target) const noexcept {
    return table().match(target);
  }

  /// How the verdict on `target` comes about: every rule that matches, in the order in which they
  /// decide, with the normal forms compared. Allocates; linear in the target for each rule.
  [[nodiscard]] explanation explain(std::string_view target) const {
    explanation result{.verdict = match(target), .group = parts_.group};
    detail::with_normal_target(target, *parts_.traits, [&](auto cursor) {
      for (const detail::compiled_rule& rule : parts_.rules) {
        const detail::compiled_pattern pattern{rule.compiled.in(parts_.text), rule.anchored};
        // To google/robotstxt one line can be two patterns.
        const bool listed = std::ranges::find(result.matches, rule.line, &matching_rule::line) !=
                            result.matches.end();
        if (listed || !detail::matches(pattern, cursor)) {
          continue;
        }
        result.matches.push_back(
            {.kind = rule.kind,
             .pattern = rule.written.in(parts_.text),
             .compared = std::string{pattern.text} + (pattern.anchored ? "$" : ""),
             .specificity = rule.specificity,
             .line = rule.line});
      }
      for (; !cursor.done(); ++cursor) {
        result.target += *cursor;
      }
      return true;
    });
    return result;
  }

  /// The Crawl-delay that applies to the crawler, in milliseconds, rounded up; nothing when its
  /// groups have none. A crawler with groups of its own does not take over the delay of `*`.
  [[nodiscard]] constexpr std::optional<std::chrono::milliseconds> crawl_delay() const noexcept {
    return parts_.crawl_delay;
  }

  /// What verdicts report: the crawler's token in lower case, or "*" when the rules of `*` apply.
  [[nodiscard]] constexpr std::string_view user_agent() const noexcept {
    return table().user_agent();
  }

  /// Number of rules; empty ones, which restrict nothing, do not count.
  [[nodiscard]] constexpr std::size_t size() const noexcept { return parts_.rules.size(); }

  /// Whether there are no rules, so that everything is allowed.
  [[nodiscard]] constexpr bool empty() const noexcept { return parts_.rules.empty(); }

  /// Octets of memory held, this object included.
  [[nodiscard]] constexpr std::size_t memory_bytes() const noexcept {
    return sizeof(*this) + parts_.text.capacity() +
           parts_.rules.capacity() * sizeof(detail::compiled_rule);
  }

 private:
  friend class detail::rule_collector;

  constexpr explicit rule_set(detail::rule_set_parts parts) noexcept : parts_(std::move(parts)) {}

  [[nodiscard]] constexpr detail::rule_table table() const noexcept {
    return {.text = {parts_.text.data(), parts_.text.size()},
            .rules = parts_.rules,
            .token = parts_.token,
            .group = parts_.group,
            .traits = *parts_.traits};
  }

  detail::rule_set_parts parts_;
};

}  // namespace robots

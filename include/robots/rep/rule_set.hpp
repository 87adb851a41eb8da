#pragma once

#include <robots/rep/detail/compiled_rule.hpp>
#include <robots/rep/detail/dialect_traits.hpp>
#include <robots/rep/detail/match.hpp>
#include <robots/rep/detail/normal_target.hpp>
#include <robots/rep/explanation.hpp>
#include <robots/rep/parse_options.hpp>
#include <robots/rep/verdict.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

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
    const detail::dialect_traits& traits = detail::traits_of(options_.dialect);
    return detail::with_normal_target(target, traits, [&](auto cursor) {
      if (traits.robots_txt_always_allowed && detail::is_robots_txt(cursor)) {
        return verdict{.user_agent = token()};
      }
      for (const detail::compiled_rule& rule : rules_) {
        if (detail::matches({rule.compiled.in(text_), rule.anchored}, cursor)) {
          verdict result{.user_agent = user_agent()};
          detail::set_rule(result, rule, text_);
          return result;
        }
      }
      return verdict{.user_agent = user_agent()};
    });
  }

  /// How the verdict on `target` comes about: every rule that matches, in the order in which they
  /// decide, with the normal forms compared. Allocates; linear in the target for each rule.
  [[nodiscard]] explanation explain(std::string_view target) const {
    explanation result{.verdict = match(target), .group = group_};
    const detail::dialect_traits& traits = detail::traits_of(options_.dialect);
    detail::with_normal_target(target, traits, [&](auto cursor) {
      for (const detail::compiled_rule& rule : rules_) {
        const detail::compiled_pattern pattern{rule.compiled.in(text_), rule.anchored};
        if (!detail::matches(pattern, cursor)) {
          continue;
        }
        result.matches.push_back(
            {.kind = rule.kind,
             .pattern = rule.written.in(text_),
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
    return crawl_delay_;
  }

  /// What verdicts report: the crawler's token in lower case, or "*" when the rules of `*` apply.
  [[nodiscard]] constexpr std::string_view user_agent() const noexcept {
    return group_ == group_choice::everyone ? std::string_view{"*"} : token();
  }

  /// Number of rules; empty ones, which restrict nothing, do not count.
  [[nodiscard]] constexpr std::size_t size() const noexcept { return rules_.size(); }

  /// Whether there are no rules, so that everything is allowed.
  [[nodiscard]] constexpr bool empty() const noexcept { return rules_.empty(); }

  /// Octets of memory held, this object included.
  [[nodiscard]] constexpr std::size_t memory_bytes() const noexcept {
    return sizeof(*this) + text_.capacity() + rules_.capacity() * sizeof(detail::compiled_rule);
  }

 private:
  friend class detail::rule_collector;

  [[nodiscard]] constexpr std::string_view token() const noexcept {
    return token_.size == 0 ? std::string_view{"*"} : token_.in(text_);
  }

  std::vector<char> text_;
  std::vector<detail::compiled_rule> rules_;  // the one that decides comes first
  detail::text_span token_;
  parse_options options_;
  std::optional<std::chrono::milliseconds> crawl_delay_;
  group_choice group_ = group_choice::none;
};

}  // namespace robots

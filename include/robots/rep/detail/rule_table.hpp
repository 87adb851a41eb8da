#pragma once

#include <robots/rep/detail/compiled_rule.hpp>
#include <robots/rep/detail/dialect_traits.hpp>
#include <robots/rep/detail/match.hpp>
#include <robots/rep/detail/normal_target.hpp>
#include <robots/rep/explanation.hpp>
#include <robots/rep/verdict.hpp>

#include <span>
#include <string_view>

namespace robots::detail {

/// A view of compiled rules, wherever they are stored, that answers for them.
struct rule_table {
  std::string_view text;                 ///< what the spans lie in
  std::span<const compiled_rule> rules;  ///< the one that decides comes first
  text_span token;
  group_choice group;
  const dialect_traits& traits;

  [[nodiscard]] constexpr verdict match(std::string_view target) const noexcept {
    // By copy: what nobody else can reach stays in registers.
    return with_normal_target(target, traits, [*this](auto cursor) {
      if (traits.robots_txt_always_allowed && is_robots_txt(cursor)) {
        return verdict{.user_agent = named()};
      }
      for (const compiled_rule& rule : rules) {
        if (matches({rule.compiled.in(text), rule.anchored}, cursor)) {
          verdict result{.user_agent = user_agent()};
          set_rule(result, rule, text);
          return result;
        }
      }
      return verdict{.user_agent = user_agent()};
    });
  }

  /// What verdicts report: the crawler's token, or "*" when the rules of `*` apply.
  [[nodiscard]] constexpr std::string_view user_agent() const noexcept {
    return group == group_choice::everyone ? std::string_view{"*"} : named();
  }

 private:
  [[nodiscard]] constexpr std::string_view named() const noexcept {
    return token.size == 0 ? std::string_view{"*"} : token.in(text);
  }
};

}  // namespace robots::detail

#pragma once

#include <robots/base/inline.hpp>
#include <robots/rep/audit/compare.hpp>
#include <robots/rep/audit/detail/mixed_traits.hpp>
#include <robots/rep/read/detail/dialect_traits.hpp>
#include <robots/rep/rules/compile.hpp>
#include <robots/rep/rules/rule_set.hpp>
#include <robots/rep/rules/verdict.hpp>

#include <bit>

namespace robots {

namespace rep_detail {

[[nodiscard]] inline dialect_verdict dialect_verdict_of(const verdict& from) {
  return {.allowed = from.allowed,
          .pattern = std::optional<std::string>{from.pattern},
          .line = from.line};
}

/// A smallest set of clauses that `explains` a difference, as all together do. Tries single clauses
/// first, then pairs, and so on.
template <class Explains>
[[nodiscard]] clause_bits smallest_cause(Explains explains) {
  for (int count = 1; count < std::popcount(every_clause); ++count) {
    for (clause_bits clauses = 1; clauses < every_clause; ++clauses) {
      if (std::popcount(clauses) == count && explains(clauses)) {
        return clauses;
      }
    }
  }
  return every_clause;
}

}  // namespace rep_detail

ROBOTS_INLINE std::vector<difference> compare(std::string_view text, std::string_view user_agent,
                                              std::span<const std::string_view> targets,
                                              dialect dialect_a, dialect dialect_b) {
  const rep_detail::dialect_traits& traits_a = rep_detail::traits_of(dialect_a);
  const rep_detail::dialect_traits& traits_b = rep_detail::traits_of(dialect_b);
  const rule_set rules_a = rep_detail::compile_with(text, user_agent, {}, traits_a);
  const rule_set rules_b = rep_detail::compile_with(text, user_agent, {}, traits_b);
  std::vector<difference> result;
  for (const std::string_view target : targets) {
    const verdict a = rules_a.match(target);
    const verdict b = rules_b.match(target);
    if (a.allowed == b.allowed) {
      continue;
    }
    const auto cause = rep_detail::smallest_cause([&](rep_detail::clause_bits clauses) {
      const auto mixed = rep_detail::with_clauses(traits_a, traits_b, clauses);
      return rep_detail::compile_with(text, user_agent, {}, mixed).allows(target) == b.allowed;
    });
    result.push_back({.target = std::string{target},
                      .a = rep_detail::dialect_verdict_of(a),
                      .b = rep_detail::dialect_verdict_of(b)});
    for (const dialect_clause clause : all_dialect_clauses) {
      if (rep_detail::has_clause(cause, clause)) {
        result.back().clauses.push_back(clause);
      }
    }
  }
  return result;
}

}  // namespace robots

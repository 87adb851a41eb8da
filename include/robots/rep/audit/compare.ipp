#pragma once

#include <robots/base/inline.hpp>
#include <robots/rep/audit/compare.hpp>
#include <robots/rep/audit/detail/mixed_traits.hpp>
#include <robots/rep/read/detail/dialect_traits.hpp>
#include <robots/rep/rules/compile.hpp>
#include <robots/rep/rules/rule_set.hpp>
#include <robots/rep/rules/verdict.hpp>

#include <bit>
#include <cstddef>

namespace robots {

namespace rep_detail {

[[nodiscard]] inline dialect_verdict dialect_verdict_of(const verdict& from) {
  dialect_verdict result{.allowed = from.allowed, .line = from.line};
  if (from.pattern) {
    result.pattern.emplace(*from.pattern);
  }
  return result;
}

/// Finds by experiment which clauses of `b` give a target the verdict `allowed` that `b` gives it
/// and `a` does not. Tries single clauses first, then pairs, and so on.
class clause_search {
 public:
  clause_search(std::string_view text, std::string_view user_agent, dialect a, dialect b)
      : text_(text), user_agent_(user_agent), a_(traits_of(a)), b_(traits_of(b)) {}

  [[nodiscard]] std::vector<dialect_clause> find(std::string_view target, bool allowed) const {
    for (int count = 1; count < std::popcount(every_clause); ++count) {
      for (clause_bits clauses = 1; clauses < every_clause; ++clauses) {
        if (std::popcount(clauses) == count && allows(target, clauses) == allowed) {
          return list(clauses);
        }
      }
    }
    return list(every_clause);
  }

 private:
  [[nodiscard]] bool allows(std::string_view target, clause_bits clauses) const {
    const dialect_traits mixed = with_clauses(a_, b_, clauses);
    return compile_with(text_, user_agent_, {}, mixed).allows(target);
  }

  [[nodiscard]] static std::vector<dialect_clause> list(clause_bits clauses) {
    std::vector<dialect_clause> result;
    for (std::size_t i = 0; i < all_dialect_clauses.size(); ++i) {
      if ((clauses >> i & 1U) != 0) {
        result.push_back(all_dialect_clauses[i]);
      }
    }
    return result;
  }

  std::string_view text_;
  std::string_view user_agent_;
  const dialect_traits& a_;
  const dialect_traits& b_;
};

}  // namespace rep_detail

ROBOTS_INLINE std::vector<difference> compare(std::string_view text, std::string_view user_agent,
                                              std::span<const std::string_view> targets,
                                              dialect dialect_a, dialect dialect_b) {
  const rule_set rules_a = compile(text, user_agent, {.dialect = dialect_a});
  const rule_set rules_b = compile(text, user_agent, {.dialect = dialect_b});
  const rep_detail::clause_search search{text, user_agent, dialect_a, dialect_b};
  std::vector<difference> result;
  for (const std::string_view target : targets) {
    const verdict a = rules_a.match(target);
    const verdict b = rules_b.match(target);
    if (a.allowed != b.allowed) {
      result.push_back({.target = std::string{target},
                        .a = rep_detail::dialect_verdict_of(a),
                        .b = rep_detail::dialect_verdict_of(b),
                        .clauses = search.find(target, b.allowed)});
    }
  }
  return result;
}

}  // namespace robots

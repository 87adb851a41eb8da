#pragma once

#include <robots/rep/audit/detail/mixed_traits.hpp>
#include <robots/rep/audit/dialect_clause.hpp>
#include <robots/rep/read/detail/dialect_traits.hpp>
#include <robots/rep/read/dialect.hpp>
#include <robots/rep/read/parse_options.hpp>
#include <robots/rep/rules/compile.hpp>
#include <robots/rep/rules/rule_set.hpp>
#include <robots/rep/rules/verdict.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace robots {

/// What one dialect says of a target, as far as it matters for a comparison.
struct dialect_verdict {
  bool allowed = true;                   ///< the target may be fetched
  std::optional<std::string> pattern{};  ///< of the deciding rule, as written, if one matched
  std::uint32_t line = 0;                ///< 1-based line of the deciding rule; 0 for none
};

/// A target that one dialect allows and the other one does not.
struct difference {
  std::string target{};  ///< as it was given
  dialect_verdict a{};   ///< the verdict of the first dialect
  dialect_verdict b{};   ///< the verdict of the second one
  /// What makes the difference: of all sets of clauses that turn the first dialect's answer into
  /// the second one's when they are taken from the second, a smallest one. Nearly always a single
  /// clause.
  std::vector<dialect_clause> clauses{};
};

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

/// The targets, in their order, that the robots.txt `text` allows to a crawler in one dialect and
/// not in the other, with the clauses that make the difference; `describe` puts those into words.
/// Where both dialects give the same answer for different reasons there is no difference.
///
/// `user_agent` and `targets` are as for `compile` and `rule_set::match`. Takes any octets. Reads
/// the text twice, and for each difference again once for each set of clauses that is tried, at
/// most 510 and seldom more than nine: a tool for people and audits, not for a hot loop. All
/// options but the dialect are defaults.
[[nodiscard]] inline std::vector<difference> compare(std::string_view text,
                                                     std::string_view user_agent,
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

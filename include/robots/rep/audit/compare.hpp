#pragma once

#include <robots/base/inline.hpp>
#include <robots/rep/audit/dialect_clause.hpp>
#include <robots/rep/read/dialect.hpp>

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

/// The targets, in their order, that the robots.txt `text` allows to a crawler in one dialect and
/// not in the other, with the clauses that make the difference; `describe` puts those into words.
/// Where both dialects give the same answer for different reasons there is no difference.
///
/// `user_agent` and `targets` are as for `compile` and `rule_set::match`. Takes any octets. Reads
/// the text twice, and for each difference again once for each set of clauses that is tried, at
/// most 1,022 and seldom more than ten: a tool for people and audits, not for a hot loop. All
/// options but the dialect are defaults.
[[nodiscard]] std::vector<difference> compare(std::string_view text, std::string_view user_agent,
                                              std::span<const std::string_view> targets,
                                              dialect dialect_a, dialect dialect_b);

}  // namespace robots

#ifndef ROBOTS_COMPILED
#include <robots/rep/audit/compare.ipp>
#endif

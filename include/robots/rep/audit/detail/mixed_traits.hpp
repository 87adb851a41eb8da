#pragma once

#include <robots/rep/audit/dialect_clause.hpp>
#include <robots/rep/read/detail/dialect_traits.hpp>

#include <cstddef>

namespace robots::rep_detail {

/// Some of the clauses on which dialects disagree: bit n for the n-th.
using clause_bits = std::size_t;

inline constexpr clause_bits every_clause = (clause_bits{1} << all_dialect_clauses.size()) - 1;

[[nodiscard]] constexpr bool has_clause(clause_bits clauses, dialect_clause clause) noexcept {
  return (clauses >> static_cast<std::size_t>(clause) & 1U) != 0;
}

/// The reading of `base` with some clauses of `other`.
[[nodiscard]] constexpr dialect_traits with_clauses(dialect_traits base,
                                                    const dialect_traits& other,
                                                    clause_bits clauses) noexcept {
  const auto take = [&](dialect_clause clause, auto dialect_traits::* field) {
    if (has_clause(clauses, clause)) {
      base.*field = other.*field;
    }
  };
  take(dialect_clause::rule_normal_form, &dialect_traits::rule_form);
  take(dialect_clause::target_normal_form, &dialect_traits::target_form);
  take(dialect_clause::robots_txt_always_allowed, &dialect_traits::robots_txt_always_allowed);
  take(dialect_clause::key_prefixes, &dialect_traits::key_prefixes);
  take(dialect_clause::nul_ends_line, &dialect_traits::nul_ends_line);
  take(dialect_clause::ignores_keyless_lines, &dialect_traits::ignores_keyless_lines);
  take(dialect_clause::keeps_cut_allow, &dialect_traits::keeps_cut_allow);
  take(dialect_clause::partial_byte_order_mark, &dialect_traits::partial_byte_order_mark);
  take(dialect_clause::index_html_is_directory, &dialect_traits::index_html_is_directory);
  take(dialect_clause::lenient_targets, &dialect_traits::lenient_targets);
  return base;
}

static_assert(with_clauses(rfc9309_traits, google_traits, every_clause) == google_traits,
              "each field of dialect_traits needs a dialect_clause of its own");

}  // namespace robots::rep_detail

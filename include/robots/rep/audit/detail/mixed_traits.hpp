#pragma once

#include <robots/rep/audit/dialect_clause.hpp>
#include <robots/rep/read/detail/dialect_traits.hpp>

#include <cstddef>

namespace robots::rep_detail {

/// Some of the clauses on which dialects disagree: bit n for the n-th.
using clause_bits = std::size_t;

/// The reading of `base` with one clause of `other`.
[[nodiscard]] constexpr dialect_traits with_clause(dialect_traits base, const dialect_traits& other,
                                                   dialect_clause clause) noexcept {
  switch (clause) {
    case dialect_clause::rule_normal_form:
      base.rule_form = other.rule_form;
      break;
    case dialect_clause::target_normal_form:
      base.target_form = other.target_form;
      break;
    case dialect_clause::robots_txt_always_allowed:
      base.robots_txt_always_allowed = other.robots_txt_always_allowed;
      break;
    case dialect_clause::key_prefixes:
      base.key_prefixes = other.key_prefixes;
      break;
    case dialect_clause::nul_ends_line:
      base.nul_ends_line = other.nul_ends_line;
      break;
    case dialect_clause::ignores_keyless_lines:
      base.ignores_keyless_lines = other.ignores_keyless_lines;
      break;
    case dialect_clause::keeps_cut_allow:
      base.keeps_cut_allow = other.keeps_cut_allow;
      break;
    case dialect_clause::partial_byte_order_mark:
      base.partial_byte_order_mark = other.partial_byte_order_mark;
      break;
    case dialect_clause::index_html_is_directory:
      base.index_html_is_directory = other.index_html_is_directory;
      break;
    case dialect_clause::lenient_targets:
      base.lenient_targets = other.lenient_targets;
      break;
  }
  return base;
}

/// The reading of `base` with some clauses of `other`.
[[nodiscard]] constexpr dialect_traits with_clauses(dialect_traits base,
                                                    const dialect_traits& other,
                                                    clause_bits clauses) noexcept {
  for (std::size_t i = 0; i < all_dialect_clauses.size(); ++i) {
    if ((clauses >> i & 1U) != 0) {
      base = with_clause(base, other, all_dialect_clauses[i]);
    }
  }
  return base;
}

inline constexpr clause_bits every_clause = (clause_bits{1} << all_dialect_clauses.size()) - 1;

static_assert(with_clauses(rfc9309_traits, google_traits, every_clause) == google_traits,
              "each field of dialect_traits needs a dialect_clause of its own");

}  // namespace robots::rep_detail

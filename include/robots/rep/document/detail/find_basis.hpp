#pragma once

#include <robots/rep/document/detail/document_parts.hpp>
#include <robots/rep/document/detail/record.hpp>
#include <robots/rep/document/detail/record_pattern.hpp>
#include <robots/rep/read/detail/agent_matcher.hpp>
#include <robots/rep/read/detail/dialect_traits.hpp>
#include <robots/rep/read/parse_options.hpp>
#include <robots/rep/rules/detail/compiled_pattern.hpp>
#include <robots/rep/rules/detail/group_selection.hpp>
#include <robots/rep/rules/detail/match.hpp>
#include <robots/rep/rules/detail/precedence.hpp>
#include <robots/rep/text/detail/normal_form.hpp>

#include <cstdint>
#include <string_view>

namespace robots::detail {

/// What decides between two rules that match.
[[nodiscard]] constexpr precedence rank_of(const record& rule, const pattern_source& source,
                                           const normal_form& form) noexcept {
  // Of a pattern that is not rewritten, the octets are those of its text.
  const std::uint32_t octets =
      rule.made ? specificity(source, form)
                : static_cast<std::uint32_t>(source.body.size()) + (source.anchored ? 1U : 0U);
  return {.specificity = octets,
          .line = rule.line,
          .kind = rule.kind == directive_kind::allow ? rule_kind::allow : rule_kind::disallow};
}

/// What a decision about one target rests on.
struct decision_basis {
  const record* rule = nullptr;             ///< the deciding rule, if one matches
  group_choice group = group_choice::none;  ///< whose groups applied
};

/// Finds the deciding rule among the lines of a document.
template <class Cursor>
[[nodiscard]] constexpr decision_basis find_basis(const document_parts& parts,
                                                  const parse_options& options,
                                                  const agent_matcher& agent, Cursor cursor) {
  const std::string_view text = parts.text();
  const normal_form& form = *traits_of(options.dialect).rule_form;
  decision_basis best;
  precedence best_rank;
  group_selection groups;
  for (const record& line : parts.records) {
    if (line.kind == directive_kind::user_agent) {
      if (groups.on_user_agent(agent.compare(line.value(text)), line.starts_group)) {
        best = {};
      }
      continue;
    }
    if (!groups.on_other(line.kind) || !is_rule(line.kind) || line.value_size == 0) {
      continue;
    }
    const pattern_source source = source_of(line, text, options.prepend_slash);
    const precedence rank = rank_of(line, source, form);
    if (best.rule != nullptr && !rank.decides_over(best_rank, options.tie)) {
      continue;
    }
    if (matches(pattern_of(line, text, source), cursor)) {
      best.rule = &line;
      best_rank = rank;
    }
  }
  best.group = groups.choice();
  return best;
}

}  // namespace robots::detail

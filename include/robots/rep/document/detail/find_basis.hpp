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

#include <array>
#include <cstdint>
#include <string_view>

namespace robots::detail {

/// Calls `use(line, own)` for each line of each group that names the crawler, or may apply to it
/// because it names `*`. A line between two User-agent lines belongs to both.
template <class Use>
constexpr group_selection visit_groups(const document_parts& parts, const agent_matcher& agent,
                                       Use use) {
  const std::string_view text = parts.text();
  group_selection groups;
  for (auto line = parts.records.begin(); line != parts.records.end(); ++line) {
    if (line->starts_group) {
      groups.on_user_agent(agent.compare(line->value(text)), true);
      for (auto next = line + 1; next != parts.records.end() && !next->starts_group; ++next) {
        if (next->kind == directive_kind::user_agent) {
          groups.on_user_agent(agent.compare(next->value(text)), false);
        }
      }
    } else if (line->kind != directive_kind::user_agent && groups.relevant()) {
      use(*line, groups.own());
    }
  }
  return groups;
}

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
  struct candidate {
    const record* rule = nullptr;
    precedence rank{};
  };
  std::array<candidate, 2> best{};
  const auto try_rule = [&](const record& line, bool own) {
    if (!is_rule(line.kind) || line.value_size == 0) {
      return;
    }
    const pattern_source source = source_of(line, text, options.prepend_slash);
    const candidate tried{&line, rank_of(line, source, form)};
    if (best[own].rule != nullptr && !tried.rank.decides_over(best[own].rank, options.tie)) {
      return;
    }
    if (matches(pattern_of(line, text, source), cursor)) {
      best[own] = tried;
    }
  };
  const group_selection groups = visit_groups(parts, agent, try_rule);
  return {.rule = best[groups.own_found()].rule, .group = groups.choice()};
}

}  // namespace robots::detail

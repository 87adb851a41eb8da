#pragma once

#include <robots/rep/detail/agent_matcher.hpp>
#include <robots/rep/detail/compiled_rule.hpp>
#include <robots/rep/detail/document_parts.hpp>
#include <robots/rep/detail/group_selection.hpp>
#include <robots/rep/detail/match.hpp>
#include <robots/rep/parse_options.hpp>

#include <array>

namespace robots::detail {

/// Calls `use(line, own)` for each line of each group that names the crawler, or may apply to it
/// because it names `*`. A line between two User-agent lines belongs to both.
template <class Use>
constexpr group_selection visit_groups(const document_parts& parts, const agent_matcher& agent,
                                       Use use) {
  group_selection groups;
  for (auto line = parts.records.begin(); line != parts.records.end(); ++line) {
    if (line->starts_group) {
      groups.on_user_agent(agent.compare(line->rule.written.in(parts.text)), true);
      for (auto next = line + 1; next != parts.records.end() && !next->starts_group; ++next) {
        if (next->kind == directive_kind::user_agent) {
          groups.on_user_agent(agent.compare(next->rule.written.in(parts.text)), false);
        }
      }
    } else if (line->kind != directive_kind::user_agent && groups.relevant()) {
      use(*line, groups.own());
    }
  }
  return groups;
}

/// What a decision about one target rests on.
struct decision_basis {
  const compiled_rule* rule = nullptr;      ///< the deciding rule, if one matches
  group_choice group = group_choice::none;  ///< whose groups applied
};

/// Finds the deciding rule among the lines of a document.
template <class Cursor>
[[nodiscard]] constexpr decision_basis find_basis(const document_parts& parts, tie_break tie,
                                                  const agent_matcher& agent, Cursor cursor) {
  std::array<const compiled_rule*, 2> best{};
  const auto try_rule = [&](const record& line, bool own) {
    if (!is_rule(line.kind) || line.rule.written.size == 0) {
      return;
    }
    if (best[own] != nullptr && !line.rule.decides_over(*best[own], tie)) {
      return;
    }
    if (matches({line.rule.compiled.in(parts.text), line.rule.anchored}, cursor)) {
      best[own] = &line.rule;
    }
  };
  const group_selection groups = visit_groups(parts, agent, try_rule);
  return {.rule = best[groups.own_found()], .group = groups.choice()};
}

}  // namespace robots::detail

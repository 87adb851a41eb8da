#pragma once

#include <robots/base/inline.hpp>
#include <robots/rep/document/detail/document_builder.hpp>
#include <robots/rep/document/document.hpp>
#include <robots/rep/read/detail/agent_matcher.hpp>
#include <robots/rep/read/product_token.hpp>
#include <robots/rep/read/scan.hpp>
#include <robots/rep/rules/detail/group_selection.hpp>
#include <robots/rep/rules/detail/names_collector.hpp>
#include <robots/rep/rules/detail/rule_collector.hpp>

#include <algorithm>
#include <cstdint>

namespace robots {

ROBOTS_CONSTEXPR verdict document::match(std::string_view target,
                                         std::string_view user_agent) const& {
  const rule_set rules = rules_for(user_agent);
  verdict result = rules.match(target);
  // What it views goes with the rule set, but stands here too.
  result.user_agent = result.user_agent == "*" ? "*" : product_token(user_agent);
  if (result.pattern) {
    const auto rule = std::lower_bound(parts_.lines.begin(), parts_.lines.end(), result.line,
                                       [](const rep_detail::document_line& line,
                                          std::uint32_t number) { return line.number < number; });
    result.pattern = rule->value(all_text());
  }
  return result;
}

ROBOTS_CONSTEXPR std::optional<std::string_view> document::host() const& noexcept {
  for (const std::string_view value : values(directive_kind::host)) {
    if (!value.empty()) {
      return value;
    }
  }
  return std::nullopt;
}

ROBOTS_CONSTEXPR std::optional<std::chrono::milliseconds> document::crawl_delay(
    std::string_view user_agent) const {
  rep_detail::rule_collector collector{user_agent, options_};
  parts_.replay(collector);
  return collector.crawl_delay();
}

ROBOTS_CONSTEXPR std::optional<std::chrono::milliseconds> document::file_delay() const noexcept {
  const auto before_groups =
      rep_detail::lines_before(kept_lines(), &rep_detail::document_line::in_group);
  return rep_detail::first_delay(before_groups, all_text());
}

ROBOTS_CONSTEXPR std::vector<directive> document::directives() const& {
  std::vector<directive> result;
  result.reserve(parts_.lines.size());
  for (const rep_detail::document_line& line : parts_.lines) {
    result.push_back(line.as_directive(all_text()));
  }
  return result;
}

ROBOTS_CONSTEXPR std::vector<directive> document::directives_for(
    std::string_view user_agent) const& {
  std::vector<directive> found;
  const rep_detail::agent_matcher agent{user_agent};
  rep_detail::group_selection groups;
  for (const rep_detail::document_line& kept : parts_.lines) {
    const directive line = kept.as_directive(all_text());
    if (line.kind == directive_kind::user_agent) {
      if (groups.on_user_agent(line, agent.compare(line.value))) {
        found.clear();
      }
    } else if (groups.applies(line.kind)) {
      found.push_back(line);
    }
  }
  return found;
}

ROBOTS_CONSTEXPR rule_set document::rules_for(std::string_view user_agent) const {
  rep_detail::rule_collector collector{user_agent, options_};
  parts_.replay(collector);
  return collector.finish();
}

ROBOTS_CONSTEXPR rule_set document::rules_for(std::span<const std::string_view> user_agents) const {
  rep_detail::names_collector collector{user_agents, options_};
  parts_.replay(collector);
  return collector.finish();
}

ROBOTS_CONSTEXPR rule_set
document::rules_for(std::initializer_list<std::string_view> user_agents) const {
  return rules_for(std::span<const std::string_view>{user_agents.begin(), user_agents.size()});
}

ROBOTS_CONSTEXPR bool document::allows(std::string_view target, std::string_view user_agent) const {
  return rules_for(user_agent).allows(target);
}

ROBOTS_CONSTEXPR document parse(std::string_view text, parse_options options) {
  rep_detail::document_parts parts;
  rep_detail::document_builder builder{text.substr(0, rep_detail::text_limit(options)), parts};
  parts.counts = scan(text, builder, options);
  return document{std::move(parts), options};
}

}  // namespace robots

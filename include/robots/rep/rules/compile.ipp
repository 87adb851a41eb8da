#pragma once

#include <robots/base/inline.hpp>
#include <robots/rep/read/scan.hpp>
#include <robots/rep/rules/compile.hpp>
#include <robots/rep/rules/detail/names_collector.hpp>
#include <robots/rep/rules/detail/packed_rule.hpp>
#include <robots/rep/rules/detail/rule_collector.hpp>

namespace robots {

// An octet is written as three at most, and a `/` may be put in front.
static_assert(3 * max_line_bytes + 1 <= rep_detail::packed_rule::most_compiled);

ROBOTS_CONSTEXPR rule_set compile(std::string_view text, std::string_view user_agent,
                                  const parse_options& options) {
  rep_detail::rule_collector collector{user_agent, options};
  scan(text, collector, options);
  return collector.finish();
}

ROBOTS_CONSTEXPR rule_set compile(std::string_view text,
                                  std::span<const std::string_view> user_agents,
                                  const parse_options& options) {
  rep_detail::names_collector collector{user_agents, options};
  scan(text, collector, options);
  return collector.finish();
}

ROBOTS_CONSTEXPR rule_set compile(std::string_view text,
                                  std::initializer_list<std::string_view> user_agents,
                                  const parse_options& options) {
  return compile(text, std::span{user_agents.begin(), user_agents.size()}, options);
}

}  // namespace robots

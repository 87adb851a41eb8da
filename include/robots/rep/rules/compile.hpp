#pragma once

#include <robots/rep/read/parse_options.hpp>
#include <robots/rep/read/scan.hpp>
#include <robots/rep/rules/detail/names_collector.hpp>
#include <robots/rep/rules/detail/packed_rule.hpp>
#include <robots/rep/rules/detail/rule_collector.hpp>
#include <robots/rep/rules/rule_set.hpp>

#include <initializer_list>
#include <span>
#include <string_view>

namespace robots {

/// Compiles the rules of `text` for one crawler, in one pass. Gives what
/// `parse(text).rules_for(user_agent)` does, without making a document.
///
/// `user_agent` is a product token or a whole header value; "*" stands for crawlers that are not
/// named. Takes any octets and never throws because of them. Linear in the text, except that rules
/// that must be tried one by one are sorted. Takes up to 64 KiB of stack if a rule is not in normal
/// form.
[[nodiscard]] constexpr rule_set compile(std::string_view text, std::string_view user_agent,
                                         const parse_options& options = {});

/// Compiles for a crawler with several names, the most specific first: `compile(text,
/// {"examplebot-news", "examplebot"})`.
///
/// RFC 9309 does not cover this. `options.names` chooses: the first name with a group decides, or
/// the groups of all names are merged. The rules of `*` apply if no name has a group, or if there
/// are no names. Verdicts report the first name that has a group. Takes one pass, and compares each
/// User-agent line with each name.
[[nodiscard]] constexpr rule_set compile(std::string_view text,
                                         std::span<const std::string_view> user_agents,
                                         const parse_options& options = {});

/// Compiles for names in braces. Without this overload, two names would be taken for the two ends
/// of one name.
[[nodiscard]] constexpr rule_set compile(std::string_view text,
                                         std::initializer_list<std::string_view> user_agents,
                                         const parse_options& options = {});

// An octet is written as three at most, and a `/` may be put in front.
static_assert(3 * max_line_bytes + 1 <= rep_detail::packed_rule::most_compiled);

constexpr rule_set compile(std::string_view text, std::string_view user_agent,
                           const parse_options& options) {
  rep_detail::rule_collector collector{user_agent, options};
  scan(text, collector, options);
  return collector.finish();
}

constexpr rule_set compile(std::string_view text, std::span<const std::string_view> user_agents,
                           const parse_options& options) {
  rep_detail::names_collector collector{user_agents, options};
  scan(text, collector, options);
  return collector.finish();
}

constexpr rule_set compile(std::string_view text,
                           std::initializer_list<std::string_view> user_agents,
                           const parse_options& options) {
  return compile(text, std::span{user_agents.begin(), user_agents.size()}, options);
}

}  // namespace robots

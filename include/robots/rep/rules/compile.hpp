#pragma once

#include <robots/base/config.hpp>
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

/// Reads `text` for one crawler only, in one pass: `parse(text).rules_for(user_agent)` without the
/// document in between.
///
/// `user_agent` is a product token or a whole header value; "*" asks for what holds for crawlers
/// that are not named. Takes any octets, never throws on their account; linear in the text, but
/// that rules which can only be tried one by one are sorted. Takes up to 64 KiB of stack where a
/// rule is not in normal form.
[[nodiscard]] constexpr rule_set compile(std::string_view text, std::string_view user_agent,
                                         const parse_options& options = {});

/// The same for a crawler that goes by several names, the most specific first:
/// `compile(text, {"examplebot-news", "examplebot"})`.
///
/// RFC 9309 is silent; `options.names` says whether the first name that has a group decides or the
/// groups of all names are merged. The rules of `*` apply when no name has a group. Verdicts report
/// the first name that has one. Without names, what holds for crawlers that are not named. One
/// pass; each User-agent line is compared with each name.
[[nodiscard]] constexpr rule_set compile(std::string_view text,
                                         std::span<const std::string_view> user_agents,
                                         const parse_options& options = {});

/// The same for names in braces, which would otherwise be taken for the two ends of one name.
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

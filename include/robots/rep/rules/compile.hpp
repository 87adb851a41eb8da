#pragma once

#include <robots/rep/read/parse_options.hpp>
#include <robots/rep/read/scan.hpp>
#include <robots/rep/rules/detail/packed_rule.hpp>
#include <robots/rep/rules/detail/rule_collector.hpp>
#include <robots/rep/rules/rule_set.hpp>

#include <initializer_list>
#include <span>
#include <string_view>

namespace robots {

/// Compiles the rules for a crawler with several names, the most specific name first:
/// `compile(text, {"examplebot-news", "examplebot"})`.
///
/// If several names have groups, `options.names` decides whether to use only the first such name or
/// to merge the groups. RFC 9309 leaves this open. The rules of `*` apply if no name has a group,
/// or if there are no names. Verdicts report the first name that has a group.
[[nodiscard]] constexpr rule_set compile(std::string_view text,
                                         std::span<const std::string_view> user_agents,
                                         const parse_options& options = {}) {
  // The normal form of an octet has at most three octets, and `prepend_slash` can add a `/`.
  static_assert(3 * max_line_bytes + 1 <= rep_detail::packed_rule::most_compiled);
  rep_detail::rule_collector collector{user_agents, options};
  scan(text, collector, options);
  return collector.finish();
}

/// Compiles the rules of `text` for one crawler, in one pass. Returns the result of
/// `parse(text).rules_for(user_agent)`, but makes no document.
///
/// `user_agent` is a product token or a whole `User-Agent` header value; "*" stands for every
/// crawler that no group names. Accepts any octets, and never throws because of them. Takes linear
/// time, plus the time to sort the rules that are in no index. Uses up to 64 KiB of stack if a rule
/// is not in normal form.
[[nodiscard]] constexpr rule_set compile(std::string_view text, std::string_view user_agent,
                                         const parse_options& options = {}) {
  return compile(text, std::span{&user_agent, 1}, options);
}

/// Accepts names in braces. Without this overload, two names in braces would become one
/// `std::string_view`, made from two iterators.
[[nodiscard]] constexpr rule_set compile(std::string_view text,
                                         std::initializer_list<std::string_view> user_agents,
                                         const parse_options& options = {}) {
  return compile(text, std::span{user_agents.begin(), user_agents.size()}, options);
}

}  // namespace robots

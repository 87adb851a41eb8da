#pragma once

#include <robots/base/inline.hpp>
#include <robots/rep/read/parse_options.hpp>
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
[[nodiscard]] ROBOTS_CONSTEXPR rule_set compile(std::string_view text, std::string_view user_agent,
                                                const parse_options& options = {});

/// The same for a crawler that goes by several names, the most specific first:
/// `compile(text, {"examplebot-news", "examplebot"})`.
///
/// RFC 9309 is silent; `options.names` says whether the first name that has a group decides or the
/// groups of all names are merged. The rules of `*` apply when no name has a group. Verdicts report
/// the first name that has one. Without names, what holds for crawlers that are not named. One
/// pass; each User-agent line is compared with each name.
[[nodiscard]] ROBOTS_CONSTEXPR rule_set compile(std::string_view text,
                                                std::span<const std::string_view> user_agents,
                                                const parse_options& options = {});

/// The same for names in braces, which would otherwise be taken for the two ends of one name.
[[nodiscard]] ROBOTS_CONSTEXPR rule_set compile(std::string_view text,
                                                std::initializer_list<std::string_view> user_agents,
                                                const parse_options& options = {});

}  // namespace robots

#ifndef ROBOTS_COMPILED
#include <robots/rep/rules/compile.ipp>
#endif

#pragma once

#include <robots/rep/detail/rule_collector.hpp>
#include <robots/rep/parse_options.hpp>
#include <robots/rep/rule_set.hpp>
#include <robots/rep/scan.hpp>

#include <string_view>

namespace robots {

/// Reads `text` for one crawler only, in one pass: `parse(text).rules_for(user_agent)` without the
/// document in between.
///
/// `user_agent` is a product token or a whole header value; "*" asks for what holds for crawlers
/// that are not named. Takes any octets, never throws on their account; linear in the text, and
/// the rules kept are sorted.
[[nodiscard]] constexpr rule_set compile(std::string_view text, std::string_view user_agent,
                                         const parse_options& options = {}) {
  detail::rule_collector collector{user_agent, options};
  scan(text, collector, options);
  return collector.finish();
}

}  // namespace robots

#pragma once

#include <robots/base/inline.hpp>
#include <robots/rep/document/document.hpp>
#include <robots/rep/extensions/noindex.hpp>
#include <robots/rep/read/detail/read_lines.hpp>
#include <robots/rep/read/directive.hpp>
#include <robots/rep/rules/pattern.hpp>

#include <optional>

namespace robots {

ROBOTS_CONSTEXPR bool noindex_rule::matches(std::string_view target) const {
  return robots::pattern{pattern}.matches(target);
}

ROBOTS_CONSTEXPR std::vector<noindex_rule> noindex_rules(std::span<const directive> lines) {
  const auto read = [](std::string_view value) {
    return value.empty() ? std::nullopt : std::optional{noindex_rule{.pattern = value}};
  };
  return rep_detail::read_lines(lines, directive_kind::noindex, read);
}

ROBOTS_CONSTEXPR std::vector<noindex_rule> noindex_rules(const document& file,
                                                         std::string_view user_agent) {
  return noindex_rules(file.directives_for(user_agent));
}

}  // namespace robots

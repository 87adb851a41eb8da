#pragma once

#include <robots/base/inline.hpp>
#include <robots/rep/document/document.hpp>
#include <robots/rep/extensions/content_usage.hpp>
#include <robots/rep/extensions/detail/path_scope.hpp>
#include <robots/rep/extensions/detail/structured_dictionary.hpp>
#include <robots/rep/read/detail/read_lines.hpp>
#include <robots/rep/read/directive.hpp>

namespace robots {

ROBOTS_CONSTEXPR std::optional<bool> content_usage::preference(
    std::string_view label) const noexcept {
  const std::string_view token = rep_detail::dictionary_token(statement, label);
  if (token == "y") {
    return true;
  }
  return token == "n" ? std::optional{false} : std::nullopt;
}

ROBOTS_CONSTEXPR bool content_usage::matches(std::string_view target) const {
  return rep_detail::match_scope(path, target).has_value();
}

ROBOTS_CONSTEXPR content_usage parse_content_usage(std::string_view value) noexcept {
  const auto [path, statement] = rep_detail::split_scope(value);
  return {.path = path, .statement = statement};
}

ROBOTS_CONSTEXPR std::vector<content_usage> content_usages(std::span<const directive> lines) {
  return rep_detail::read_lines(lines, directive_kind::content_usage, parse_content_usage);
}

ROBOTS_CONSTEXPR std::vector<content_usage> content_usages(const document& file,
                                                           std::string_view user_agent) {
  return content_usages(file.directives_for(user_agent));
}

}  // namespace robots

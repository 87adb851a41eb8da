#pragma once

#include <robots/base/inline.hpp>
#include <robots/rep/document/document.hpp>
#include <robots/rep/extensions/clean_param.hpp>
#include <robots/rep/extensions/detail/path_scope.hpp>
#include <robots/rep/read/detail/read_lines.hpp>
#include <robots/rep/read/directive.hpp>

#include <algorithm>
#include <cstddef>

namespace robots {

ROBOTS_CONSTEXPR bool clean_param::matches(std::string_view target) const {
  return rep_detail::match_scope(path, target).has_value();
}

ROBOTS_CONSTEXPR bool clean_param::names(std::string_view parameter) const noexcept {
  return std::find(parameters.begin(), parameters.end(), parameter) != parameters.end();
}

ROBOTS_CONSTEXPR std::optional<clean_param> parse_clean_param(std::string_view value) {
  auto [names, path] = rep_detail::split_at_blank(value);
  clean_param result{.path = path};
  while (!names.empty()) {
    const std::string_view name = names.substr(0, names.find('&'));
    if (!name.empty()) {
      result.parameters.push_back(name);
    }
    names.remove_prefix(std::min(name.size() + 1, names.size()));
  }
  if (result.parameters.empty()) {
    return std::nullopt;
  }
  return result;
}

ROBOTS_CONSTEXPR std::vector<clean_param> clean_params(const document& file) {
  return rep_detail::read_lines(file.directives(), directive_kind::clean_param, parse_clean_param);
}

ROBOTS_INLINE std::string clean_target(std::span<const clean_param> rules,
                                       std::string_view target) {
  const std::string_view page = target.substr(0, target.find('#'));
  const std::size_t mark = page.find('?');
  if (mark == std::string_view::npos) {
    return std::string{target};
  }
  std::vector<std::string_view> removable;
  rep_detail::scoped_target compared{target};
  for (const clean_param& rule : rules) {
    if (compared.match(rule.path)) {
      removable.insert(removable.end(), rule.parameters.begin(), rule.parameters.end());
    }
  }
  if (compared.exceeded()) {
    return std::string{target};
  }
  std::sort(removable.begin(), removable.end());
  std::string result{page.substr(0, mark)};
  for (std::size_t at = mark; at < page.size();) {  // of the `?` or `&` before a parameter
    const std::size_t end = std::min(page.find('&', at + 1), page.size());
    const std::string_view pair = page.substr(at + 1, end - at - 1);
    const std::string_view name = pair.substr(0, pair.find('='));
    if (!std::binary_search(removable.begin(), removable.end(), name)) {
      result.append(1, result.size() == mark ? '?' : '&').append(pair);
    }
    at = end;
  }
  return result.append(target.substr(page.size()));
}

ROBOTS_INLINE std::string clean_target(const document& file, std::string_view target) {
  return clean_target(clean_params(file), target);
}

}  // namespace robots

#pragma once

#include <robots/base/inline.hpp>
#include <robots/rep/extensions/clean_param.hpp>
#include <robots/rep/extensions/detail/path_scope.hpp>

#include <algorithm>
#include <cstddef>

namespace robots {

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
  for (std::size_t separator = mark;
       separator < page.size();) {  // of the `?` or `&` before a parameter
    const std::size_t end = std::min(page.find('&', separator + 1), page.size());
    const std::string_view pair = page.substr(separator + 1, end - separator - 1);
    const std::string_view name = pair.substr(0, pair.find('='));
    if (!std::binary_search(removable.begin(), removable.end(), name)) {
      result.append(1, result.size() == mark ? '?' : '&').append(pair);
    }
    separator = end;
  }
  return result.append(target.substr(page.size()));
}

ROBOTS_INLINE std::string clean_target(const document& file, std::string_view target) {
  return clean_target(clean_params(file), target);
}

}  // namespace robots

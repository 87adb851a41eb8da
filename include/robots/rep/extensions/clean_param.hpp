#pragma once

#include <robots/rep/document/document.hpp>
#include <robots/rep/read/directive.hpp>
#include <robots/rep/rules/pattern.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace robots {

/// Query parameters that do not change a page, as in `Clean-param: s&ref /forum/*.php`.
///
/// The line applies to the whole file, wherever it stands, and never changes a verdict. The help of
/// Yandex Webmaster defines the line. The views live as long as the document.
struct clean_param {
  static constexpr directive_kind kind = directive_kind::clean_param;  ///< used by `read_lines`

  std::vector<std::string_view> parameters{};  ///< names, compared octet by octet; at least one
  std::string_view path{};  ///< a pattern, possibly with `*`; empty means every page
  std::uint32_t line = 0;   ///< the line number, 1-based; 0 if not read from a file

  /// Reads `p0[&p1&...] [path]`. Returns an empty optional if `value` names no parameter. Takes
  /// linear time.
  [[nodiscard]] static constexpr std::optional<clean_param> parse(std::string_view value) {
    auto [names, path] = rep_detail::split_at_blank(value);
    clean_param result{.path = path};
    while (!names.empty()) {
      const std::string_view name = names.substr(0, names.find('&'));
      if (!name.empty()) {
        result.parameters.push_back(name);
      }
      names.remove_prefix((std::min)(name.size() + 1, names.size()));
    }
    if (result.parameters.empty()) {
      return std::nullopt;
    }
    return result;
  }
};

/// Returns `target` without the parameters of each rule whose path matches `target`. `target` is an
/// absolute URL or a path with query. The order of parameters stays. An empty query is removed.
///
/// To clean many targets, keep the result of `document::read<clean_param>`. Each comparison takes
/// one step per octet of the path and `target`. After 8 million steps, returns `target` unchanged.
[[nodiscard]] inline std::string clean_target(std::span<const clean_param> rules,
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
  // `separator` is the position of the `?` or `&` before a parameter.
  for (std::size_t separator = mark; separator < page.size();) {
    const std::size_t end = (std::min)(page.find('&', separator + 1), page.size());
    const std::string_view pair = page.substr(separator + 1, end - separator - 1);
    const std::string_view name = pair.substr(0, pair.find('='));
    if (!std::binary_search(removable.begin(), removable.end(), name)) {
      result.append(1, result.size() == mark ? '?' : '&').append(pair);
    }
    separator = end;
  }
  return result.append(target.substr(page.size()));
}

/// Cleans `target` by the Clean-param lines of `file`.
[[nodiscard]] inline std::string clean_target(const document& file, std::string_view target) {
  return clean_target(file.read<clean_param>(), target);
}

}  // namespace robots

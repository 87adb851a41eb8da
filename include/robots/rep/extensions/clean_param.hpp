#pragma once

#include <robots/rep/read/detail/path_scope.hpp>
#include <robots/rep/read/directive.hpp>
#include <robots/rep/read/read_lines.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace robots {

/// Query parameters that do not change a page, as in `Clean-param: s&ref /forum/*.php`.
///
/// The line applies to the whole file, wherever it stands, and never changes a verdict. The
/// documentation of Yandex Webmaster defines the line. The views live as long as the document.
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

}  // namespace robots

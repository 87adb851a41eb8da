#pragma once

#include <robots/base/scheme.hpp>
#include <robots/rep/document/document.hpp>
#include <robots/rep/read/directive.hpp>
#include <robots/rep/read/read_lines.hpp>

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace robots {

/// The URL of a licence, as in `License: https://example.com/license.xml` (RSL 1.0, section 4.4).
///
/// A line in a group is for the crawlers of the group. A line before all groups is for every
/// crawler whose own group has no License line. A licence never changes a verdict. The URL is valid
/// as long as the document.
struct license_line {
  static constexpr directive_kind kind = directive_kind::license;  ///< used by `read_lines`

  std::string_view url{};  ///< an absolute URL
  std::uint32_t line = 0;  ///< the line number, 1-based; 0 if not read from a file

  /// Reads an absolute URL, with any scheme. Returns an empty optional for any other text, also for
  /// a relative URL. Takes linear time.
  [[nodiscard]] static constexpr std::optional<license_line> parse(
      std::string_view value) noexcept {
    if (base::scheme_prefix(value) == 0) {
      return std::nullopt;
    }
    return license_line{.url = value};
  }
};

/// Returns the License lines of the crawler's groups, in file order. If its groups have none,
/// returns the License lines before all groups (RSL 1.0, section 4.4.2). A crawler that has its own
/// group gets nothing from the groups of `*`. Takes time linear in the file.
[[nodiscard]] constexpr std::vector<license_line> licenses_for(const document& file,
                                                               std::string_view user_agent) {
  std::vector<license_line> lines = file.read<license_line>(user_agent);
  if (!lines.empty()) {
    return lines;
  }
  std::vector<directive> before_groups;
  for (const directive& line : file.directives()) {
    if (!line.in_group) {
      before_groups.push_back(line);
    }
  }
  return read_lines<license_line>(before_groups);
}

}  // namespace robots

#pragma once

#include <robots/base/config.hpp>
#include <robots/rep/extensions/content_signal.hpp>
#include <robots/rep/extensions/content_usage.hpp>
#include <robots/rep/rules/pattern.hpp>
#include <robots/usage/tdm_reservation.hpp>
#include <robots/usage/usage_lines.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace robots::usage_detail {

/// A line whose path matches the page. The views of `line` are valid as long as the `usage_lines`.
template <class Line>
struct scoped_line {
  Line line{};
  std::uint32_t specificity = 0;  ///< the length of the path's normal form; 0 without a path
};

/// The Content-Signal and Content-Usage lines of a robots.txt that speak of one page to one
/// crawler.
struct robots_statements {
  std::vector<scoped_line<content_signal>> signals{};
  std::vector<scoped_line<content_usage>> usages{};
  bool is_undecided = false;  ///< true if comparing the paths would take too long

  /// Returns the length of the longest path among `usages`.
  [[nodiscard]] std::uint32_t longest_usage() const noexcept {
    std::uint32_t longest = 0;
    for (const auto& usage : usages) {
      longest = (std::max)(longest, usage.specificity);
    }
    return longest;
  }
};

/// Keeps the lines of one kind whose path matches `target`.
template <class Line>
void keep_matching(std::vector<scoped_line<Line>>& to, const usage_lines& all,
                   std::string_view target, std::size_t& compared, bool& is_undecided) {
  for (const usage_lines::line& written : all.lines) {
    if (written.kind != Line::kind) {
      continue;
    }
    Line line = Line::parse(written.value);
    line.line = written.number;
    compared += 1 + (line.path.empty() ? 0 : line.path.size() + target.size());
    if (compared > max_compared_octets) {
      is_undecided = true;
      return;
    }
    if (line.path.empty()) {
      to.push_back({line, 0});
      continue;
    }
    const pattern path{line.path};
    if (path.matches(target)) {
      to.push_back({line, path.specificity()});
    }
  }
}

/// Returns the lines about `target`. On a target that the crawler may not fetch, lines say nothing
/// (draft-ietf-aipref-attach-05, section 3.1): do not call the function for such a target.
[[nodiscard]] inline robots_statements statements_for(const usage_lines& all,
                                                      std::string_view target) {
  robots_statements found;
  std::size_t compared = 0;
  keep_matching(found.signals, all, target, compared, found.is_undecided);
  keep_matching(found.usages, all, target, compared, found.is_undecided);
  return found;
}

}  // namespace robots::usage_detail

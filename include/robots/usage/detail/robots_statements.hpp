#pragma once

#include <robots/base/config.hpp>
#include <robots/rep/document/document.hpp>
#include <robots/rep/extensions/content_signal.hpp>
#include <robots/rep/extensions/content_usage.hpp>
#include <robots/rep/rules/pattern.hpp>
#include <robots/usage/tdm_reservation.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace robots::usage_detail {

/// A line whose path matches the page. The views of `line` are valid as long as the document.
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
void keep_matching(std::vector<scoped_line<Line>>& to, const document& file,
                   std::string_view user_agent, std::string_view target, std::size_t& compared,
                   bool& is_undecided) {
  for (const Line& line : file.read<Line>(user_agent)) {
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

/// Returns the lines that apply. There are none if the crawler may not fetch `target`
/// (draft-ietf-aipref-attach-05, section 3.1).
[[nodiscard]] inline robots_statements statements_for(const document& file, std::string_view target,
                                                      std::string_view user_agent) {
  robots_statements found;
  if (!file.allows(target, user_agent)) {
    return found;
  }
  std::size_t compared = 0;
  keep_matching(found.signals, file, user_agent, target, compared, found.is_undecided);
  keep_matching(found.usages, file, user_agent, target, compared, found.is_undecided);
  return found;
}

}  // namespace robots::usage_detail

#pragma once

#include <robots/rep/read/file_findings.hpp>

#include <cstddef>

namespace robots {

/// The limit above which a file is too broken to be obeyed (the pipeline guide). A file exceeds it
/// if more than `share` of its lines, and at least `lines`, are malformed. A text that is no
/// robots.txt, such as a page of HTML, exceeds it with any number of lines. So does a text without
/// any good line.
struct malformed_limit {
  double share = 0.10;    ///< share of the lines that are not blank, 0 to 1
  std::size_t lines = 5;  ///< fewest malformed lines

  /// True if a file with these lines is too broken.
  [[nodiscard]] constexpr bool exceeded_by(line_counts counts) const noexcept {
    const bool all = counts.malformed != 0 && counts.malformed == counts.non_blank;
    return counts.not_robots_txt || all ||
           (counts.malformed >= lines && counts.malformed > share * counts.non_blank);
  }
};

}  // namespace robots

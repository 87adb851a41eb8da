#pragma once

#include <robots/rep/read/file_findings.hpp>

#include <cstddef>

namespace robots {

/// The limit beyond which a file is too malformed to be obeyed (the pipeline guide). A file exceeds
/// it if more than `share` of its lines, and at least `lines` of them, are malformed. A text that
/// is not a robots.txt, such as an HTML page, exceeds it with any number of lines. So does a text
/// without a single good line.
struct malformed_limit {
  double share = 0.10;    ///< the share of lines that are not blank, 0 to 1
  std::size_t lines = 5;  ///< the fewest malformed lines

  /// Returns true if a file with these lines is too malformed.
  [[nodiscard]] constexpr bool exceeded_by(line_counts counts) const noexcept {
    const bool all = counts.malformed != 0 && counts.malformed == counts.non_blank;
    return counts.not_robots_txt || all ||
           (counts.malformed >= lines && counts.malformed > share * counts.non_blank);
  }
};

}  // namespace robots

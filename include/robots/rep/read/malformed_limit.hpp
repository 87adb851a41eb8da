#pragma once

#include <robots/rep/read/file_findings.hpp>

#include <cstddef>

namespace robots {

/// When a file is so broken that obeying what is left of it would be guessing (the pipeline guide):
/// more than a share of its lines, and at least so many of them, are malformed, as
/// `line_counts::malformed` counts. A text that is no robots.txt at all, as a page of HTML or one
/// without a single other line, is so however few lines it has.
struct malformed_limit {
  double share = 0.10;    ///< of the lines that are not blank, from 0 to 1
  std::size_t lines = 5;  ///< and at least so many

  /// Whether a file with these lines is too broken.
  [[nodiscard]] constexpr bool exceeded_by(line_counts counts) const noexcept {
    const bool all = counts.malformed != 0 && counts.malformed == counts.non_blank;
    return counts.not_robots_txt || all ||
           (counts.malformed >= lines && counts.malformed > share * counts.non_blank);
  }
};

}  // namespace robots

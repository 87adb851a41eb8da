#pragma once

#include <robots/rep/read/diagnostic.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace robots {

/// The problems of one robots.txt.
struct file_findings {
  /// The numbers of lines and of malformed lines in a text.
  struct line_counts {
    std::uint32_t non_blank = 0;  ///< lines that are neither blank nor only a comment
    /// Lines that are not `key: value`, or that have a value which the key does not accept, such as
    /// `Crawl-delay: soon` and `Disallow: x`. Each such line has a finding of severity `error`.
    std::uint32_t malformed = 0;
    /// True if the text begins like another kind of file. Then the text has `key: value` lines only
    /// by chance.
    bool not_robots_txt = false;
  };

  line_counts lines{};                    ///< numbers of lines
  std::vector<diagnostic> diagnostics{};  ///< the first 32 findings, in file order
};

/// The limit beyond which a file is too malformed to be obeyed (the pipeline guide). A file exceeds
/// the limit if more than `share` of its lines, and at least `lines` lines, are malformed. A text
/// that is not a robots.txt, such as an HTML page, always exceeds the limit. A text with malformed
/// lines and without a good line always exceeds the limit, too.
struct malformed_limit {
  double share = 0.10;    ///< the share of malformed lines among lines that are not blank, 0 to 1
  std::size_t lines = 5;  ///< the minimum number of malformed lines for which `share` applies

  /// Returns true if a file with these counts exceeds the limit.
  [[nodiscard]] constexpr bool exceeded_by(file_findings::line_counts counts) const noexcept {
    const bool all = counts.malformed != 0 && counts.malformed == counts.non_blank;
    return counts.not_robots_txt || all ||
           (counts.malformed >= lines && counts.malformed > share * counts.non_blank);
  }
};

}  // namespace robots

#pragma once

#include <robots/rep/read/diagnostic.hpp>

#include <cstdint>
#include <vector>

namespace robots {

/// The number of lines of a text, and of the malformed ones (the pipeline guide).
struct line_counts {
  std::uint32_t non_blank = 0;  ///< lines with more than white space and a comment
  /// Lines that are not `key: value`, or that have a value which the key does not accept, such as
  /// `Crawl-delay: soon` and `Disallow: x`. Each has a finding of severity `error`.
  std::uint32_t malformed = 0;
  /// True if the text begins like another kind of file, so that it has such lines only by chance.
  bool not_robots_txt = false;
};

/// The problems of one robots.txt.
struct file_findings {
  line_counts lines{};                    ///< numbers of lines
  std::vector<diagnostic> diagnostics{};  ///< the first 32, in file order
};

}  // namespace robots

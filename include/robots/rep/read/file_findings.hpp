#pragma once

#include <robots/rep/read/diagnostic.hpp>

#include <cstdint>
#include <vector>

namespace robots {

/// How many lines a text has, and how many of them mean nothing (the pipeline guide's threshold).
struct line_counts {
  std::uint32_t non_blank = 0;  ///< lines that hold more than white space and a comment
  /// Of these, lines that are no `key: value`, or whose key does not take the value, such as
  /// `Crawl-delay: soon` and `Disallow: x`. Each has a finding of severity `error`.
  std::uint32_t malformed = 0;
  /// The text begins as something else does, so that whatever lines it has are there by chance.
  bool not_robots_txt = false;
};

/// What is to be said of a robots.txt that came, obeyed or not.
struct file_findings {
  line_counts lines{};                    ///< how many there are, and how many mean nothing
  std::vector<diagnostic> diagnostics{};  ///< the first 32, in file order
};

}  // namespace robots

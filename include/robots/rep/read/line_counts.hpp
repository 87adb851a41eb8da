#pragma once

#include <cstdint>

namespace robots {

/// The number of lines with content in a text, and the number of malformed lines among them.
struct line_counts {
  std::uint32_t non_blank = 0;  ///< lines that are neither blank nor only a comment
  /// Lines that are not `key: value`, or have an invalid value, as in `Crawl-delay: soon`. Each
  /// malformed line has a finding of severity `error`. A rule such as `Disallow: x` is an error
  /// of its author, but no malformed line: many real files have such rules beside good ones. Only
  /// if no Disallow pattern of the file begins with `/` or `*`, these lines count as malformed.
  std::uint32_t malformed = 0;
  /// Lines that are understood by a guess: their key is misspelled, as in `Disalow: /a`, or the
  /// colon is missing, as in `Disallow /a`. A line that is malformed, too, does not count here.
  std::uint32_t guessed = 0;
  /// True if the text begins like another kind of file, such as HTML or JSON.
  bool not_robots_txt = false;
  /// True if the file has Disallow patterns, and none of them begins with `/` or `*`.
  bool all_disallows_dead = false;
};

}  // namespace robots

#pragma once

#include <robots/rep/read/dialect.hpp>

#include <cstddef>
#include <cstdint>

namespace robots {

/// The kind of rule that decides when an allow and a disallow rule of equal length both match.
enum class tie_break : std::uint8_t {
  allow,     ///< RFC 9309, section 2.2.2: the allow rule SHOULD be used
  disallow,  ///< the careful choice, for compliance frameworks that demand it (the pipeline guide)
};

/// The choice of groups for a crawler with several names.
enum class several_names : std::uint8_t {
  first_with_group,  ///< the first name with a group decides, in the given order
  union_of_groups,   ///< the groups of all names are merged, as in google/robotstxt
};

/// The options for parsing a robots.txt. Every default is the choice of RFC 9309.
struct parse_options {
  /// Decides how to interpret the protocol where implementations disagree.
  robots::dialect dialect = robots::dialect::rfc9309;
  /// The maximum number of octets to read, at most 256 MiB. The text after the limit is ignored. If
  /// the limit cuts a line, this whole line is ignored. RFC 9309, section 2.5, asks for at least
  /// 500 KiB.
  std::size_t max_bytes = 512'000;
  /// True if the text is only the start of a longer file. Then the last line is ignored if it has
  /// no line end.
  bool truncated = false;
  /// If true, rejects misspelled keys and `Disallow /x` without a colon.
  bool strict = false;
  /// If true, a Crawl-delay line ends a list of User-agent lines, like an Allow or Disallow line.
  bool delay_closes_group = false;
  /// If true, reads `Disallow: private` as `Disallow: /private`. If false, `Disallow: private`
  /// never matches.
  bool prepend_slash = false;
  tie_break tie = tie_break::allow;  ///< decides between rules of equal length
  /// Chooses the groups for a crawler with several names.
  several_names names = several_names::first_with_group;
};

}  // namespace robots

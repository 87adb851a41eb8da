#pragma once

#include <robots/rep/read/dialect.hpp>

#include <cstddef>
#include <cstdint>

namespace robots {

/// Which rule decides when an allow and a disallow rule of equal length both match.
enum class tie_break : std::uint8_t {
  allow,     ///< RFC 9309, section 2.2.2: the allow rule SHOULD be used
  disallow,  ///< the careful choice, for compliance frameworks that want it (the pipeline guide)
};

/// Which groups apply to a crawler that goes by several names.
enum class several_names : std::uint8_t {
  first_with_group,  ///< the first name that has a group decides alone, in the order given: a
                     ///< crawler lists its own name before the one it falls back to
  union_of_groups,   ///< the groups of all names are merged, as google/robotstxt does it
};

/// How a robots.txt text is read. Every default is RFC 9309's choice.
struct parse_options {
  /// Whose reading decides where implementations disagree.
  robots::dialect dialect = robots::dialect::rfc9309;
  /// Octets read; what follows is ignored, the line that is cut included. RFC 9309, section 2.5,
  /// asks for at least 500 KiB. Values above 256 MiB mean 256 MiB.
  std::size_t max_bytes = 512'000;
  /// The text is only the beginning of a longer file, so a last line without a line end is cut.
  bool truncated = false;
  /// Only the exact keys of the protocol: no misspelled ones, no `Disallow /x` without a colon.
  bool strict = false;
  /// A Crawl-delay line ends a run of User-agent lines, as a rule does.
  bool delay_closes_group = false;
  /// `Disallow: private` is read as `Disallow: /private` instead of as a rule that never matches.
  bool prepend_slash = false;
  /// Which rule decides between equally long ones.
  tie_break tie = tie_break::allow;
  /// Whose groups apply to a crawler with several names; without effect on one with one name.
  several_names names = several_names::first_with_group;
};

}  // namespace robots

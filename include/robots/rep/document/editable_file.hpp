#pragma once

#include <robots/base/config.hpp>
#include <robots/rep/document/document.hpp>
#include <robots/rep/rules/verdict.hpp>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace robots {

/// A robots.txt that can be built or edited, then written with `to_text`.
struct editable_file {
  /// An Allow or Disallow line.
  struct rule {
    rule_kind kind = rule_kind::disallow;  ///< Allow or Disallow
    std::string pattern{};                 ///< begins with `/` or `*`, or is empty: no effect

    /// True if all members are equal.
    [[nodiscard]] friend bool operator==(const rule&, const rule&) = default;
  };

  /// A line for which `editable_file` and `group` have no other member, such as
  /// `Content-Signal: search=yes`.
  struct line {
    std::string key{};    ///< letters, digits, `-` and `_`
    std::string value{};  ///< may be empty

    /// True if all members are equal.
    [[nodiscard]] friend bool operator==(const line&, const line&) = default;
  };

  /// One group of a robots.txt (RFC 9309, section 2.1).
  struct group {
    std::vector<std::string> user_agents{};                  ///< at least one; `*` for all crawlers
    std::vector<rule> rules{};                               ///< in any order
    std::optional<std::chrono::milliseconds> crawl_delay{};  ///< not negative
    std::vector<line> lines{};                               ///< other lines for these crawlers

    /// True if all members are equal.
    [[nodiscard]] friend bool operator==(const group&, const group&) = default;
  };

  std::optional<std::chrono::milliseconds> crawl_delay{};  ///< before all groups: the file's own
  std::vector<line> lines{};                               ///< before all groups
  std::vector<group> groups{};                             ///< in file order
  std::vector<std::string> sitemaps{};                     ///< absolute URLs

  /// True if all members are equal.
  [[nodiscard]] friend bool operator==(const editable_file&, const editable_file&) = default;
};

/// Writes a robots.txt, from which `parse` reads the same groups, rules, delays and sitemaps.
///
/// A group without rules gets the line `Disallow:`, which ends its User-agent lines and denies
/// nothing. Crawlers may ignore the part of a file after its first 500 KiB (RFC 9309, section 2.5).
///
/// Throws `std::invalid_argument`, with a message that says how to mend it, for
/// - a value with a line end, NUL or `#` in it, or with white space at an end;
/// - a group without user agents, an empty user agent or an empty sitemap;
/// - a pattern that is not empty and begins with neither `/` nor `*`;
/// - a delay that is negative or above `longest_delay`;
/// - an `editable_file::line` whose key has another character, or that crawlers read as a rule, a
/// user
///   agent, a delay or a sitemap;
/// - a line over `max_line_bytes`, which `parse` would cut.
///
/// Linear.
[[nodiscard]] std::string to_text(const editable_file& file);

/// Makes an editable copy of a document. To every crawler, `to_text` of the copy says what the
/// document says.
///
/// Comments are lost, and so are lines that have no effect: rules outside a group, patterns that
/// never match, delays that cannot be read, groups that name nobody, and unknown lines whose key
/// `to_text` would refuse. Other unknown lines are kept. A group that a delay or the like cuts in
/// parts (see `group`) becomes several groups with all rules each. So the copy can be quadratic in
/// the file: throws `std::length_error` if it would have more than 1,000,000 rules.
[[nodiscard]] editable_file to_editable(const document& file);

}  // namespace robots

#ifndef ROBOTS_COMPILED
#include <robots/rep/document/editable_file.ipp>
#endif

#pragma once

#include <robots/base/config.hpp>
#include <robots/rep/fwd.hpp>
#include <robots/rep/rules/verdict.hpp>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace robots {

/// A robots.txt that a program builds, and then writes with `to_text`.
struct editable_file {
  /// An Allow or Disallow line.
  struct rule {
    rule_kind kind = rule_kind::disallow;  ///< Allow or Disallow
    std::string pattern{};  ///< begins with `/` or `*`; an empty pattern has no effect
  };

  /// A line of any other kind, such as `Content-Signal: search=yes`.
  struct line {
    std::string key{};    ///< the key, of letters, digits, `-` and `_`
    std::string value{};  ///< the value, which can be empty
  };

  /// One group of a robots.txt (RFC 9309, section 2.1).
  struct group {
    std::vector<std::string> user_agents{};  ///< product tokens or `*`, at least one
    std::vector<rule> rules{};               ///< the rules, in any order
    std::optional<std::chrono::milliseconds> crawl_delay{};  ///< the delay, not negative
    std::vector<line> lines{};                               ///< other lines for these crawlers
  };

  std::optional<std::chrono::milliseconds> crawl_delay{};  ///< the delay before all groups
  std::vector<line> lines{};                               ///< lines before all groups
  std::vector<group> groups{};                             ///< the groups, in file order
  std::vector<std::string> sitemaps{};                     ///< the absolute URLs of sitemaps
};

/// Writes `file` as a robots.txt. If `parse` reads the result, the document has the same groups,
/// rules, delays and sitemaps as `file`.
///
/// A group without rules gets the line `Disallow:`, which denies nothing. Takes linear time.
///
/// Throws `std::invalid_argument` with a message that says what to change, for
/// - a value with a line end, NUL or `#`, or with white space at its start or end;
/// - a group without user agents, an empty user agent or an empty sitemap;
/// - a pattern that is not empty and begins with neither `/` nor `*`;
/// - a delay that is negative or above `longest_delay`;
/// - a `line` whose key is empty, or has characters other than letters, digits, `-` and `_`;
/// - a `line` with the key of a rule, user agent, delay or sitemap;
/// - a line of over `max_line_bytes` octets.
[[nodiscard]] std::string to_text(const editable_file& file);

/// Returns the content of a parsed robots.txt, to change it and to write it again with `to_text`.
///
///     robots.txt --parse--> document --to_editable--> editable_file --to_text--> robots.txt
///
/// The new text gives each crawler the same verdicts, delays and lines, with keys in their usual
/// spelling. The result has nothing that has no effect: no comments, empty user agents, empty
/// sitemaps, unreadable delays or rules outside of groups, and no rules that begin with neither `/`
/// nor `*`. With `parse_options::prepend_slash`, such a rule gets its `/`. If the new line of a
/// rule would be longer than `max_line_bytes`, a Disallow pattern loses its last octets, and an
/// Allow rule is left out. `to_text` accepts every result. A line such as Crawl-delay can stand
/// between User-agent lines. Then the names above it get a group of their own for such lines, and
/// all names share another group for the rules. Takes linear time.
[[nodiscard]] editable_file to_editable(const document& file);

}  // namespace robots

#ifndef ROBOTS_COMPILED
#include <robots/rep/document/editable_file.bodies.hpp>
#endif

#pragma once

#include <robots/base/config.hpp>
#include <robots/base/enum_text.hpp>
#include <robots/rep/fwd.hpp>
#include <robots/rep/read/directive.hpp>
#include <robots/rep/read/parse_options.hpp>
#include <robots/rep/rules/verdict.hpp>

#include <chrono>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace robots {

/// The changes from one text to another for one crawler.
struct change_report {
  /// The ways in which a rule changes.
  enum class change_kind : std::uint8_t {
    added,      ///< the old text has no such rule
    removed,    ///< the new text has no such rule
    loosened,   ///< the new rule allows more or denies less
    tightened,  ///< the new rule allows less or denies more
  };

  /// The name of a kind of change, which is the name of the enumerator.
  [[nodiscard]] friend constexpr std::string_view to_string(change_kind kind) noexcept {
    return base::enum_text<change_kind::tightened>(kind,
                                                   {"added", "removed", "loosened", "tightened"});
  }

  /// A rule and its place in one of two texts.
  struct placed_pattern {
    std::string pattern{};   ///< the pattern, as written
    std::uint32_t line = 0;  ///< the line number, 1-based
  };

  /// A rule that makes a difference between two texts.
  struct rule_change {
    change_kind change = change_kind::added;  ///< the kind of change
    rule_kind kind = rule_kind::allow;        ///< the kind of the rule, before and after
    std::optional<placed_pattern> before{};   ///< the rule in the old text; empty if added
    std::optional<placed_pattern> after{};    ///< the rule in the new text; empty if removed
    /// A target that only one of the texts allows. It is empty if `diff` found no such target
    /// within the limit of steps. Then the rule may make no difference.
    std::string example{};
    bool example_allowed = false;  ///< true if the new text allows `example`
  };

  /// An added, removed or changed line that is not a rule.
  struct line_change {
    directive_kind kind = directive_kind::unknown;  ///< the kind of the line
    std::optional<std::string> before{};            ///< the old value; empty if added
    std::optional<std::string> after{};             ///< the new value; empty if removed
  };

  std::vector<rule_change> rules{};  ///< sorted by `after.line`; removed rules by `before.line`
  std::vector<line_change> lines{};  ///< sorted by kind, then by value
  std::size_t unchanged = 0;         ///< the number of rules and lines that both texts have
  /// True if all rules were compared to the end. If false, a rule without an example may make
  /// no difference.
  bool complete = true;

  /// Returns true if no change was found. If the rules were not compared to the end, returns false.
  [[nodiscard]] bool same() const noexcept { return rules.empty() && lines.empty(); }

  /// Returns the number of changed rules and lines. A rule that replaces another rule is counted
  /// once.
  [[nodiscard]] std::size_t changed() const noexcept { return rules.size() + lines.size(); }

  /// Returns the share of all rules and lines that has changed, from 0 to 1 (the pipeline guide's
  /// "directive delta").
  [[nodiscard]] double share() const noexcept {
    const std::size_t all = changed() + unchanged;
    return all == 0 ? 0.0 : static_cast<double>(changed()) / static_cast<double>(all);
  }
};

}  // namespace robots

namespace robots::detail {

/// The meaning of a line that is not a rule, in one form for all spellings.
struct stated_line {
  directive_kind kind = directive_kind::unknown;  ///< the kind of the line
  std::string value{};                            ///< the value of the line

  [[nodiscard]] friend auto operator<=>(const stated_line&, const stated_line&) = default;
};

/// Writes hours, such as `0600-0845`.
[[nodiscard]] std::string value_of(const visit_time& hours);

/// Writes a rate, such as `30/60 0800-1300`: requests, and the seconds of the period.
[[nodiscard]] std::string value_of(const request_rate& rate);

/// Returns the Crawl-delays as lines: `own` from the crawler's groups, `of_file` for everyone.
[[nodiscard]] std::vector<stated_line> stated_delays(
    const std::optional<std::chrono::milliseconds>& own,
    const std::optional<std::chrono::milliseconds>& of_file);

/// Compares two rule sets of one crawler, and two lists of other lines. Use this function if the
/// texts have been parsed already. Lines are equal if their kind and value are equal. Order and
/// repetition do not matter.
[[nodiscard]] change_report diff(const rule_set& before, std::vector<stated_line> stated_before,
                                 const rule_set& after, std::vector<stated_line> stated_after);

}  // namespace robots::detail

namespace robots {

/// Compares the meaning of two robots.txt files for one crawler. Ignores order, comments,
/// duplicates, groups of other crawlers, other spellings (`/a` and `/a*`, `%41` and `A`), and rules
/// that never decide.
///
/// Each changed rule has an example: a target that the two texts decide differently. `diff` makes
/// the targets that it tries from the patterns of both texts. This search misses fewer than 1
/// change in 1,000 in files full of wildcards, and no change in files without wildcards. A rule is
/// reported as loosened or tightened if a rule of the same kind replaces it, and one of the two
/// rules matches everything that the other rule matches.
///
/// Stops after 8,388,608 steps (about 0.1 s), or 262,144 steps for one rule. A rule that was not
/// compared to the end is reported as changed. Then the report is not `complete`.
///
/// `user_agent` and `options` are as for `compile`. Accepts any octets, and never throws because of
/// them.
[[nodiscard]] change_report diff(std::string_view before, std::string_view after,
                                 std::string_view user_agent, const parse_options& options = {});

}  // namespace robots

#ifndef ROBOTS_COMPILED
#include <robots/rep/diff/diff.ipp>
#endif

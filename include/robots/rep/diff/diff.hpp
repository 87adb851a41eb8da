#pragma once

#include <robots/base/config.hpp>
#include <robots/rep/diff/change_report.hpp>
#include <robots/rep/fwd.hpp>
#include <robots/rep/read/directive.hpp>
#include <robots/rep/read/parse_options.hpp>

#include <chrono>
#include <compare>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace robots::detail {

/// The meaning of a line that is not a rule, in one form for all spellings.
struct stated_line {
  directive_kind kind = directive_kind::unknown;
  std::string value{};

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

/// Compares two rule sets of one crawler, and two lists of other lines, whose order and repetition
/// do not matter.
[[nodiscard]] change_report diff(const rule_set& before, std::vector<stated_line> stated_before,
                                 const rule_set& after, std::vector<stated_line> stated_after);

}  // namespace robots::detail

namespace robots {

/// Compares the meaning of two robots.txt files for one crawler. Ignores order, comments,
/// duplicates, groups of other crawlers, other spellings (`/a` and `/a*`, `%41` and `A`), and rules
/// that never decide.
///
/// Each changed rule has an example: a target that the two texts decide differently. The search
/// misses fewer than 1 change in 1,000 in files full of wildcards, and none in other files. A rule
/// is loosened or tightened if a rule of the same kind replaces it, and one of the two matches
/// everything that the other matches.
///
/// Stops after 8,388,608 steps (about 0.1 s), or 262,144 steps for one rule. A rule that was not
/// compared to the end is reported as changed. Then the report is not `complete`.
///
/// `user_agent` and `options` are as for `compile`. Never throws because of the texts.
[[nodiscard]] change_report diff(std::string_view before, std::string_view after,
                                 std::string_view user_agent, const parse_options& options = {});

}  // namespace robots

#ifndef ROBOTS_COMPILED
#include <robots/rep/diff/diff.ipp>
#endif

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

/// A line that is not a rule. Lines with the same meaning have equal values, even if they are
/// spelled differently.
struct stated_line {
  directive_kind kind = directive_kind::unknown;
  std::string value{};

  [[nodiscard]] friend auto operator<=>(const stated_line&, const stated_line&) = default;
};

/// Writes hours, such as `0600-0845`.
[[nodiscard]] std::string value_of(const visit_time& hours);

/// Writes a rate. `30/60 0800-1300` is 30 requests in 60 seconds, from 08:00 to 13:00.
[[nodiscard]] std::string value_of(const request_rate& rate);

/// Makes a line of each delay. `own` is for the crawler, and `of_file` is for every crawler.
[[nodiscard]] std::vector<stated_line> stated_delays(
    const std::optional<std::chrono::milliseconds>& own,
    const std::optional<std::chrono::milliseconds>& of_file);

/// Compares two rule sets of one crawler, and two lists of lines that are not rules. Ignores order
/// and repetition of lines.
[[nodiscard]] change_report diff(const rule_set& before, std::vector<stated_line> stated_before,
                                 const rule_set& after, std::vector<stated_line> stated_after);

}  // namespace robots::detail

namespace robots {

/// Compares the meaning of two robots.txt files for one crawler. Ignores order, comments,
/// duplicates and groups of other crawlers. Ignores spelling (`/a` and `/a*`, `%41` and `A`), and
/// rules that never decide.
///
/// Each changed rule has an example: a target that the two texts decide differently. In tests with
/// files full of wildcards, `diff` misses at most 1 of 1,000 changes. In other files, `diff` misses
/// no change. A `loosened` or `tightened` change replaces an old rule by a new rule. Both are Allow
/// rules, or both are Disallow rules. One of the two rules matches all targets of the other rule.
///
/// Stops after 8,388,608 steps (about 0.1 s). The search for one example stops after 262,144 steps.
/// A rule that was not fully compared is reported as changed. Then `complete` is false.
///
/// `user_agent` is a product token or a `User-Agent` header value. The texts never cause an
/// exception.
[[nodiscard]] change_report diff(std::string_view before, std::string_view after,
                                 std::string_view user_agent, const parse_options& options = {});

}  // namespace robots

#ifndef ROBOTS_COMPILED
#include <robots/rep/diff/diff.bodies.hpp>
#endif

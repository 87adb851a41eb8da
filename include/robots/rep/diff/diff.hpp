#pragma once

#include <robots/base/config.hpp>
#include <robots/rep/diff/change_report.hpp>
#include <robots/rep/read/parse_options.hpp>

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace robots {

class rule_set;
struct request_rate;
struct visit_time;

/// `1.5`: a delay in seconds, to the millisecond.
[[nodiscard]] std::string value_of(std::chrono::milliseconds delay);

/// `0600-0845`.
[[nodiscard]] std::string value_of(const visit_time& hours);

/// `30/60 0800-1300`: requests, and the seconds that they are spread over.
[[nodiscard]] std::string value_of(const request_rate& rate);

/// The Crawl-delay of a crawler's own groups, and that which a file asks of everyone, as lines.
[[nodiscard]] std::vector<stated_line> stated_delays(
    const std::optional<std::chrono::milliseconds>& own,
    const std::optional<std::chrono::milliseconds>& of_file);

/// The changes from one rule set for a crawler to another, and from one list of other lines to
/// another: `diff` for those who have read the texts already. Rules are compared as by `diff`;
/// lines are the same where kind and value are, in whatever order and number.
[[nodiscard]] change_report diff(const rule_set& before, std::vector<stated_line> stated_before,
                                 const rule_set& after, std::vector<stated_line> stated_after);

/// What has changed for a crawler from one robots.txt to another, by what the lines mean: order,
/// comments, duplicates, other crawlers' groups and other spellings (`/a` and `/a*`, `%41` and `A`)
/// are no change, nor is a rule that decides nothing, whatever was done to it.
///
/// A rule that makes a difference comes with a target that shows it, which is sought among those
/// that the patterns of both texts suggest: fewer than 1 change in 1,000 is missed where patterns
/// are full of wildcards, and no change where there are none. Rules of one kind count as one that
/// was loosened or tightened where one matches all that the other does. The comparison
/// ends after 8,388,608 steps, about a tenth of a second, or 262,144 for one rule: a rule that was
/// not compared to the end counts as changed, and the report is not `complete`.
///
/// `user_agent` and `options` are as for `compile`. Takes any octets, never throws on their
/// account.
[[nodiscard]] change_report diff(std::string_view before, std::string_view after,
                                 std::string_view user_agent, const parse_options& options = {});

}  // namespace robots

#ifndef ROBOTS_COMPILED
#include <robots/rep/diff/diff.ipp>
#endif

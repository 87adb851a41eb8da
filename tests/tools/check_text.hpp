// The output of robots-check for people.
#pragma once

#include "check_answer.hpp"
#include "check_store.hpp"
#include <robots/fetch/retrieval_result.hpp>
#include <robots/observe/cache_stats.hpp>
#include <robots/rep/diff/change_report.hpp>
#include <robots/rep/read/file_findings.hpp>

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

namespace robots::check {

/// The layout of a line.
struct text_style {
  std::string_view fallback;   ///< name of the fallback policy in force
  std::string_view crawler;    ///< product token of the crawler
  std::size_t url_width = 40;  ///< the columns of the URL
  bool colour = false;         ///< with ANSI colours
};

/// One line without its end: verdict, URL, the rule and its line, the delay, the source of the
/// rules and their age.
[[nodiscard]] std::string to_text(const answer& about, const text_style& style);

/// Several indented lines, each with its end: the group, the target and every rule that matches,
/// the deciding one first. `about.why` must have a value.
[[nodiscard]] std::string explanation_text(const answer& about, const text_style& style);

/// One line without its end about a finding in `file`, in the form of compiler messages.
[[nodiscard]] std::string to_text(const diagnostic& finding, std::string_view file);

/// Returns why a retrieval gave no file, such as `not_found, HTTP 404`. A text from the network is
/// as it came.
[[nodiscard]] std::string outcome_text(const detail::retrieval_facts& facts);

/// The number of findings of each severity.
struct finding_counts {
  std::size_t errors = 0;
  std::size_t warnings = 0;
  std::size_t notes = 0;
};

/// One line, without its end.
[[nodiscard]] std::string to_text(const finding_counts& counts);

/// A line for each change, and a line with the number of changes and their share of all rules and
/// lines.
[[nodiscard]] std::string to_text(const change_report& found);

/// A table of several lines.
[[nodiscard]] std::string to_text(const cache_stats& stats);

/// Returns a time as `2026-11-22T03:00:00Z`.
[[nodiscard]] std::string date_text(std::chrono::sys_seconds second);

/// Returns a ruling in a few words, such as `override deny` or `halted, hostile (https)`.
[[nodiscard]] std::string ruling_text(const rulings_detail::old_ruling& ruling);

/// One line without its end: the site, its answer, and the time, age and expiry of the answer; or
/// the rulings on the site.
[[nodiscard]] std::string to_text(const stored_site& site);

}  // namespace robots::check

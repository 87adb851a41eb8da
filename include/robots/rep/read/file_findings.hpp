#pragma once

#include <robots/base/enum_text.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace robots {

/// The importance of a finding.
enum class severity : std::uint8_t {
  note,     ///< the finding has no effect on any verdict
  warning,  ///< the line is understood, but the protocol writes it in another way
  error,    ///< the line, or part of the file, has no effect
};

/// Returns the name of the enumerator.
[[nodiscard]] constexpr std::string_view to_string(severity value) noexcept {
  return base::enum_text<severity::error>(value, {"note", "warning", "error"});
}

/// The kinds of findings.
enum class diagnostic_code : std::uint8_t {
  malformed_line,
  missing_colon,
  misspelled_key,
  unknown_key,
  rule_outside_group,
  pattern_never_matches,
  empty_product_token,
  invalid_crawl_delay,
  repeated_crawl_delay,
  delay_only_group,
  nul_in_line,
  line_too_long,
  file_too_long,
  looks_like_html,
  duplicate_rule,
  shadowed_rule,
  redundant_rule,
  unmatchable_user_agent,
  relative_sitemap,
  malformed_share,
  not_robots_txt,
  unread_content_signal,
  invalid_request_rate,
  invalid_visit_time,
  invisible_character,
  semicolon_after_name,
  empty_sitemap,
  unread_content_usage,
  relative_license,
  usage_outside_group,
  several_names_in_line,
  rule_in_agent_line,
  quoted_name,
  regular_expression,
};

/// Returns the name of the enumerator.
[[nodiscard]] constexpr std::string_view to_string(diagnostic_code code) noexcept {
  return base::enum_text<diagnostic_code::regular_expression>(
      code, {"malformed_line",        "missing_colon",        "misspelled_key",
             "unknown_key",           "rule_outside_group",   "pattern_never_matches",
             "empty_product_token",   "invalid_crawl_delay",  "repeated_crawl_delay",
             "delay_only_group",      "nul_in_line",          "line_too_long",
             "file_too_long",         "looks_like_html",      "duplicate_rule",
             "shadowed_rule",         "redundant_rule",       "unmatchable_user_agent",
             "relative_sitemap",      "malformed_share",      "not_robots_txt",
             "unread_content_signal", "invalid_request_rate", "invalid_visit_time",
             "invisible_character",   "semicolon_after_name", "empty_sitemap",
             "unread_content_usage",  "relative_license",     "usage_outside_group",
             "several_names_in_line", "rule_in_agent_line",   "quoted_name",
             "regular_expression"});
}

/// A problem in a robots.txt that the author of the file should know about.
struct diagnostic {
  std::uint32_t line = 0;                                  ///< the line number, 1-based
  std::uint32_t column = 0;                                ///< the column, 1-based, in octets
  robots::severity severity = robots::severity::error;     ///< the importance
  diagnostic_code code = diagnostic_code::malformed_line;  ///< the kind, for programs
  std::string_view text{};                                 ///< the mistake, and how to correct it
};

namespace rep_detail {

struct finding_text {
  robots::severity severity;
  std::string_view text;
};

/// One entry for each `diagnostic_code`, in code order.
inline constexpr auto finding_texts = std::to_array<finding_text>({
    {severity::error, "not a `key: value` line; it has no effect"},
    {severity::warning, "write a colon between key and value"},
    {severity::warning, "misspelled key; crawlers may not understand it"},
    {severity::note, "unknown key; the line has no effect"},
    {severity::error, "the rule has no effect; put a User-agent line before it"},
    {severity::error, "the pattern matches nothing; begin it with `/` or `*`"},
    {severity::error, "names no crawler; write a product token or `*`"},
    {severity::error, "the delay has no effect; write seconds, as in `2` or `0.5`"},
    {severity::warning, "the group has a delay already; only the first one counts"},
    {severity::warning,
     "Crawl-delay does not end the group: the rules below are also for the crawlers above; to end "
     "it, write `Disallow:`"},
    {severity::error, "the line has no effect: it has a NUL octet; write the file in UTF-8"},
    {severity::error, "the line is cut after 16,663 octets; shorten it"},
    {severity::error, "the file is longer than the limit, and the rest has no effect; shorten it"},
    {severity::error, "looks like HTML; serve robots.txt as plain text"},
    {severity::note, "the group has this rule already; remove one of the two"},
    {severity::warning,
     "never decides: an opposite rule with the same pattern wins; remove one of the two"},
    {severity::note,
     "changes nothing: a shorter rule of the group has the same effect; remove this one"},
    {severity::error, "names no crawler; write a product token of letters, `-` and `_`"},
    {severity::warning, "write an absolute URL; crawlers may not resolve a path"},
    {severity::error,
     "too many lines have no effect; correct them, or strict crawlers may ignore the whole file"},
    {severity::error, "the content is not a robots.txt; serve one as plain text in UTF-8"},
    {severity::warning, "write `search`, `ai-input` or `ai-train` with `=yes` or `=no`"},
    {severity::error, "the rate has no effect; write requests and a period, as in `1/10s`"},
    {severity::error, "the hours have no effect; write `hhmm-hhmm` in UTC, as in `0600-0845`"},
    {severity::warning, "a character cannot be seen; remove it"},  // see `invisible_texts`
    {severity::warning, "a semicolon follows the name; remove it"},
    {severity::warning, "the value is empty; write an absolute URL, or remove the line"},
    {severity::warning, "write labels with `=y` or `=n`, as in `train-ai=n, search=y`"},
    {severity::warning, "the licence does not count; write an absolute URL"},
    {severity::warning, "the line has no effect above all groups; put a User-agent line before it"},
    {severity::error, "names only the first crawler; write one User-agent line for each"},
    {severity::error, "a rule follows the name and has no effect; put it on its own line"},
    {severity::error, "the quotes are read as a part of the name; remove them"},
    {severity::warning,
     "looks like a regular expression, but only `*` and `$` are special; use these"},
});

static_assert(finding_texts.size() ==
              static_cast<std::size_t>(diagnostic_code::regular_expression) + 1);

[[nodiscard]] constexpr diagnostic make_diagnostic(diagnostic_code code, std::uint32_t line,
                                                   std::uint32_t column) noexcept {
  const finding_text& entry = finding_texts[static_cast<std::size_t>(code)];
  return {
      .line = line, .column = column, .severity = entry.severity, .code = code, .text = entry.text};
}

}  // namespace rep_detail

/// The problems of one robots.txt.
struct file_findings {
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

  line_counts lines{};                    ///< counts of lines
  std::vector<diagnostic> diagnostics{};  ///< the first 32 findings, in file order
};

/// The limit for malformed lines in a file. A file exceeds the limit if it has at least `lines`
/// malformed lines, and their share of the lines with content is more than `share`. A file that is
/// not a robots.txt, or has only malformed lines, always exceeds the limit (source: the pipeline
/// guide). So does a file whose Disallow patterns all begin with neither `/` nor `*`.
struct malformed_limit {
  double share = 0.10;    ///< the share of malformed lines among lines that are not blank, 0 to 1
  std::size_t lines = 5;  ///< the minimum number of malformed lines for which `share` applies
  /// If true, lines that are understood by a guess count as malformed, too; see
  /// `line_counts::guessed`. If empty, `fallback.counts_guessed_lines()` decides in a cache, which
  /// is true for `strict()`; elsewhere, these lines do not count.
  std::optional<bool> guessed_lines{};

  /// Returns true if a file with these counts exceeds the limit.
  [[nodiscard]] constexpr bool exceeded_by(file_findings::line_counts counts) const noexcept {
    const std::uint32_t malformed =
        counts.malformed + (guessed_lines.value_or(false) ? counts.guessed : 0);
    const bool all = malformed != 0 && malformed == counts.non_blank;
    return counts.not_robots_txt || counts.all_disallows_dead || all ||
           (malformed >= lines && malformed > share * counts.non_blank);
  }
};

}  // namespace robots

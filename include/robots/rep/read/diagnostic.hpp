#pragma once

#include <robots/base/enum_text.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

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

}  // namespace robots

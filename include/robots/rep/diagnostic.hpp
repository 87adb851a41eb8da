#pragma once

#include <cstdint>
#include <string_view>

namespace robots {

/// How much a finding matters.
enum class severity : std::uint8_t {
  note,     ///< no effect on any verdict
  warning,  ///< understood, though not as the protocol writes it
  error,    ///< the line, or part of the file, has no effect
};

/// The name of a severity, as its enumerator is spelled.
[[nodiscard]] constexpr std::string_view to_string(severity value) noexcept {
  switch (value) {
    case severity::note:
      return "note";
    case severity::warning:
      return "warning";
    case severity::error:
      return "error";
  }
  return "error";
}

/// What was found.
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
};

/// The name of a code, as its enumerator is spelled.
[[nodiscard]] constexpr std::string_view to_string(diagnostic_code code) noexcept {
  switch (code) {
    case diagnostic_code::malformed_line:
      return "malformed_line";
    case diagnostic_code::missing_colon:
      return "missing_colon";
    case diagnostic_code::misspelled_key:
      return "misspelled_key";
    case diagnostic_code::unknown_key:
      return "unknown_key";
    case diagnostic_code::rule_outside_group:
      return "rule_outside_group";
    case diagnostic_code::pattern_never_matches:
      return "pattern_never_matches";
    case diagnostic_code::empty_product_token:
      return "empty_product_token";
    case diagnostic_code::invalid_crawl_delay:
      return "invalid_crawl_delay";
    case diagnostic_code::repeated_crawl_delay:
      return "repeated_crawl_delay";
    case diagnostic_code::delay_only_group:
      return "delay_only_group";
    case diagnostic_code::nul_in_line:
      return "nul_in_line";
    case diagnostic_code::line_too_long:
      return "line_too_long";
    case diagnostic_code::file_too_long:
      return "file_too_long";
    case diagnostic_code::looks_like_html:
      return "looks_like_html";
    case diagnostic_code::duplicate_rule:
      return "duplicate_rule";
    case diagnostic_code::shadowed_rule:
      return "shadowed_rule";
    case diagnostic_code::redundant_rule:
      return "redundant_rule";
    case diagnostic_code::unmatchable_user_agent:
      return "unmatchable_user_agent";
    case diagnostic_code::relative_sitemap:
      return "relative_sitemap";
    case diagnostic_code::malformed_share:
      return "malformed_share";
  }
  return "malformed_line";
}

/// Something in a robots.txt text that its author should know.
struct diagnostic {
  std::uint32_t line = 0;                                  ///< 1-based
  std::uint32_t column = 0;                                ///< 1-based
  robots::severity severity = robots::severity::error;     ///< how much it matters
  diagnostic_code code = diagnostic_code::malformed_line;  ///< what it is, for programs
  std::string_view text{};                                 ///< what it is and how to mend it
};

/// The diagnostic that `code` stands for, at a place in the text.
[[nodiscard]] constexpr diagnostic make_diagnostic(diagnostic_code code, std::uint32_t line,
                                                   std::uint32_t column) noexcept {
  const auto with = [&](severity level, std::string_view text) {
    return diagnostic{
        .line = line, .column = column, .severity = level, .code = code, .text = text};
  };
  switch (code) {
    case diagnostic_code::malformed_line:
      return with(severity::error, "not a `key: value` line; it has no effect");
    case diagnostic_code::missing_colon:
      return with(severity::warning, "write a colon between key and value");
    case diagnostic_code::misspelled_key:
      return with(severity::warning, "misspelled key; crawlers may not understand it");
    case diagnostic_code::unknown_key:
      return with(severity::note, "unknown key; the line has no effect");
    case diagnostic_code::rule_outside_group:
      return with(severity::error, "the rule has no effect; put a User-agent line before it");
    case diagnostic_code::pattern_never_matches:
      return with(severity::error, "the pattern matches nothing; begin it with `/` or `*`");
    case diagnostic_code::empty_product_token:
      return with(severity::error, "names no crawler; write a product token or `*`");
    case diagnostic_code::invalid_crawl_delay:
      return with(severity::error, "the delay has no effect; write seconds, as in `2` or `0.5`");
    case diagnostic_code::repeated_crawl_delay:
      return with(severity::warning, "the group has a delay already; only the first one counts");
    case diagnostic_code::delay_only_group:
      return with(severity::warning,
                  "Crawl-delay does not end a group; the lines around it form one group");
    case diagnostic_code::nul_in_line:
      return with(severity::error, "NUL octet in the line; remove it, the line has no effect");
    case diagnostic_code::line_too_long:
      return with(severity::error, "the line is cut after 16,663 octets; shorten it");
    case diagnostic_code::file_too_long:
      return with(severity::error, "the file is longer than is read; what follows has no effect");
    case diagnostic_code::looks_like_html:
      return with(severity::error, "looks like HTML; serve robots.txt as plain text");
    case diagnostic_code::duplicate_rule:
      return with(severity::note, "the group has this rule already; remove one of the two");
    case diagnostic_code::shadowed_rule:
      return with(
          severity::warning,
          "never decides: an opposite rule with the same pattern wins; remove one of the two");
    case diagnostic_code::redundant_rule:
      return with(severity::note, "changes nothing: a shorter rule of the group says the same");
    case diagnostic_code::unmatchable_user_agent:
      return with(severity::error, "names no crawler; a product token holds no such characters");
    case diagnostic_code::relative_sitemap:
      return with(severity::warning, "write an absolute URL; crawlers may not resolve a path");
    case diagnostic_code::malformed_share:
      return with(severity::error,
                  "so many lines are no `key: value` that strict crawlers may obey none of them");
  }
  return with(severity::error, "unknown diagnostic");
}

}  // namespace robots

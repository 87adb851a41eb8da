#pragma once

#include <robots/base/url_head.hpp>
#include <robots/rep/document/document.hpp>
#include <robots/rep/extensions/content_signal.hpp>
#include <robots/rep/lint/detail/group_lint.hpp>
#include <robots/rep/read/detail/agent_matcher.hpp>
#include <robots/rep/read/diagnostic.hpp>
#include <robots/rep/read/directive.hpp>
#include <robots/rep/read/file_findings.hpp>
#include <robots/rep/read/product_token.hpp>

#include <algorithm>
#include <string_view>
#include <tuple>
#include <vector>

namespace robots {

namespace rep_detail {

/// Returns true if the value of a User-agent line can match no crawler. Returns false for an empty
/// value, for `*`, and for a name with other characters than the RFC allows, such as `360Spider`.
[[nodiscard]] constexpr bool is_unmatchable(std::string_view user_agent) noexcept {
  if (user_agent.empty() || is_product_token_char(user_agent.front()) ||
      agent_matcher{{}}.compare(user_agent) == agent_match::everyone) {
    return false;
  }
  const std::string_view named = user_agent.substr(0, user_agent.find_first_of(" \t\v\f/"));
  return named.empty() || named.front() == '*' || product_token(named) != named;
}

}  // namespace rep_detail

/// Returns all problems of a robots.txt, sorted by line. These are `document::diagnostics` and the
/// problems that only a comparison of lines shows.
///
/// Compares the rules of each group. Reports duplicates, rules that never decide because an
/// opposite rule has the same pattern, and rules that repeat a shorter rule. Takes O(n log n) time
/// for n rules in a group.
[[nodiscard]] constexpr std::vector<diagnostic> lint(const document& file,
                                                     const malformed_limit& limit = {}) {
  std::vector<diagnostic> findings{file.diagnostics().begin(), file.diagnostics().end()};
  const std::vector<directive> lines = file.directives();
  rep_detail::group_lint group{lines, file.options(), findings};
  for (const directive& line : lines) {
    if (line.starts_group) {
      group.finish();
    }
    group.add(line);
    if (line.kind == directive_kind::user_agent && rep_detail::is_unmatchable(line.value)) {
      findings.push_back(rep_detail::make_diagnostic(diagnostic_code::unmatchable_user_agent,
                                                     line.line, line.column));
    }
    if (line.kind == directive_kind::sitemap && base::scheme_prefix(line.value) == 0) {
      findings.push_back(
          rep_detail::make_diagnostic(diagnostic_code::relative_sitemap, line.line, line.column));
    }
    if (line.kind == directive_kind::content_signal &&
        !content_signal::parse(line.value).complete) {
      findings.push_back(rep_detail::make_diagnostic(diagnostic_code::unread_content_signal,
                                                     line.line, line.column));
    }
  }
  group.finish();
  if (limit.exceeded_by(file.lines())) {
    findings.push_back(rep_detail::make_diagnostic(diagnostic_code::malformed_share, 1, 1));
  }
  std::sort(findings.begin(), findings.end(), [](const diagnostic& a, const diagnostic& b) {
    return std::tie(a.line, a.column, a.code) < std::tie(b.line, b.column, b.code);
  });
  return findings;
}

/// Parses a robots.txt and lints the document.
[[nodiscard]] constexpr std::vector<diagnostic> lint(std::string_view text,
                                                     const parse_options& options = {},
                                                     const malformed_limit& limit = {}) {
  return lint(parse(text, options), limit);
}

}  // namespace robots

#pragma once

#include <robots/policy/policy.hpp>
#include <robots/policy/policy_basis.hpp>
#include <robots/rep/diff/change_report.hpp>
#include <robots/rep/diff/diff.hpp>
#include <robots/rep/read/directive.hpp>
#include <robots/rep/read/request_rate.hpp>
#include <robots/rep/read/visit_time.hpp>
#include <robots/rep/rules/compile.hpp>
#include <robots/rep/rules/explanation.hpp>
#include <robots/rep/rules/rule_set.hpp>
#include <robots/usage/usage_lines.hpp>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace robots {

namespace policy_detail {

/// Returns the delays, rates, hours, sitemaps and host of a policy as lines, and what it says about
/// use.
[[nodiscard]] inline std::vector<detail::stated_line> stated_lines(const policy& from) {
  std::vector<detail::stated_line> lines =
      detail::stated_delays(from.crawl_delay(), from.file_delay());
  for (const request_rate& rate : from.request_rates()) {
    lines.push_back({directive_kind::request_rate, detail::value_of(rate)});
  }
  for (const visit_time& hours : from.visit_times()) {
    lines.push_back({directive_kind::visit_time, detail::value_of(hours)});
  }
  for (const std::string_view sitemap : from.sitemaps()) {
    lines.push_back({directive_kind::sitemap, std::string{sitemap}});
  }
  if (!from.host().empty()) {
    lines.push_back({directive_kind::host, from.host()});
  }
  for (const usage_lines::line& line : from.usage().lines) {
    lines.push_back({line.kind, line.value});
  }
  for (const usage_lines::token_rules& token : from.usage().tokens) {
    for (const listed_rule& rule : token.rules.list()) {
      const bool allows = rule.kind == rule_kind::allow;
      lines.push_back({allows ? directive_kind::allow : directive_kind::disallow,
                       std::string{rule.pattern}.append(", for ").append(token.token)});
    }
  }
  return lines;
}

[[nodiscard]] inline bool denies_for_want_of_rules(const policy& judged) noexcept {
  return judged.basis() == policy_basis::deny_all || judged.basis() == policy_basis::refused;
}

}  // namespace policy_detail

/// Compares the rules, delays, rates, hours, sitemaps, hosts and statements about use of two
/// policies. A policy that has no rules and denies everything is compared as `Disallow: /`.
[[nodiscard]] inline change_report diff(const policy& before, const policy& after) {
  const rule_set deny_all = compile("User-agent: *\nDisallow: /\n", "*");
  const auto rules_of = [&](const policy& from) -> const rule_set& {
    return policy_detail::denies_for_want_of_rules(from) ? deny_all : from.rules();
  };
  return detail::diff(rules_of(before), policy_detail::stated_lines(before), rules_of(after),
                      policy_detail::stated_lines(after));
}

}  // namespace robots

namespace robots::detail {

/// Returns true if a policy denies the crawler everything. The rules `Allow: /$` and `Allow:
/// /robots.txt` do not change the result. Costs up to four `diff`s.
[[nodiscard]] inline bool denies_everything(const policy& judged) {
  if (judged.basis() == policy_basis::allow_all || judged.allows("/index.html") ||
      judged.allows("/a/b")) {
    return false;
  }
  if (policy_detail::denies_for_want_of_rules(judged)) {
    return true;
  }
  const std::string deny = "User-agent: *\nDisallow: /\n";
  const std::string file = "Allow: /robots.txt\n";
  const auto equivalents = {deny, deny + file, deny + "Allow: /$\n", deny + "Allow: /$\n" + file};
  return std::any_of(equivalents.begin(), equivalents.end(), [&](const std::string& text) {
    return detail::diff(judged.rules(), {}, compile(text, "*"), {}).same();
  });
}

}  // namespace robots::detail

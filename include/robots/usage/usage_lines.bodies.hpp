#pragma once

#include <robots/base/config.hpp>
#include <robots/base/hash.hpp>
#include <robots/rep/extensions/license_line.hpp>
#include <robots/rep/rules/compile.hpp>
#include <robots/rep/rules/explanation.hpp>
#include <robots/usage/usage_lines.hpp>

#include <utility>

namespace robots {

namespace usage_detail {

/// Returns true for a kind of line that `usage_lines` keeps.
[[nodiscard]] ROBOTS_INLINE bool is_about_use(directive_kind kind) noexcept {
  using enum directive_kind;
  return kind == content_signal || kind == content_usage || kind == license;
}

/// Keeps the lines of the crawler's groups, and then `licenses`, the lines that stand in for the
/// licences of its groups.
ROBOTS_INLINE void keep_lines(usage_lines& to, std::span<const directive> own,
                              std::span<const license_line> licenses) {
  for (const directive& line : own) {
    if (is_about_use(line.kind) && line.kind != directive_kind::license) {
      to.lines.push_back({line.kind, line.line, std::string{line.value}});
    }
  }
  for (const license_line& license : licenses) {
    to.lines.push_back({directive_kind::license, license.line, std::string{license.url}});
  }
}

/// Keeps `rules` if a group names the token. The group of `*` does not answer for a token.
ROBOTS_INLINE void keep_token(usage_lines& to, const policy_token& token, rule_set&& rules) {
  if (rules.explain("/").group == group_choice::own) {
    to.tokens.push_back({std::string{token.token}, token.purpose, std::move(rules)});
  }
}

[[nodiscard]] ROBOTS_INLINE std::string agent_of(const rule_set& rules) {
  return std::string{rules.user_agent().empty() ? "*" : rules.user_agent()};
}

}  // namespace usage_detail

ROBOTS_INLINE std::size_t usage_lines::memory_bytes() const noexcept {
  std::size_t all =
      agent.capacity() + lines.capacity() * sizeof(line) + tokens.capacity() * sizeof(token_rules);
  for (const line& one : lines) {
    all += one.value.capacity();
  }
  for (const token_rules& one : tokens) {
    all += one.token.capacity() + one.rules.memory_bytes() - sizeof(one.rules);
  }
  return all;
}

ROBOTS_INLINE std::uint64_t usage_lines::fingerprint() const {
  std::uint64_t all = lines.size();
  for (const line& one : lines) {
    all = base::combined(all, static_cast<std::uint64_t>(one.kind));
    all = base::combined(all, base::fingerprint(one.value));
  }
  for (const token_rules& one : tokens) {
    all = base::combined(all, base::fingerprint(one.token));
    all = base::combined(all, static_cast<std::uint64_t>(one.purpose));
    all = base::combined(all, one.rules.fingerprint());
  }
  return all;
}

ROBOTS_INLINE usage_lines usage_lines_of(const document& file, const rule_set& rules,
                                         std::span<const policy_token> policy_tokens) {
  usage_lines found{.agent = usage_detail::agent_of(rules)};
  usage_detail::keep_lines(found, file.directives_for(found.agent),
                           licenses_for(file, found.agent));
  for (const policy_token& token : policy_tokens) {
    usage_detail::keep_token(found, token, file.rules_for(token.token));
  }
  return found;
}

ROBOTS_INLINE usage_lines usage_lines_of(std::string_view text, const crawler_directives& own,
                                         std::span<const policy_token> policy_tokens,
                                         const parse_options& options) {
  usage_lines found;
  if (!own.extensions.empty() || !own.file_licenses.empty()) {
    std::vector<license_line> licenses = read_lines<license_line>(own.extensions);
    if (licenses.empty()) {
      licenses = read_lines<license_line>(own.file_licenses);
    }
    usage_detail::keep_lines(found, own.extensions, licenses);
  }
  for (const policy_token& token : policy_tokens) {
    usage_detail::keep_token(found, token, compile(text, token.token, options));
  }
  if (!found.empty()) {
    found.agent = usage_detail::agent_of(own.rules);
  }
  return found;
}

}  // namespace robots

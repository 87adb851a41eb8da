#pragma once

#include <robots/base/ascii.hpp>
#include <robots/base/scheme.hpp>
#include <robots/base/structured_field.hpp>
#include <robots/rep/document/document.hpp>
#include <robots/rep/extensions/content_signal.hpp>
#include <robots/rep/extensions/content_usage.hpp>
#include <robots/rep/read/detail/dialect_traits.hpp>
#include <robots/rep/read/detail/invisible.hpp>
#include <robots/rep/read/diagnostic.hpp>
#include <robots/rep/read/directive.hpp>
#include <robots/rep/read/malformed_limit.hpp>
#include <robots/rep/read/parse_options.hpp>
#include <robots/rep/read/product_token.hpp>
#include <robots/rep/rules/detail/match.hpp>
#include <robots/rep/rules/verdict.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <tuple>
#include <vector>

namespace robots::rep_detail {

/// Finds rules that other rules of the same file make useless.
class rule_lint {
 public:
  constexpr rule_lint(const std::vector<directive>& file, const parse_options& options,
                      std::vector<diagnostic>& findings)
      : options_(options), findings_(findings) {
    std::size_t octets = 0;
    for (const directive& line : file) {
      octets += 3 * line.value.size() + 1;  // the maximum size of the compiled line
    }
    text_.reserve(octets);
    std::uint32_t group = 0;
    for (const directive& line : file) {
      group += line.starts_group ? 1 : 0;
      if (is_rule(line.kind)) {
        add(line, group);
      }
    }
    std::sort(specificities_[0].begin(), specificities_[0].end());
    std::sort(specificities_[1].begin(), specificities_[1].end());
    std::sort(rules_.begin(), rules_.end(), [](const entry& a, const entry& b) {
      return std::tie(a.group, a.pattern, a.line) < std::tie(b.group, b.pattern, b.line);
    });
  }

  /// If rules of a group have the same pattern, reports all except the deciding rule.
  constexpr void report_same_patterns() {
    for (auto first = rules_.begin(); first != rules_.end();) {
      const auto end = std::find_if(first, rules_.end(), [&](const entry& rule) {
        return rule.group != first->group || rule.pattern != first->pattern;
      });
      const auto winner = std::max_element(
          first, end, [this](const entry& a, const entry& b) { return rank(a) < rank(b); });
      for (; first != end; ++first) {
        if (first != winner) {
          report(*first, first->kind == winner->kind ? diagnostic_code::duplicate_rule
                                                     : diagnostic_code::shadowed_rule);
        }
      }
    }
  }

  /// Reports each rule that a shorter rule of the same kind makes redundant. The report needs two
  /// conditions. The shorter pattern must be a prefix of the longer pattern. No rule of the other
  /// kind may have a specificity between those of the two patterns (inclusive).
  constexpr void report_redundant() {
    std::vector<std::size_t> prefixes;  // rules whose pattern begins the current pattern
    for (std::size_t i = 0; i < rules_.size(); ++i) {
      entry& rule = rules_[i];
      const auto begins = [&rule](const entry& shorter) {
        return shorter.group == rule.group && rule.pattern.text.starts_with(shorter.pattern.text);
      };
      while (!prefixes.empty() && !begins(rules_[prefixes.back()])) {
        prefixes.pop_back();
      }
      if (!prefixes.empty() && covers(rules_[prefixes.back()], rule)) {
        report(rule, diagnostic_code::redundant_rule);
      }
      if (!rule.pattern.anchored && !rule.reported) {
        prefixes.push_back(i);
      }
    }
  }

 private:
  struct entry {
    std::uint32_t group = 0;
    compiled_pattern pattern{};
    std::uint32_t specificity = 0;
    rule_kind kind = rule_kind::allow;
    std::uint32_t line = 0;
    std::uint32_t column = 0;
    bool reported = false;
  };

  constexpr void add(const directive& line, std::uint32_t group) {
    const dialect_traits& traits = traits_of(options_.dialect);
    const rule_kind kind = rule_kind_of(line.kind);
    const std::size_t offset = text_.size();
    std::size_t patterns = 0;
    entry rule{.group = group, .kind = kind, .line = line.line, .column = line.column};
    for_each_pattern(kind, line.value, options_, traits, [&](const pattern_source& source) {
      specificities_[kind == rule_kind::allow ? 0 : 1].push_back(
          specificity(source, *traits.rule_form));
      if (++patterns == 1) {
        write_compiled(source, *traits.rule_form, [this](char c) { text_.push_back(c); });
        rule.pattern =
            rep_detail::finish({text_.data() + offset, text_.size() - offset}, source.anchored);
        rule.specificity = specificity(source, *traits.rule_form);
      }
    });
    // A line with two patterns (see `for_each_pattern`) is not reported, since the second pattern
    // may be necessary.
    rule.reported = patterns > 1;
    if (line.in_group && patterns != 0) {
      rules_.push_back(rule);
    }
  }

  [[nodiscard]] constexpr rule_rank rank(const entry& of) const noexcept {
    return rank_of(of.specificity, of.kind, of.line, options_.tie);
  }

  constexpr void report(entry& about, diagnostic_code code) {
    if (about.reported) {
      return;
    }
    about.reported = true;
    findings_.push_back(make_diagnostic(code, about.line, about.column));
  }

  [[nodiscard]] constexpr bool covers(const entry& shorter, const entry& longer) const noexcept {
    if (shorter.kind != longer.kind) {
      return false;
    }
    const auto& opposite = specificities_[longer.kind == rule_kind::allow ? 1 : 0];
    const auto between = std::lower_bound(opposite.begin(), opposite.end(), shorter.specificity);
    return between == opposite.end() || *between > longer.specificity;
  }

  const parse_options& options_;
  std::vector<diagnostic>& findings_;
  // The sorted specificities of all Allow patterns, and of all Disallow patterns. Both lists cover
  // the whole file, since several groups can apply to one crawler.
  std::array<std::vector<std::uint32_t>, 2> specificities_;
  std::vector<char> text_;  // the compiled patterns; reserved, so that they never move
  std::vector<entry> rules_;
};

/// Returns true for a User-agent value that is not empty, but matches no crawler. A name such as
/// `360Spider` can match, although RFC 9309 allows no digits.
[[nodiscard]] constexpr bool is_unmatchable(std::string_view user_agent) noexcept {
  if (user_agent.empty() || is_product_token_char(user_agent.front()) ||
      agent_matcher{}.compare(user_agent) == agent_match::everyone) {
    return false;
  }
  const std::string_view named = user_agent.substr(0, user_agent.find_first_of(" \t\v\f/"));
  return named.empty() || named.front() == '*' || product_token(named) != named;
}

/// Returns the mistake in the name of a User-agent line, if there is one.
[[nodiscard]] constexpr std::optional<diagnostic_code> mistake_in_name(
    std::string_view name) noexcept {
  for (const std::string_view quote : {"\"", "'", "\xE2\x80\x9C", "\xE2\x80\x98"}) {
    if (name.starts_with(quote)) {
      return diagnostic_code::quoted_name;
    }
  }
  for (std::size_t blank = name.find(' '); blank != std::string_view::npos;
       blank = name.find(' ', blank + 1)) {
    const std::string_view rest = name.substr(blank + 1);
    if (base::starts_with_ignoring_case(rest, "disallow:") ||
        base::starts_with_ignoring_case(rest, "allow:")) {
      return diagnostic_code::rule_in_agent_line;
    }
  }
  const std::size_t separator = name.find_first_of(",;|");
  if (separator != std::string_view::npos && is_product_token_char(name.front())) {
    const std::string_view second = base::trim(name.substr(separator + 1), base::is_blank);
    if (!second.empty() && (is_product_token_char(second.front()) || second == "*")) {
      return diagnostic_code::several_names_in_line;
    }
  }
  return is_unmatchable(name) ? std::optional{diagnostic_code::unmatchable_user_agent}
                              : std::nullopt;
}

/// Returns true for a pattern with a sign of a regular expression that no path has.
[[nodiscard]] constexpr bool looks_like_regular_expression(std::string_view pattern) noexcept {
  for (const std::string_view sign : {"/.*", ".+", "\\.", "\\/", "\\d", "[a-z", "[A-Z", "[0-9"}) {
    if (pattern.find(sign) != std::string_view::npos) {
      return true;
    }
  }
  const std::size_t open = pattern.find('(');
  const std::size_t either = pattern.find('|', (std::min)(open, pattern.size()));
  return pattern.starts_with('^') ||
         (either != std::string_view::npos && pattern.find(')', either) != std::string_view::npos);
}

}  // namespace robots::rep_detail

namespace robots {

/// Returns all problems of a robots.txt, sorted by line. Besides `document::diagnostics`, reports
/// mistakes such as duplicates and rules that never decide. Takes O(n log n) time for n rules.
[[nodiscard]] constexpr std::vector<diagnostic> lint(const document& file,
                                                     const malformed_limit& limit = {}) {
  std::vector<diagnostic> findings{file.diagnostics().begin(), file.diagnostics().end()};
  const std::vector<directive> lines = file.directives();
  rep_detail::rule_lint rules{lines, file.options(), findings};
  rules.report_same_patterns();
  rules.report_redundant();
  for (const directive& line : lines) {
    const auto report = [&](directive_kind kind, bool is_mistake, diagnostic_code code) {
      if (line.kind == kind && is_mistake) {
        findings.push_back(rep_detail::make_diagnostic(code, line.line, line.column));
      }
    };
    const std::optional<diagnostic_code> mistake = rep_detail::mistake_in_name(line.value);
    report(directive_kind::user_agent, mistake.has_value(),
           mistake.value_or(diagnostic_code::unmatchable_user_agent));
    if (rep_detail::is_rule(line.kind)) {
      report(line.kind, rep_detail::looks_like_regular_expression(line.value),
             diagnostic_code::regular_expression);
    }
    report(directive_kind::unknown, base::equal_ignoring_case(line.key, "content-signals"),
           diagnostic_code::misspelled_key);
    report(directive_kind::sitemap, line.value.empty(), diagnostic_code::empty_sitemap);
    report(directive_kind::sitemap, !line.value.empty() && base::scheme_prefix(line.value) == 0,
           diagnostic_code::relative_sitemap);
    if (const auto found = rep_detail::find_invisible(line.value); found.size != 0) {
      findings.push_back(
          rep_detail::make_diagnostic(diagnostic_code::invisible_character, line.line,
                                      line.column + static_cast<std::uint32_t>(found.at)));
      findings.back().text = found.text;
    }
    report(directive_kind::content_signal, !content_signal::parse(line.value).complete,
           diagnostic_code::unread_content_signal);
    report(directive_kind::content_usage, rep_detail::is_unread_usage(line.value),
           diagnostic_code::unread_content_usage);
    report(directive_kind::license, base::scheme_prefix(line.value) == 0,
           diagnostic_code::relative_license);
    report(directive_kind::content_signal, !line.in_group, diagnostic_code::usage_outside_group);
    report(directive_kind::content_usage, !line.in_group, diagnostic_code::usage_outside_group);
  }
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

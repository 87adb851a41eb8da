#include "fuzz/bodies.hpp"
#include "fuzz/input.hpp"
#include "rep/reference_matcher.hpp"
#include <robots/rep/document/document.hpp>
#include <robots/rep/read/product_token.hpp>
#include <robots/rep/rules/compile.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace {

using fuzz::require;

struct question {
  std::string user_agent;
  std::string target;
};

/// A copy of a verdict, which outlives the text of the file.
struct answer {
  bool allowed;
  std::optional<robots::rule_kind> directive;
  std::optional<std::string> pattern;
  std::string user_agent;
  std::uint32_t line;
  std::optional<std::chrono::milliseconds> delay;

  friend bool operator==(const answer&, const answer&) = default;
};

answer make_answer(const robots::verdict& verdict, std::optional<std::chrono::milliseconds> delay) {
  return {.allowed = verdict.allowed,
          .directive = verdict.directive,
          .pattern = verdict.pattern ? std::optional<std::string>{*verdict.pattern} : std::nullopt,
          .user_agent = std::string{verdict.user_agent},
          .line = verdict.line,
          .delay = delay};
}

answer ask(std::string_view text, const question& about, const robots::parse_options& options) {
  const robots::rule_set rules = robots::compile(text, about.user_agent, options);
  return make_answer(rules.match(about.target), rules.crawl_delay());
}

/// Returns the size of the byte order marks that a reader skips.
std::size_t mark_length(std::string_view text, robots::dialect dialect) {
  constexpr std::string_view mark = "\xEF\xBB\xBF";
  std::size_t same = 0;
  while (same < mark.size() && same < text.size() && text[same] == mark[same]) {
    ++same;
  }
  if (dialect == robots::dialect::google) {
    return same;
  }
  const bool is_cut = same == text.size() || static_cast<unsigned char>(text[same]) < 0x80;
  return same == mark.size() ? same + mark_length(text.substr(same), dialect) : is_cut ? same : 0;
}

/// Splits a text at CR, LF and CR LF.
std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines(1);
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\n' || text[i] == '\r') {
      i += text[i] == '\r' && i + 1 < text.size() && text[i + 1] == '\n' ? 1 : 0;
      lines.emplace_back();
    } else {
      lines.back() += text[i];
    }
  }
  return lines;
}

template <class Change>
std::string joined(const std::vector<std::string>& lines, std::string_view end, Change change) {
  std::string text;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    text += i > 0 ? end : std::string_view{};
    text += change(lines[i]);
  }
  return text;
}

/// Changes the case of a line's key: the text before the colon, or the first word without one.
std::string with_other_case(std::string line) {
  const std::size_t end = std::min(line.find_first_of(std::string_view{"#\0", 2}), line.size());
  const std::size_t colon = line.substr(0, end).find(':');
  bool seen = false;
  for (std::size_t i = 0; i < std::min(colon, end); ++i) {
    char& c = line[i];
    if (colon == std::string::npos && seen && (c == ' ' || c == '\t')) {
      break;
    }
    seen = seen || !robots::base::is_blank(c);
    c = robots::base::is_alpha(c) ? static_cast<char>(c ^ 0x20) : c;
  }
  return line;
}

void check_compile(std::string_view text, const question& about,
                   const robots::parse_options& options) {
  const answer compiled = ask(text, about, options);
  const robots::document document = robots::parse(text, options);
  const robots::rule_set rules = document.rules_for(about.user_agent);
  require(make_answer(rules.match(about.target), rules.crawl_delay()) == compiled,
          "parse and rules_for give the same answer as compile");
  require(rules.size() == robots::compile(text, about.user_agent, options).size(),
          "parse and rules_for find as many rules as compile");
  require(make_answer(document.match(about.target, about.user_agent),
                      document.crawl_delay(about.user_agent)) == compiled,
          "a document and its rules give the same answer");
  require(document.allows(about.target, about.user_agent) == compiled.allowed &&
              rules.allows(about.target) == compiled.allowed,
          "allows and match give the same answer");
}

void check_writing(const std::string& text, const question& about,
                   const robots::parse_options& options) {
  const answer expected = ask(text, about, options);
  const std::vector<std::string> lines = lines_of(text);
  const auto same = [](const std::string& line) { return line; };
  for (const std::string_view end : {"\n", "\r", "\r\n"}) {
    require(ask(joined(lines, end, same), about, options) == expected,
            "the kind of line end changes nothing");
  }
  require(ask(joined(lines, "\n", with_other_case), about, options) == expected,
          "the case of a key changes nothing");
  for (const std::string_view tail : {" \t", "#", " # Allow: /"}) {
    const auto with_tail = [tail](const std::string& line) { return line + std::string{tail}; };
    require(ask(joined(lines, "\n", with_tail), about, options) == expected,
            "blanks and a comment after a line change nothing");
  }
  answer moved = expected;
  moved.line = expected.line == 0 ? 0 : 2 * expected.line - 1;
  for (const std::string_view end : {"\n\n", "\n# Disallow: /\n", "\r\n \t\r\n", "\r\r"}) {
    require(ask(joined(lines, end, same), about, options) == moved,
            "empty lines and comment lines change nothing");
  }
}

void check_unrelated_group(const std::string& text, const question& about,
                           const robots::parse_options& options) {
  constexpr std::string_view other = "User-agent: someone-else\nDisallow: /\nCrawl-delay: 7\n";
  if (reference::token_of(about.user_agent) == "someone-else") {
    return;
  }
  answer expected = ask(text, about, options);
  // The empty rule ends a list of User-agent lines that the other group would join.
  require(ask(text + "\nAllow:\n" + std::string{other}, about, options) == expected,
          "an unrelated group at the end changes nothing");
  const std::size_t mark = mark_length(text, options.dialect);
  expected.line += expected.line == 0 ? 0 : 3;
  require(ask(std::string{other} + text.substr(mark), about, options) == expected,
          "an unrelated group at the start changes nothing");
}

reference::line_kind kind_of(const robots::directive& line) {
  switch (line.kind) {
    case robots::directive_kind::user_agent:
      return reference::line_kind::user_agent;
    case robots::directive_kind::allow:
      return reference::line_kind::allow;
    case robots::directive_kind::disallow:
      return reference::line_kind::disallow;
    default:
      return reference::line_kind::other;
  }
}

/// Returns true if a malformed line is between the lines `above` and `below`. Such a line is not a
/// directive. But a malformed rule still ends a list of User-agent lines.
bool is_broken_between(const robots::document& file, std::uint32_t above, std::uint32_t below) {
  return std::ranges::any_of(file.diagnostics(), [=](const robots::diagnostic& finding) {
    return finding.severity == robots::severity::error && above < finding.line &&
           finding.line < below;
  });
}

void check_reference(const std::string& text, const question& about, robots::dialect dialect) {
  const robots::parse_options options{.dialect = dialect};
  std::vector<reference::line> lines;
  std::uint32_t last_agent = 0;
  const robots::document document = robots::parse(text, options);
  for (const robots::directive& line : document.directives()) {
    if (line.starts_group && last_agent > 0 && is_broken_between(document, last_agent, line.line)) {
      lines.push_back({reference::line_kind::allow, "", line.line});
    }
    last_agent = line.kind == robots::directive_kind::user_agent ? line.line : last_agent;
    lines.push_back({kind_of(line), std::string{line.value}, line.line});
  }
  const auto mode =
      dialect == robots::dialect::google ? reference::reading::google : reference::reading::rfc9309;
  const std::string_view path = std::string_view{about.target}.substr(0, about.target.find('#'));
  const reference::answer expected = reference::decide(lines, about.user_agent, path, mode);
  const answer actual = ask(text, about, options);
  require(actual.allowed == expected.allowed, "the reference gives the same permission");
  require(actual.line == (expected.rule ? expected.rule->number : 0),
          "the reference decides by the same line");
  require(actual.pattern == (expected.rule ? std::optional{expected.rule->value} : std::nullopt),
          "the reference decides by the same pattern");
  const std::string token = reference::token_of(about.user_agent);
  const bool names_nobody = expected.falls_back && !reference::is_exempt(path, mode);
  require(reference::lower(actual.user_agent) == (names_nobody || token.empty() ? "*" : token),
          "the reference applies rules for the same crawler");
}

}  // namespace

void fuzz::fuzz_properties(octets input) {
  reader in{input};
  robots::parse_options options = options_of(in.octet() & 15U);
  const std::string header = in.line();
  const std::string user_agent =
      reference::is_one_product(header) ? header : std::string{robots::product_token(header)};
  const question about{.user_agent = user_agent, .target = std::string{"/"}.append(in.line())};
  const std::string text = in.rest();
  for (const robots::dialect dialect : dialects) {
    options.dialect = dialect;
    check_compile(text, about, options);
    check_writing(text, about, options);
    check_unrelated_group(text, about, options);
    if (!about.target.starts_with("//")) {  // google/robotstxt reads `//x` as a host
      check_reference(text, about, dialect);
    }
  }
}

#include <robots/rep/rules/pattern.hpp>

#include "fuzz/bodies.hpp"
#include "fuzz/input.hpp"
#include "rep/reference_matcher.hpp"
#include <robots/rep/rules/compile.hpp>

#include <string>
#include <string_view>

namespace {

using fuzz::require;

reference::reading reading_of(robots::dialect dialect) {
  return dialect == robots::dialect::google ? reference::reading::google
                                            : reference::reading::rfc9309;
}

/// Returns true if a line may take another value than `text`: it skips blanks around its value, and
/// rfc9309 skips invisible characters, too.
bool may_lose_ends(std::string_view text) {
  const auto is_skipped = [](char c) {
    return robots::base::is_blank(c) || static_cast<unsigned char>(c) >= 0x80;
  };
  return is_skipped(text.front()) || is_skipped(text.back());
}

/// Returns a target without its fragment.
std::string_view path_of(std::string_view target) { return target.substr(0, target.find('#')); }

}  // namespace

void fuzz::fuzz_pattern(octets input) {
  reader in{input};
  const std::string text = in.line();
  const std::string target = std::string{"/"}.append(inflated(in.rest(), 1'000));
  if (target.starts_with("//")) {
    return;  // google/robotstxt reads `//x` as a host
  }
  for (const robots::dialect dialect : dialects) {
    const reference::reading mode = reading_of(dialect);
    const robots::pattern pattern{text, dialect};
    require(pattern.specificity() == reference::specificity(text, mode),
            "specificity is the length of the normal form");
    const bool matched = pattern.matches(target);
    require(matched == reference::matches(text, path_of(target), mode),
            "a pattern matches the same targets as the reference");
    require(matched == robots::pattern{text, dialect}.matches(target + "#fragment"),
            "a fragment changes nothing");
    if (text.find_first_of("#\r") != std::string::npos || text.find('\0') != std::string::npos ||
        text.empty() || may_lose_ends(text)) {
      continue;
    }
    const robots::rule_set rules =
        robots::compile("User-agent: *\nDisallow: " + text, "*", {.dialect = dialect});
    const robots::verdict verdict = rules.match(target);
    require(verdict.exempt == reference::is_exempt(path_of(target), mode),
            "a robots.txt is exempt from all rules, as in the reference");
    require(verdict.exempt || verdict.allowed != matched, "a rule and its pattern match the same");
  }
}

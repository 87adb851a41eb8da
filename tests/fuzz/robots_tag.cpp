#include "fuzz/bodies.hpp"
#include "fuzz/input.hpp"
#include <robots/usage/page_rule.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace {

using fuzz::require;
using robots::page_rule;
using robots::page_rule_kind;

/// Returns true if a List failed as a whole.
bool has_failed(const std::vector<page_rule>& rules) {
  return rules.size() == 1 && rules[0].problem == "not a List of RFC 9651";
}

/// Returns true if the rules for everyone forbid to index the page.
bool forbids_index(const std::vector<page_rule>& rules) {
  for (const page_rule& rule : rules) {
    if (rule.kind == page_rule_kind::noindex && rule.addressee.empty() && rule.problem.empty()) {
      return true;
    }
  }
  return false;
}

}  // namespace

void fuzz::fuzz_robots_tag(octets input) {
  reader in{input};
  const std::string text = in.rest();
  const std::vector<page_rule> rules = robots::parse_robots_tag(text);
  for (const page_rule& rule : rules) {
    require(lies_in(rule.addressee, text) && lies_in(rule.name, text) && lies_in(rule.value, text),
            "each part of a rule is a part of the List");
    require(rule.kind != page_rule_kind::unknown || !rule.problem.empty(),
            "an unknown rule of a List states nothing");
  }
  const std::size_t first = text.find_first_not_of(' ');
  if (first == std::string::npos) {
    require(rules.empty(), "a List without members has no rules");
    return;
  }
  if (text[first] == '\t') {  // a tab may stand between members only
    require(has_failed(rules), "no tab stands in front of a List");
    return;
  }
  const std::string behind = "*;noindex, " + text;
  const std::vector<page_rule> later = robots::parse_robots_tag(behind);
  require(has_failed(later) == has_failed(rules) && forbids_index(later) != has_failed(rules),
          "one bad member spoils a List, and no good member does");
  const std::string before = text + ", *;noindex=?0;noindex";
  const std::vector<page_rule> earlier = robots::parse_robots_tag(before);
  require(has_failed(earlier) == has_failed(rules) && forbids_index(earlier) != has_failed(rules),
          "the last value of a repeated rule counts");
  require(has_failed(robots::parse_robots_tag(text + ",")), "a comma at the end spoils a List");
}

#include <robots/usage/page_rules.hpp>

#include "fuzz/bodies.hpp"
#include "fuzz/input.hpp"
#include <robots/usage/page_rule.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace {

using fuzz::require;
using robots::page_rule;
using robots::page_rule_kind;
using robots::page_rules;

void check_rule(const page_rule& rule, std::string_view text) {
  require(fuzz::lies_in(rule.addressee, text) && fuzz::lies_in(rule.name, text) &&
              fuzz::lies_in(rule.value, text),
          "each part of a page rule is a part of the text");
  const bool is_limit =
      rule.kind == page_rule_kind::max_snippet || rule.kind == page_rule_kind::max_video_preview;
  require(!rule.number || (is_limit && *rule.number >= -1), "only limits have a number");
  require(!rule.preview || rule.kind == page_rule_kind::max_image_preview,
          "only max-image-preview has a size of images");
  require(!rule.time || rule.kind == page_rule_kind::unavailable_after,
          "only unavailable_after has a time");
  require(rule.kind != page_rule_kind::unknown || !rule.problem.empty(),
          "an unknown rule states nothing");
}

bool is_same_rule(const page_rule& first, const page_rule& second) {
  return first.kind == second.kind && first.addressee == second.addressee &&
         first.name == second.name && first.value == second.value &&
         first.number == second.number && first.preview == second.preview &&
         first.time == second.time && first.problem == second.problem;
}

/// Checks that a rule in front of a text changes no rule of the text, and that one behind the text
/// is read, too.
void check_neighbours(std::string_view text, std::vector<page_rule> (*parse)(std::string_view)) {
  const std::vector<page_rule> alone = parse(text);
  for (const page_rule& rule : alone) {
    check_rule(rule, text);
  }
  const std::string behind = "noindex, " + std::string{text};
  const std::vector<page_rule> later = parse(behind);
  require(later.size() == alone.size() + 1 && later[0].kind == page_rule_kind::noindex &&
              std::equal(alone.begin(), alone.end(), later.begin() + 1, is_same_rule),
          "a rule in front changes no other rule");
  const std::string before = std::string{text} + ", noindex";
  const std::vector<page_rule> earlier = parse(before);
  require(!earlier.empty() && earlier.back().kind == page_rule_kind::noindex,
          "no text hides the rule behind it");
}

/// Returns true if `second` permits nothing that `first` forbids.
bool is_as_strict(const page_rules& first, const page_rules& second) {
  const auto is_lower = [](const std::optional<int>& more, const std::optional<int>& less) {
    return !more || *more == -1 || (less && *less != -1 && *less <= *more);
  };
  return second.index <= first.index && second.follow <= first.follow &&
         second.archive <= first.archive && second.snippet <= first.snippet &&
         second.translate <= first.translate && second.image_index <= first.image_index &&
         is_lower(first.max_snippet, second.max_snippet) &&
         is_lower(first.max_video_preview, second.max_video_preview) &&
         (!first.max_image_preview ||
          (second.max_image_preview && *second.max_image_preview <= *first.max_image_preview)) &&
         (!first.unavailable_after ||
          (second.unavailable_after && *second.unavailable_after <= *first.unavailable_after));
}

}  // namespace

void fuzz::fuzz_page_rules(octets input) {
  reader in{input};
  const std::string header = in.line();
  const std::string name = in.line();
  const std::string content = in.rest();

  check_neighbours(header, robots::parse_x_robots_tag);
  check_neighbours(content, robots::parse_robots_meta);
  for (const page_rule& rule : robots::parse_robots_meta(content)) {
    require(rule.addressee.empty(), "the name of a meta element is the only addressee");
  }

  const std::array headers{robots::http_header{"X-Robots-Tag", header},
                           robots::http_header{"x-robots-tag", content}};
  const std::array meta{robots::meta_element{name, content}};
  const page_rules one = robots::read_page_rules({headers.data(), 1}, {}, "FooBot");
  require(is_as_strict(one, robots::read_page_rules({headers.data(), 1}, meta, "FooBot")) &&
              is_as_strict(one, robots::read_page_rules(headers, {}, "FooBot")),
          "a further header or element loosens no rule");
  require(is_as_strict(robots::read_page_rules(headers, meta, "*"),
                       robots::read_page_rules(headers, meta, "FooBot")),
          "a rule for everyone is for a crawler with a name, too");
}

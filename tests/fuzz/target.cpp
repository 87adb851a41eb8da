#include "fuzz/bodies.hpp"
#include "fuzz/input.hpp"
#include "rep/reference_matcher.hpp"
#include <robots/rep/rules/detail/match.hpp>
#include <robots/rep/rules/pattern.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

namespace {

using fuzz::require;
using robots::rep_detail::normal_form;
constexpr auto npos = std::string_view::npos;

std::string written(std::string_view text, const normal_form& form) {
  std::string result;
  robots::rep_detail::write_normal(text, form, [&](char c) { result += c; });
  return result;
}

/// Returns the form of a target that is compared with rules.
std::string compared(std::string_view target, robots::dialect dialect) {
  return robots::rep_detail::with_normal_target(
      target, robots::rep_detail::traits_of(dialect),
      [](std::string_view text) { return std::string{text}; });
}

/// Returns true if `text` has a `%` that begins no escape. The octets that are decoded after it can
/// turn it into an escape.
bool has_stray_percent(std::string_view text) {
  const auto is_hex = [&](std::size_t position) {
    return position < text.size() && robots::base::hex_value(text[position]) >= 0;
  };
  for (std::size_t position = text.find('%'); position < text.size();
       position = text.find('%', position + 1)) {
    if (!is_hex(position + 1) || !is_hex(position + 2)) {
      return true;
    }
  }
  return false;
}

void check_form(std::string_view text, const normal_form& form) {
  const std::string once = written(text, form);
  require(has_stray_percent(text) || written(once, form) == once,
          "the normal form does not change when it is normalised again");
  for (std::size_t cut = 0; cut < text.size(); cut += 1 + text.size() / 16) {
    const std::string_view before = text.substr(0, cut);
    if (before.substr(before.size() - std::min<std::size_t>(before.size(), 2)).find('%') == npos) {
      require(written(before, form) + written(text.substr(cut), form) == once,
              "the normal form of a text joins the normal forms of its parts");
    }
  }
  require(!robots::rep_detail::is_normal(text, form) || once == text, "normal text stays the same");
}

void check_path(std::string_view target, bool lenient) {
  const robots::rep_detail::target_path path = robots::rep_detail::path_and_query(target, lenient);
  require(path.text.find('#') == std::string_view::npos, "a fragment changes nothing");
  require(path.leading_slash || path.text.starts_with('/'), "a path begins with a slash");
  require(target.find(path.text) != std::string_view::npos, "a path is part of its URL");
}

}  // namespace

void fuzz::fuzz_target(octets input) {
  const std::string target = inflated(reader{input}.rest(), 1'000);
  for (const normal_form* form :
       {&robots::rep_detail::rfc9309_rule_form, &robots::rep_detail::rfc9309_target_form,
        &robots::rep_detail::google_rule_form, &robots::rep_detail::google_target_form}) {
    check_form(target, *form);
  }
  check_path(target, false);
  check_path(target, true);

  for (const robots::dialect dialect : dialects) {
    require(compared(target, dialect) == compared(target + "#x", dialect),
            "a fragment changes nothing");
  }
  const std::string normal = compared(target, robots::dialect::rfc9309);
  if (!has_stray_percent(target)) {
    require(compared(normal, robots::dialect::rfc9309) == normal, "normal targets do not change");
    require(compared("https://host:8080" + normal, robots::dialect::rfc9309) == normal,
            "the origin changes nothing");
    require(robots::pattern{normal}.matches(target), "a target matches itself as a pattern");
    require(robots::pattern{normal + '$'}.matches(target), "a target matches itself with `$`");
    require(!robots::pattern{normal + "/x"}.matches(target), "a target matches no longer pattern");
  }
  if (target.starts_with('/')) {
    const std::string path = target.substr(0, target.find('#'));
    require(reference::comparable_target(path, reference::reading::rfc9309) == normal,
            "the reference has the same normal form");
  }
}

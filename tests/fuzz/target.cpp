#include "fuzz/bodies.hpp"
#include "fuzz/input.hpp"
#include "rep/reference_matcher.hpp"
#include <robots/rep/read/target.hpp>
#include <robots/rep/rules/pattern.hpp>

#include <string>
#include <string_view>

namespace {

using fuzz::require;
using robots::detail::normal_cursor;
using robots::detail::normal_form;

std::string written(normal_cursor octet) {
  std::string result;
  for (; !octet.done(); ++octet) {
    result += *octet;
  }
  return result;
}

/// The octets that rules are compared with.
std::string compared(std::string_view target, robots::dialect dialect) {
  return robots::detail::with_normal_target(target, robots::detail::traits_of(dialect),
                                            [](auto cursor) {
                                              std::string result;
                                              for (; !cursor.done(); ++cursor) {
                                                result += *cursor;
                                              }
                                              return result;
                                            });
}

void check_form(std::string_view text, const normal_form& form) {
  const std::string once = written(normal_cursor{text, form});
  require(written(normal_cursor{once, form}) == once, "the normal form is its own normal form");
  require(!robots::detail::is_normal(text, form) || once == text, "what is normal stays");
}

void check_path(std::string_view target, bool lenient) {
  const robots::target_path path = robots::path_and_query(target, lenient);
  require(path.text.find('#') == std::string_view::npos, "a fragment does not count");
  require(path.leading_slash || path.text.starts_with('/'), "a path begins with a slash");
  require(target.find(path.text) != std::string_view::npos, "a path is part of its URL");
}

}  // namespace

void fuzz::fuzz_target(octets input) {
  const std::string target = inflated(reader{input}.rest(), 1'000);
  for (const normal_form* form :
       {&robots::detail::rfc9309_rule_form, &robots::detail::rfc9309_target_form,
        &robots::detail::google_rule_form, &robots::detail::google_target_form}) {
    check_form(target, *form);
  }
  check_path(target, false);
  check_path(target, true);

  for (const robots::dialect dialect : dialects) {
    require(compared(target, dialect) == compared(target + "#x", dialect),
            "a fragment does not count");
  }
  const std::string normal = compared(target, robots::dialect::rfc9309);
  require(compared(normal, robots::dialect::rfc9309) == normal, "normal targets stay");
  require(compared("https://host:8080" + normal, robots::dialect::rfc9309) == normal,
          "the origin does not count");
  require(robots::pattern{normal}.matches(target), "a target matches itself");
  require(robots::pattern{normal + '$'}.matches(target), "and to its end");
  require(!robots::pattern{normal + "/x"}.matches(target), "and nothing longer");
  if (target.starts_with('/')) {
    const std::string path = target.substr(0, target.find('#'));
    require(reference::comparable_target(path, reference::reading::rfc9309) == normal,
            "the reference has the same normal form");
  }
}

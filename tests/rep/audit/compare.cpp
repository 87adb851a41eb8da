#include <robots/rep/audit/compare.hpp>

#include <doctest/doctest.h>

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace {

using robots::all_dialect_clauses;
using robots::dialect;
using robots::dialect_clause;
using robots::difference;

std::vector<difference> compare(std::string_view text, std::string_view target) {
  return robots::compare(text, "foobot", std::span{&target, 1}, dialect::rfc9309, dialect::google);
}

struct clause_case {
  dialect_clause clause;
  std::string text;
  std::string_view target;
  bool rfc9309_allows;
};

std::vector<clause_case> clause_cases() {
  using enum dialect_clause;
  using namespace std::string_literals;
  return {
      {rule_normal_form, "User-agent: *\nDisallow: /%62ar\n", "/bar", false},
      {target_normal_form, "User-agent: *\nDisallow: /bar\n", "/%62ar", false},
      {robots_txt_always_allowed, "User-agent: *\nDisallow: /\n", "/robots.txt", true},
      {key_prefixes, "User-agent: *\nDisallowed: /\n", "/x", true},
      {nul_ends_line, "User-agent: *\nDisallow: /x\0y\n"s, "/x", true},
      {ignores_keyless_lines, "User-agent: *\nDisallow: /\nUser-agent Good Bot\nAllow: /\n", "/x",
       false},
      {keeps_cut_allow,
       "User-agent: *\nDisallow: /\nAllow: /x*" + std::string(robots::max_line_bytes, '*') + "\n",
       "/x", false},
      {partial_byte_order_mark, "\xEF\xBBUser-agent: *\nDisallow: /\n", "/x", true},
      {index_html_is_directory, "User-agent: *\nDisallow: /\nAllow: /x/index.html\n", "/x/", false},
      {lenient_targets, "User-agent: *\nDisallow: /x\n", "//example.com/x", true},
  };
}

TEST_CASE("each clause on which the dialects disagree is found where it makes the difference") {
  const auto cases = clause_cases();
  CHECK(cases.size() == all_dialect_clauses.size());
  for (const clause_case& row : cases) {
    CAPTURE(to_string(row.clause));
    const auto found = compare(row.text, row.target);
    REQUIRE(found.size() == 1);
    CHECK(found.front().a.allowed == row.rfc9309_allows);
    CHECK(found.front().b.allowed == !row.rfc9309_allows);
    CHECK(found.front().clauses == std::vector{row.clause});
  }
}

TEST_CASE("a comparison the other way round finds the same clauses") {
  for (const clause_case& row : clause_cases()) {
    CAPTURE(to_string(row.clause));
    const auto found = robots::compare(row.text, "foobot", std::span{&row.target, 1},
                                       dialect::google, dialect::rfc9309);
    REQUIRE(found.size() == 1);
    CHECK(found.front().b.allowed == row.rfc9309_allows);
    CHECK(found.front().clauses == std::vector{row.clause});
  }
}

TEST_CASE("a difference names the target and the rules that decided") {
  constexpr std::array<std::string_view, 3> targets{"/y", "/bar", "https://example.com/robots.txt"};
  const auto found = robots::compare("User-agent: *\nAllow: /\nDisallow: /%62ar\nDisallow: /robots",
                                     "foobot", targets, dialect::rfc9309, dialect::google);
  REQUIRE(found.size() == 2);
  CHECK(found[0].target == "/bar");
  CHECK(found[0].a.pattern == "/%62ar");
  CHECK(found[0].a.line == 3);
  CHECK(found[0].b.pattern == "/");
  CHECK(found[0].b.line == 2);
  CHECK(found[1].target == "https://example.com/robots.txt");
  CHECK_FALSE(found[1].a.pattern.has_value());
  CHECK(found[1].a.line == 0);
  CHECK(found[1].b.pattern == "/robots");
}

TEST_CASE("where only several clauses together make the difference, all of them are named") {
  // The key counts by its prefix only, and the file itself can be denied for google only.
  const auto found = compare("User-agent: *\nDisallowed: /\n", "/robots.txt");
  REQUIRE(found.size() == 1);
  CHECK(found.front().clauses ==
        std::vector{dialect_clause::robots_txt_always_allowed, dialect_clause::key_prefixes});
}

TEST_CASE("where the dialects agree there is no difference, whatever their reasons") {
  CHECK(compare("User-agent: *\nDisallow: /x\n", "/x").empty());
  CHECK(compare("User-agent: *\nAllow: /\n", "/robots.txt").empty());
  CHECK(compare("", "/x").empty());
  const std::string_view target = "/robots.txt";
  CHECK(robots::compare("User-agent: *\nDisallow: /\n", "x", std::span{&target, 1}, dialect::google,
                        dialect::google)
            .empty());
}

TEST_CASE("each clause is put into words that name the RFC and google/robotstxt") {
  for (const dialect_clause clause : all_dialect_clauses) {
    CAPTURE(to_string(clause));
    CHECK(describe(clause).find("RFC 9309, section 2.") != std::string_view::npos);
    CHECK(describe(clause).find("google/robotstxt") != std::string_view::npos);
    CHECK(describe(clause).ends_with('.'));
    CHECK(to_string(clause) != "unknown");
  }
}

}  // namespace

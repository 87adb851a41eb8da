#include <robots/rep/read/detail/invisible.hpp>

#include <robots/rep/document/document.hpp>
#include <robots/rep/lint/lint.hpp>
#include <robots/rep/rules/compile.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <string>
#include <string_view>

namespace {

using robots::diagnostic_code;
using robots::dialect;
using robots::rep_detail::find_invisible;
using robots::rep_detail::without_invisible_ends;

static_assert(find_invisible("a\xC2\xA0").at == 1);
static_assert(find_invisible("a\xC2\xA0").size == 2);
static_assert(find_invisible("a\xC2\xA0").text.starts_with("U+00A0 "));
static_assert(find_invisible("\xEF\xBB\xBF").text.starts_with("U+FEFF "));
static_assert(find_invisible("\xC3\xA4 \xA0 b").size == 0);
static_assert(find_invisible("").size == 0);
static_assert(without_invisible_ends(" \xC2\xA0 a b \xE3\x80\x80\t") == "a b");
static_assert(without_invisible_ends("\xE2\x80\x8B").empty());
static_assert(without_invisible_ends("\xC3\xA4") == "\xC3\xA4");
static_assert(without_invisible_ends("\xA0") == "\xA0");
static_assert(without_invisible_ends("a\t\x8D") == "a\t\x8D");  // half a character is no blank

/// Returns the name in the only line of a text, and the column and the start of its only finding.
std::string name_in(std::string_view line) {
  const robots::document read = robots::parse(line);
  REQUIRE(read.directives().size() == 1);
  CHECK(read.directives().front().kind == robots::directive_kind::user_agent);
  REQUIRE(read.diagnostics().size() == 1);
  CHECK(read.diagnostics().front().severity == robots::severity::warning);
  return std::string{read.directives().front().value} + '|' +
         std::to_string(read.diagnostics().front().column) + '|' +
         std::string{read.diagnostics().front().text.substr(0, 6)};
}

}  // namespace

TEST_CASE("Invisible characters and semicolons around a name are skipped and reported") {
  CHECK(name_in("User-agent: *\xC2\xA0\n") == "*|14|U+00A0");
  CHECK(name_in("User-agent:\xC2\xA0*\n") == "*|12|U+00A0");
  CHECK(name_in("User-agent: \xE2\x80\x8BName\xEF\xBB\xBF\n") == "Name|13|U+200B");
  CHECK(name_in("User-agent: *\xE2\x80\x8E all\n") == "*|14|U+200E");
  CHECK(name_in("\xC2\xA0User-agent: *\n") == "*|1|U+00A0");
  CHECK(name_in("User-agent\xE3\x80\x80: *\n") == "*|11|U+3000");
  CHECK(name_in("User-agent: *;\n") == "*|14|a semi");
  CHECK(name_in("User-agent: *; all\n") == "*|14|a semi");
  CHECK(name_in("User-agent: MJ12bot ; \n") == "MJ12bot|21|a semi");
  for (const char* without :
       {"\xC2\xA0\xE2\x80\xA8\n", "\xC2\xA0# a comment\n", "User-agent: \xC3\xA4\n"}) {
    const robots::document read = robots::parse(without);
    CHECK(read.diagnostics().empty());
  }
  CHECK(robots::parse("\xC2\xA0\n").lines().non_blank == 0);
  const robots::document nobody = robots::parse("User-agent: \xC2\xA0\n");
  REQUIRE(nobody.diagnostics().size() == 2);
  CHECK(nobody.diagnostics().back().code == diagnostic_code::empty_product_token);
  const robots::document google =
      robots::parse("User-agent: *\xC2\xA0\n", {.dialect = dialect::google});
  CHECK(google.directives().front().value == "*\xC2\xA0");
}

TEST_CASE("A group that is named * with an invisible character or a semicolon is obeyed") {
  for (const char* name : {"*\xC2\xA0", "\xC2\xA0*", "*;", "* ;", "*\xE2\x80\x8B;"}) {
    const std::string text = "User-agent: " + std::string{name} + "\nDisallow: /private\n";
    CAPTURE(text);
    CHECK_FALSE(robots::parse(text).allows("/private", "FooBot"));
    CHECK_FALSE(robots::compile(text, "FooBot").allows("/private"));
  }
  const robots::document file = robots::parse(
      "User-agent: *\nDisallow\xC2\xA0: /a\n\xE2\x80\x8B"
      "Disallow: /b\n");
  CHECK_FALSE(file.allows("/a"));
  CHECK_FALSE(file.allows("/b"));
}

TEST_CASE("A User-agent line behind an invisible character is found by every reader") {
  for (const std::string invisible :
       {"\xC2\xA0", "\xE1\x9A\x80", "\xE2\x80\x8B", "\xE3\x80\x80", "\xEF\xBB\xBF"}) {
    const std::string text = "\n" + invisible + "User-agent: *\nDisallow: /private\n";
    CHECK_FALSE(robots::parse(text).allows("/private", "FooBot"));
    CHECK_FALSE(robots::compile(text, "FooBot").allows("/private"));
  }
}

TEST_CASE("lint names an invisible character in a value by its code point and column") {
  const auto found = robots::lint(
      "User-agent: Foo\xE2\x80\x8B"
      "Bot\nDisallow: /private\xC2\xA0\n");
  REQUIRE(found.size() == 2);
  CHECK(found[0].column == 16);
  CHECK(found[0].text == "U+200B is here, and cannot be seen: remove it");
  CHECK(found[1].code == diagnostic_code::invisible_character);
  CHECK(found[1].line == 2);
  CHECK(found[1].column == 19);
  CHECK(found[1].text == "U+00A0 is here, and cannot be seen: remove it");
}

TEST_CASE(
    "An octet that is no character keeps a key unknown, and gives no finding without a text") {
  const robots::document file = robots::parse("User-agent: *\nDisallow\t\x8D: /a\nDisallow: /b\n");
  CHECK(file.allows("/a"));
  REQUIRE(file.diagnostics().size() == 1);
  CHECK(file.diagnostics()[0].code == diagnostic_code::unknown_key);
  CHECK_FALSE(file.diagnostics()[0].text.empty());
}

TEST_CASE("Invisible characters around a value are skipped and reported") {
  for (const std::string invisible : {"\xC2\xA0", "\xC2\xAD", "\xE2\x80\x8B", "\xE3\x80\x80",
                                      "\xEF\xBB\xBF", "\xE2\x80\x8E ", "\xC2\xA0\xE2\x80\x8B"}) {
    CAPTURE(invisible);
    const std::string text = "User-agent: *\nDisallow:" + invisible + "/a\nDisallow: " + invisible +
                             " /b\nDisallow: /c" + invisible + "# note\nAllow: " + invisible +
                             "*/d" + invisible + "\nCrawl-delay:" + invisible +
                             "3\nSitemap: " + invisible + "https://h/s.xml" + invisible + "\n";
    const robots::document file = robots::parse(text);
    const robots::rule_set rules = robots::compile(text, "FooBot");
    for (const char* target : {"/a", "/b", "/c/x"}) {
      CHECK_FALSE(file.allows(target));
      CHECK_FALSE(rules.allows(target));
    }
    CHECK(file.match("/c/d").allowed);
    CHECK(file.match("/a").pattern == "/a");
    CHECK(file.crawl_delay() == std::chrono::seconds{3});
    CHECK(*file.sitemaps().begin() == "https://h/s.xml");
    REQUIRE(file.diagnostics().size() == 6);
    for (const robots::diagnostic& found : file.diagnostics()) {
      CHECK(found.code == diagnostic_code::invisible_character);
    }
    CHECK(file.lines().malformed == 0);
  }
}

TEST_CASE("A value with an octet in ISO-8859-1 for a blank before its path is a rule") {
  const robots::document file =
      robots::parse("User-agent: *\nDisallow:\xA0/a\nDisallow: \xAD*/b\n");
  CHECK_FALSE(file.allows("/a"));
  CHECK_FALSE(file.allows("/x/b"));
  REQUIRE(file.diagnostics().size() == 2);
  CHECK(file.diagnostics()[0].code == diagnostic_code::invisible_character);
  CHECK_FALSE(file.diagnostics()[0].text.empty());
  CHECK_FALSE(robots::parse("User-agent: *\nDisallow: /caf\xE0\n").allows("/caf%E0"));
  CHECK_FALSE(robots::parse("User-agent: *\nDisallow: /caf\xA0\n").allows("/caf%A0"));
}

TEST_CASE("A rule of invisible characters alone restricts nothing") {
  const robots::document file =
      robots::parse("User-agent: *\nDisallow: \xC2\xA0\n", {.prepend_slash = true});
  CHECK(file.allows("/a"));
  CHECK((*file.groups()[0].disallow.begin()).empty());
}

TEST_CASE("In the dialect google, an invisible character is a part of a value") {
  const robots::document file =
      robots::parse("User-agent: *\nDisallow:\xC2\xA0/a\n", {.dialect = dialect::google});
  CHECK(file.allows("/a"));
  CHECK(file.diagnostics()[0].code == diagnostic_code::pattern_never_matches);
}

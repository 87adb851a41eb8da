#include <robots/rep/extensions/clean_param.hpp>

#include "rep/extensions/read_lines.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

namespace {

using robots::clean_param;
using robots::clean_target;
using robots::document;
using robots::parse;
using robots::test::in_file;

using names = std::vector<std::string_view>;

static_assert(clean_param::parse("s&ref /forum/showthread.php")->parameters == names{"s", "ref"});
static_assert(clean_param::parse("s&ref /forum/showthread.php")->path == "/forum/showthread.php");
static_assert(clean_param::parse("utm")->parameters == names{"utm"});
static_assert(clean_param::parse("utm")->path.empty());
static_assert(clean_param::parse("&a&&b& \t /x")->parameters == names{"a", "b"});
static_assert(clean_param::parse("&a&&b& \t /x")->path == "/x");
static_assert(!clean_param::parse(""));
static_assert(!clean_param::parse("&"));
static_assert(!clean_param::parse("& /x"));

constexpr std::string_view param_lines =
    "Clean-param: sid\n"
    "User-agent: Yandex\n"
    "Clean-param: ref /some_dir/get_book.pl\n"
    "Clean-param:\n"
    "User-agent: *\n"
    "Clean-param: s&utm /forum*/show\n";

static_assert(robots::test::is_view_of_document<clean_param>);

static_assert(in_file(param_lines,
                      [](const document& file) { return file.read<clean_param>().size() == 3; }));
static_assert(in_file(param_lines,
                      [](const document& file) { return file.read<clean_param>()[0].line == 1; }));
static_assert(in_file(param_lines,
                      [](const document& file) { return file.read<clean_param>()[2].line == 6; }));

TEST_CASE("The parameters that a file names are removed from a target") {
  const robots::document file = parse(param_lines);
  CHECK(clean_target(file, "/some_dir/get_book.pl?ref=site_1&book_id=123") ==
        "/some_dir/get_book.pl?book_id=123");
  CHECK(clean_target(file, "https://example.com/some_dir/get_book.pl?book_id=123&ref=site_2") ==
        "https://example.com/some_dir/get_book.pl?book_id=123");
  CHECK(clean_target(file, "/forum7/show?s=1&t=2&utm&ref=3&sid=4#post") ==
        "/forum7/show?t=2&ref=3#post");
  CHECK(clean_target(file, "/x?sid=1&sid=2&a=sid") == "/x?a=sid");
}

TEST_CASE("A target that cannot be compared with all lines keeps its parameters") {
  std::string many;
  for (int i = 0; i < 20'000; ++i) {
    many += "Clean-param: b\nClean-param: c /*a*b\n";
  }
  const auto file = parse(many, {.max_bytes = many.size()});
  const std::string target = "/?b&" + std::string(65'000, 'a');
  CHECK(clean_target(file, target) == target);
  CHECK(clean_target(file, "/?b&a") == "/?a");
}

TEST_CASE("If a query becomes empty, its question mark is removed") {
  CHECK(clean_target(parse(param_lines), "/x?sid=1") == "/x");
  CHECK(clean_target(parse(param_lines), "/x?sid#f") == "/x#f");
  CHECK(clean_target(parse(param_lines), "http://example.com?sid=1") == "http://example.com");
}

TEST_CASE("A target without such a parameter does not change") {
  const robots::document file = parse(param_lines);
  for (const std::string_view target :
       {"", "/", "/x", "/x?", "/x?&", "/x?&&a&", "/x?sida=1", "/x?Sid=1", "/x?a=1#?sid=1",
        "/some_dir/other?ref=1", "?", "#", "/x?%73id=1", "/x?a?sid=1"}) {
    CAPTURE(target);
    CHECK(clean_target(file, target) == target);
  }
}

TEST_CASE("A clean target does not change") {
  const robots::document file = parse("Clean-param: a&b\nClean-param: c /x\n");
  const auto rules = file.read<clean_param>();
  for (const std::string_view target :
       {"/x?a=1&b=2&c=3", "/x?z&a&y&&b", "/y?c=1&a=1", "/x?a&&b", "/x?&a"}) {
    CAPTURE(target);
    const std::string once = clean_target(rules, target);
    CHECK(clean_target(rules, once) == once);
  }
  CHECK(clean_target(rules, "/y?c=1&a=1") == "/y?c=1");
  CHECK(clean_target(std::vector<robots::clean_param>{}, "/y?c=1&a=1") == "/y?c=1&a=1");
}

}  // namespace

#include <robots/rep/extensions/content_usage.hpp>

#include "rep/extensions/read_lines.hpp"
#include <robots/rep/document/document.hpp>

#include <doctest/doctest.h>

#include <optional>
#include <string_view>

namespace {

using robots::content_usage;
using robots::document;
using robots::parse;
using robots::test::in_file;

constexpr std::optional<bool> unknown{};

static_assert(content_usage::parse("train-ai=n").path.empty());
static_assert(content_usage::parse("train-ai=n").preference("train-ai") == false);
static_assert(content_usage::parse("train-ai=n").preference("search") == unknown);
static_assert(content_usage::parse("/ai-ok/ train-ai=y, search=n").path == "/ai-ok/");
static_assert(content_usage::parse("/ai-ok/ \t train-ai=y, search=n").preference("train-ai") ==
              true);
static_assert(content_usage::parse("/ai-ok/ train-ai=y, search=n").preference("search") == false);
static_assert(content_usage::parse("/ai-ok/").path == "/ai-ok/");
static_assert(content_usage::parse("/ai-ok/").statement.empty());
static_assert(content_usage::parse("").preference("train-ai") == unknown);

// draft-ietf-aipref-vocab-08, sections 6.1, 6.2 and 6.5.
static_assert(content_usage::parse("Train-AI=n").preference("train-ai") == unknown);
static_assert(content_usage::parse("train-ai=N").preference("train-ai") == unknown);
static_assert(content_usage::parse("train-ai=no").preference("train-ai") == unknown);
static_assert(content_usage::parse("train-ai").preference("train-ai") == unknown);
static_assert(content_usage::parse("train-ai=\"n\"").preference("train-ai") == unknown);
static_assert(content_usage::parse("train-ai=n; search=y").preference("train-ai") == false);
static_assert(content_usage::parse("train-ai=n; search=y").preference("search") == unknown,
              "a parameter");
static_assert(content_usage::parse("train-ai=n, SEARCH=y").preference("train-ai") == unknown);
static_assert(content_usage::parse("train-ai=n, ").preference("train-ai") == unknown);
static_assert(content_usage::parse("train-ai=y, train-ai, search=n, search=\"n\"")
                  .preference("search") == unknown);
static_assert(content_usage::parse("train-ai;allow=n, train-ai=y").preference("train-ai") == true);
static_assert(content_usage::parse("train-ai;has;parameters=\"?\";").preference("train-ai") ==
              unknown);
static_assert(content_usage::parse("later=y, train-ai=n;x").preference("train-ai") == false);
static_assert(content_usage::parse("later=y, train-ai=n").preference("later") == true);
static_assert(content_usage::parse("*any=n").preference("*any") == false);
static_assert(content_usage::parse("train-ai=n, ai-use=n, search=y").preference("ai-use") == false);
// A path begins with a slash, so this is no path, and not a Dictionary either.
static_assert(content_usage::parse("*.pdf train-ai=n").preference("train-ai") == unknown);
// In a header, `#` belongs to the Token. In a robots.txt, it begins a comment.
static_assert(robots::usage_preference("train-ai=n#x", "train-ai") == unknown);

constexpr std::string_view usage_lines =
    "Content-Usage: search=n\n"
    "User-agent: a\nContent-Usage: train-ai=n\nAllow: /\nContent-usage\t:  /b  train-ai=y # why\n"
    "User-agent: *\nContent-Usage: search=y\n";

static_assert(robots::test::is_view_of_document<content_usage>);

static_assert(in_file(usage_lines, [](const document& file) {
  return file.read<content_usage>("a").size() == 2;
}));
static_assert(in_file(usage_lines, [](const document& file) {
  return file.read<content_usage>("a")[1].path == "/b";
}));
static_assert(in_file(usage_lines, [](const document& file) {
  return file.read<content_usage>("a")[1].preference("train-ai") == true;
}));
static_assert(in_file(usage_lines, [](const document& file) {
  return file.read<content_usage>("a")[1].line == 5;
}));

TEST_CASE("A comment ends a Content-Usage line") {
  const robots::document file = parse("User-agent: *\nContent-Usage: train-ai=n#x\n");
  REQUIRE(file.read<content_usage>().size() == 1);
  CHECK(file.read<content_usage>()[0].preference("train-ai") == false);
}

TEST_CASE("Statements apply to the crawlers of their groups") {
  const robots::document file = parse(usage_lines);
  REQUIRE(file.read<content_usage>().size() == 1);
  CHECK(file.read<content_usage>()[0].preference("search") == true);
  const document without = parse("Content-Usage: train-ai=n\n");
  CHECK(without.read<content_usage>().empty());
}

}  // namespace

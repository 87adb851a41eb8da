#include <robots/rep/extensions/noindex.hpp>

#include <doctest/doctest.h>

#include <string_view>

namespace {

using robots::noindex_rules;
using robots::parse;

constexpr std::string_view text =
    "Noindex: /nobody\n"
    "User-agent: a\nNoindex: /x*.gif$\nNoindex:\nNoindex: /%7eme\nDisallow:\n"
    "User-agent: *\nNoindex: /all\n";
static_assert(noindex_rules(parse(text), "a").size() == 2);
static_assert(noindex_rules(parse(text), "a")[0].pattern == "/x*.gif$");
static_assert(noindex_rules(parse(text), "a")[0].line == 3);
static_assert(noindex_rules(parse(text), "a")[0].matches("/x/y.gif"));
static_assert(!noindex_rules(parse(text), "a")[0].matches("/x/y.gif?z"));
static_assert(noindex_rules(parse(text), "a")[1].matches("https://example.com/~me/"));
static_assert(noindex_rules(parse(text))[0].pattern == "/all");

TEST_CASE("a page that is not to be listed may still be fetched") {
  const robots::document file = parse(text);
  CHECK(file.allows("/all"));
  CHECK(noindex_rules(file)[0].matches("/all"));
  CHECK(noindex_rules(parse("")).empty());
}

}  // namespace

#include <robots/rep/extensions/noindex.hpp>

#include <doctest/doctest.h>

#include <string_view>
#include <utility>

namespace {

using robots::document;
using robots::noindex_rules;
using robots::parse;

constexpr std::string_view text =
    "Noindex: /nobody\n"
    "User-agent: a\nNoindex: /x*.gif$\nNoindex:\nNoindex: /%7eme\nDisallow:\n"
    "User-agent: *\nNoindex: /all\n";

template <class File>
concept readable = requires(File&& file) { noindex_rules(std::forward<File>(file)); };
static_assert(readable<const document&> && !readable<document>, "the views lie in the document");

template <class Test>
constexpr bool in_file(Test test) {
  const document file = parse(text);
  return test(file);
}

static_assert(in_file([](const document& file) { return noindex_rules(file, "a").size() == 2; }));
static_assert(in_file([](const document& file) {
  return noindex_rules(file, "a")[0].pattern == "/x*.gif$";
}));
static_assert(in_file([](const document& file) { return noindex_rules(file, "a")[0].line == 3; }));
static_assert(in_file([](const document& file) {
  return noindex_rules(file, "a")[0].matches("/x/y.gif");
}));
static_assert(in_file([](const document& file) {
  return !noindex_rules(file, "a")[0].matches("/x/y.gif?z");
}));
static_assert(in_file([](const document& file) {
  return noindex_rules(file, "a")[1].matches("https://example.com/~me/");
}));
static_assert(in_file([](const document& file) {
  return noindex_rules(file)[0].pattern == "/all";
}));

TEST_CASE("a page that is not to be listed may still be fetched") {
  const robots::document file = parse(text);
  CHECK(file.allows("/all"));
  CHECK(noindex_rules(file)[0].matches("/all"));
  const document without = parse("");
  CHECK(noindex_rules(without).empty());
}

}  // namespace

#include <robots/rep/extensions/unknown_records.hpp>

#include <doctest/doctest.h>

#include <string_view>
#include <utility>

namespace {

using robots::document;
using robots::parse;
using robots::unknown_record;
using robots::unknown_records;

constexpr std::string_view text =
    "Before: anything\n"
    "User-agent: *\n"
    "cache-DELAY : 10  # a comment\n"
    "Disallow: /a\n"
    "Content-Signal: search=yes\n"
    "Empty:\n";

template <class File>
concept readable = requires(File&& file) { unknown_records(std::forward<File>(file)); };
static_assert(readable<const document&> && !readable<document>, "the views lie in the document");

template <class Test>
constexpr bool in_file(Test test) {
  const document file = parse(text);
  return test(file);
}

static_assert(in_file([](const document& file) { return unknown_records(file).size() == 3; }));
static_assert(in_file([](const document& file) {
  return unknown_records(file)[0] == unknown_record{"Before", "anything", 1};
}));
static_assert(in_file([](const document& file) {
  return unknown_records(file)[1] == unknown_record{"cache-DELAY", "10", 3};
}));
static_assert(in_file([](const document& file) {
  return unknown_records(file)[2] == unknown_record{"Empty", "", 6};
}));

TEST_CASE("a file of known keys has no unknown records") {
  const document file = parse("User-agent: *\nDisallow: /\nCrawl-delay: 3\n");
  CHECK(unknown_records(file).empty());
  const document without = parse("");
  CHECK(unknown_records(without).empty());
}

}  // namespace

#include <robots/rep/extensions/unknown_records.hpp>

#include <doctest/doctest.h>

#include <string_view>

namespace {

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
static_assert(unknown_records(parse(text)).size() == 3);
static_assert(unknown_records(parse(text))[0] == unknown_record{"Before", "anything", 1});
static_assert(unknown_records(parse(text))[1] == unknown_record{"cache-DELAY", "10", 3});
static_assert(unknown_records(parse(text))[2] == unknown_record{"Empty", "", 6});

TEST_CASE("a file of known keys has no unknown records") {
  CHECK(unknown_records(parse("User-agent: *\nDisallow: /\nCrawl-delay: 3\n")).empty());
  CHECK(unknown_records(parse("")).empty());
}

}  // namespace

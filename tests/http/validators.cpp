#include <robots/http/validators.hpp>

#include <robots/http/conditional_request.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

using robots::http_header;
using robots::detail::validators;
using robots::detail::validators_of;

namespace {

constexpr const char* modified = "Sun, 06 Nov 1994 08:49:37 GMT";

static_assert(robots::detail::same_entity("\"1\"", "\"1\""));
static_assert(robots::detail::same_entity("W/\"1\"", "\"1\""));
static_assert(!robots::detail::same_entity("\"1\"", "\"2\""));
static_assert(!robots::detail::same_entity("W/\"1\"", "W/\"2\""));

std::string etag_of(std::string value) { return validators_of({{"etag", std::move(value)}}).etag; }

}  // namespace

TEST_CASE("Validators are kept as they were sent") {
  const validators found = validators_of({{"ETag", " W/\"a b\" "}, {"Last-Modified", modified}});
  CHECK(found.etag.empty());  // an entity tag has no space
  CHECK(found.last_modified == modified);
  CHECK(etag_of("\"abc\"") == "\"abc\"");
  CHECK(etag_of("W/\"abc\"") == "W/\"abc\"");
  CHECK(etag_of("  \"\"\t") == "\"\"");
  CHECK(etag_of("\"\xC3\xA4,;'\"") == "\"\xC3\xA4,;'\"");
  CHECK(validators_of({}).empty());
  CHECK_FALSE(found.empty());
}

TEST_CASE("A malformed validator is dropped") {
  for (const char* bad : {"", "abc", "\"", "\"abc", "abc\"", "w/\"abc\"", "W/", "W/abc", "\"a\"b\"",
                          "\"a\" \"b\"", "\"a\rb\"", "*"}) {
    CAPTURE(bad);
    CHECK(etag_of(bad).empty());
  }
  CHECK(etag_of('"' + std::string(1'022, 'x') + '"').size() == 1'024);
  CHECK(etag_of('"' + std::string(1'023, 'x') + '"').empty());
  for (const char* bad : {"", "yesterday", "0", "Sun, 06 Nov 1994 08:49:37 CET"}) {
    CAPTURE(bad);
    CHECK(validators_of({{"Last-Modified", bad}}).last_modified.empty());
  }
}

TEST_CASE("Conditions are added for each known validator") {
  std::vector<http_header> headers;
  robots::detail::append_conditions(headers, {});
  CHECK(headers.empty());
  robots::detail::append_conditions(headers, {.etag = "\"a\"", .last_modified = modified});
  REQUIRE(headers.size() == 2);
  CHECK(robots::detail::find_header(headers, "If-None-Match") == "\"a\"");
  CHECK(robots::detail::find_header(headers, "If-Modified-Since") == modified);
}

#include <robots/rep/rules/static_pattern.hpp>

#include <robots/rep/rules/pattern.hpp>

#include <doctest/doctest.h>

namespace {

using robots::static_pattern;

static_assert(static_pattern<"/a*b$">::matches("/axxb"));
static_assert(!static_pattern<"/a*b$">::matches("/axxbc"));
static_assert(static_pattern<"/%7Ejoe/**/x*">::matches("/~joe/a/x/y"));
static_assert(static_pattern<"*">::matches("https://example.com"));
static_assert(static_pattern<"/\xE3">::matches("/%E3"));

TEST_CASE("A pattern compiled at compile time answers at run time") {
  CHECK(static_pattern<"/private/*.pdf$">::matches("/private/a.pdf"));
  CHECK_FALSE(static_pattern<"/private/*.pdf$">::matches("/private/a.pdf?download"));
}

}  // namespace

#include <robots/rep/read/detail/split_line.hpp>

#include <doctest/doctest.h>

#include <string_view>

namespace {

using robots::rep_detail::split_line;

constexpr bool splits(std::string_view line, std::string_view key, std::string_view value) {
  const auto parts = split_line(line);
  return parts.found && parts.key == key && parts.value == value;
}

static_assert(splits("Disallow: /x", "Disallow", "/x"));
static_assert(splits("Disallow:/x", "Disallow", "/x"));
static_assert(splits("Disallow \t: \t /x y", "Disallow", "/x y"));
static_assert(splits("Disallow:", "Disallow", ""));
static_assert(splits("Sitemap: https://a:80/", "Sitemap", "https://a:80/"));
static_assert(splits("Disallow /x", "Disallow", "/x"));
static_assert(splits("Disallow\t/x", "Disallow", "/x"));
static_assert(!split_line("Disallow /x y").found);
static_assert(!split_line("Disallow").found);
static_assert(!split_line(": /x").found);
static_assert(split_line("a: b").colon);
static_assert(!split_line("a b").colon);

TEST_CASE("White space and NUL octets around key and value are trimmed") {
  constexpr std::string_view line{"Disallow:\0 /x", 13};
  CHECK(splits(line, "Disallow", "/x"));
}

}  // namespace

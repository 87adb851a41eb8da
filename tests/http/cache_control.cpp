#include <robots/http/freshness.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

using namespace std::chrono_literals;
using robots::detail::cache_control;
using robots::detail::parse_cache_control;

namespace {

cache_control control(std::string value) {
  return parse_cache_control({{"Cache-Control", std::move(value)}});
}

}  // namespace

TEST_CASE("The directives of a cache are read in any case and any order") {
  CHECK(control("max-age=60") == cache_control{false, false, 60s});
  CHECK(control("PUBLIC, Max-Age=60 , NO-STORE") == cache_control{true, false, 60s});
  CHECK(control("no-cache") == cache_control{false, true, std::nullopt});
  CHECK(control("no-cache=\"Set-Cookie\"") == cache_control{false, true, std::nullopt});
  CHECK(control("max-age=\"60\"") == cache_control{false, false, 60s});
  CHECK(control("max-age = 60") == cache_control{false, false, 60s});
  CHECK(control(",, ,max-age=60,") == cache_control{false, false, 60s});
}

TEST_CASE("Several headers form one list, and the first max-age applies") {
  CHECK(parse_cache_control({{"cache-control", "max-age=1"},
                             {"Other", "no-store"},
                             {"CACHE-CONTROL", "no-cache, max-age=2"}}) ==
        cache_control{false, true, 1s});
}

TEST_CASE("Text beside the directive is ignored") {
  CHECK(control("s-maxage=5") == cache_control{});
  CHECK(control("private=\"max-age=5, no-store\", max-age=60") == cache_control{false, false, 60s});
  CHECK(control("x=\"a\\\", no-store\", max-age=60") == cache_control{false, false, 60s});
  CHECK(control("xmax-age=5, max-agex=5, no-stor") == cache_control{});
  CHECK(control("") == cache_control{});
  CHECK(parse_cache_control({}) == cache_control{});
}

TEST_CASE("A max-age that is not a number is read as 0") {
  for (const std::string_view value :
       {"max-age", "max-age=", "max-age=x", "max-age=-1", "max-age=1.5", "max-age=\"6",
        "max-age=6 0", "max-age=0x10", "max-age=\"\""}) {
    CAPTURE(value);
    CHECK(control(std::string{value}) == cache_control{false, false, 0s});
  }
}

TEST_CASE("A max-age has an upper limit") {
  CHECK(control("max-age=2147483647").max_age == 2147483647s);
  CHECK(control("max-age=99999999999999999999999999").max_age == 2147483648s);
}

TEST_CASE("A quoted value without an end hides everything after it") {
  CHECK(control("x=\"a, no-store") == cache_control{});
  CHECK(control("x=\"a\\") == cache_control{});
}

#include <robots/http/cache_control.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

using namespace std::chrono_literals;
using robots::http_detail::cache_control_lifetime;

namespace {

std::optional<std::chrono::seconds> stated(std::string value) {
  return cache_control_lifetime({{"Cache-Control", std::move(value)}});
}

}  // namespace

TEST_CASE("The directives of a cache are read in any case and any order") {
  CHECK(stated("max-age=60") == 60s);
  CHECK(stated("PUBLIC, Max-Age=60 , NO-STORE") == 0s);
  CHECK(stated("no-cache") == 0s);
  CHECK(stated("no-cache=\"Set-Cookie\"") == 0s);
  CHECK(stated("max-age=\"60\"") == 60s);
  CHECK(stated("max-age = 60") == 60s);
  CHECK(stated(",, ,max-age=60,") == 60s);
}

TEST_CASE("Several headers form one list, and the first max-age applies") {
  CHECK(cache_control_lifetime({{"cache-control", "max-age=1"},
                                {"Other", "no-store"},
                                {"CACHE-CONTROL", "public, max-age=2"}}) == 1s);
  CHECK(cache_control_lifetime({{"cache-control", "max-age=1"}, {"CACHE-CONTROL", "no-cache"}}) ==
        0s);
}

TEST_CASE("Text beside the directive is ignored") {
  CHECK(stated("s-maxage=5") == std::nullopt);
  CHECK(stated("private=\"max-age=5, no-store\", max-age=60") == 60s);
  CHECK(stated("x=\"a\\\", no-store\", max-age=60") == 60s);
  CHECK(stated("xmax-age=5, max-agex=5, no-stor") == std::nullopt);
  CHECK(stated("") == std::nullopt);
  CHECK(cache_control_lifetime({}) == std::nullopt);
}

TEST_CASE("A max-age that is not a number is read as 0") {
  for (const std::string_view value :
       {"max-age", "max-age=", "max-age=x", "max-age=-1", "max-age=1.5", "max-age=\"6",
        "max-age=6 0", "max-age=0x10", "max-age=\"\""}) {
    CAPTURE(value);
    CHECK(stated(std::string{value}) == 0s);
  }
}

TEST_CASE("A max-age has an upper limit") {
  CHECK(stated("max-age=2147483647") == 2147483647s);
  CHECK(stated("max-age=99999999999999999999999999") == 2147483648s);
}

TEST_CASE("A quoted value without an end hides everything after it") {
  CHECK(stated("x=\"a, no-store") == std::nullopt);
  CHECK(stated("x=\"a\\") == std::nullopt);
}

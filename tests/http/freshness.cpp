#include <robots/http/freshness.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <cstddef>
#include <optional>
#include <random>
#include <string>
#include <vector>

using namespace std::chrono_literals;

namespace {

using robots::http_header;

constexpr robots::wall_time now = std::chrono::sys_days{1994y / 11 / 6} + 8h + 49min + 37s;

std::optional<std::chrono::seconds> lifetime(const std::vector<http_header>& headers) {
  return robots::detail::freshness_lifetime(headers, now);
}

const http_header date_header{"Date", "Sun, 06 Nov 1994 08:49:00 GMT"};
const http_header hour_later{"Expires", "Sun, 06 Nov 1994 09:49:37 GMT"};

}  // namespace

TEST_CASE("Headers that do not state a lifetime give no lifetime") {
  CHECK(lifetime({}) == std::nullopt);
  CHECK(lifetime({{"Age", "5"}, date_header, {"ETag", "\"x\""}}) == std::nullopt);
  CHECK(lifetime({{"Cache-Control", "public, s-maxage=60"}}) == std::nullopt);
}

TEST_CASE("max-age overrides Expires") {
  CHECK(lifetime({{"cache-control", "max-age=60"}, hour_later}) == 60s);
  CHECK(lifetime({{"Cache-Control", "max-age=junk"}, hour_later}) == 0s);
}

TEST_CASE("A response that must not be stored or used has a lifetime of 0") {
  CHECK(lifetime({{"Cache-Control", "no-store, max-age=60"}}) == 0s);
  CHECK(lifetime({{"Cache-Control", "max-age=60"}, {"Cache-Control", "no-cache"}}) == 0s);
}

TEST_CASE("Expires is relative to Date, or to now if there is no Date") {
  CHECK(lifetime({hour_later, date_header}) == 3637s);
  CHECK(lifetime({hour_later}) == 3600s);
  CHECK(lifetime({hour_later, {"Date", "yesterday"}}) == 3600s);
  CHECK(lifetime({{"Expires", " Sunday, 06-Nov-94 08:50:37 GMT "}}) == 60s);
}

TEST_CASE("An Expires that is past or invalid gives a lifetime of 0") {
  CHECK(lifetime({{"Expires", "0"}}) == 0s);
  CHECK(lifetime({{"Expires", ""}}) == 0s);
  CHECK(lifetime({{"Expires", "Sat, 05 Nov 1994 08:49:37 GMT"}}) == 0s);
}

TEST_CASE("Age is subtracted") {
  CHECK(lifetime({{"Cache-Control", "max-age=60"}, {"Age", "20"}}) == 40s);
  CHECK(lifetime({{"Cache-Control", "max-age=60"}, {"Age", "61"}}) == 0s);
  CHECK(lifetime({hour_later, {"Age", "600"}}) == 3000s);
  CHECK(lifetime({{"Cache-Control", "max-age=60"}, {"Age", "old"}}) == 60s);
  CHECK(lifetime({{"Cache-Control", "max-age=60"}, {"Age", "-5"}}) == 60s);
}

TEST_CASE("No number overflows") {
  const std::string huge(1000, '9');
  CHECK(lifetime({{"Cache-Control", "max-age=" + huge}}) == 2147483648s);
  CHECK(lifetime({{"Cache-Control", "max-age=" + huge}, {"Age", huge}}) == 0s);
  CHECK(lifetime({{"Expires", "Fri, 31 Dec 9999 23:59:59 GMT"},
                  {"Date", "Sat, 01 Jan 0000 00:00:00 GMT"}}) == 2147483648s);
  CHECK(lifetime({{"Expires", "Sat, 01 Jan 0000 00:00:00 GMT"},
                  {"Date", "Fri, 31 Dec 9999 23:59:59 GMT"}}) == 0s);
  CHECK(robots::detail::freshness_lifetime({hour_later}, robots::wall_time::max()) == 0s);
  CHECK(robots::detail::freshness_lifetime({hour_later}, robots::wall_time::min()) == 2147483648s);
}

TEST_CASE("A lifetime is within its limits, with any headers") {
  std::mt19937 random{9111};
  const auto noise = [&] {
    std::string text = random() % 2 == 0 ? "max-age=" : "";
    for (std::size_t n = random() % 16; n > 0; --n) {
      text += static_cast<char>(random() & 0xFFU);
    }
    return text;
  };
  for (int round = 0; round < 20'000; ++round) {
    const auto result = lifetime(
        {{"Cache-Control", noise()}, {"Expires", noise()}, {"Date", noise()}, {"Age", noise()}});
    REQUIRE(result);
    CHECK(*result >= 0s);
    CHECK(*result <= 2147483648s);
  }
}

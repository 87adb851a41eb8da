#include <robots/base/decimal.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>

namespace {

using robots::base::parse_decimal;

constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();

static_assert(parse_decimal("0") == 0);
static_assert(parse_decimal("007") == 7);
static_assert(parse_decimal("18446744073709551614") == most - 1);
static_assert(parse_decimal("18446744073709551615") == most);
static_assert(parse_decimal("") == std::nullopt);
static_assert(parse_decimal("-1") == std::nullopt);
static_assert(parse_decimal(" 1") == std::nullopt);
static_assert(parse_decimal("1.5") == std::nullopt);
static_assert(parse_decimal("0x10") == std::nullopt);

TEST_CASE("A number above the limit is read as the limit") {
  CHECK(parse_decimal("255", 255) == 255);
  CHECK(parse_decimal("256", 255) == 255);
  CHECK(parse_decimal("2550", 255) == 255);
  CHECK(parse_decimal("9", 5) == 5);
  CHECK(parse_decimal("18446744073709551616") == most);
  CHECK(parse_decimal("99999999999999999999999999") == most);
  CHECK(parse_decimal("99999999999999999999999999x") == std::nullopt);
}

TEST_CASE("Seconds are appended exactly") {
  const auto appended = [](std::chrono::nanoseconds value) {
    std::string text = "in ";
    robots::base::append_seconds(text, value);
    return text;
  };
  CHECK(appended(std::chrono::seconds{10}) == "in 10");
  CHECK(appended(std::chrono::milliseconds{1050}) == "in 1.05");
  CHECK(appended(std::chrono::nanoseconds{1}) == "in 0.000000001");
  CHECK(appended(std::chrono::seconds{-1}) == "in 0");
}

}  // namespace

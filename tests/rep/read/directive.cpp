#include <robots/rep/read/directive.hpp>

#include <robots/rep/read/detail/parse_delay.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <string>

namespace {

using robots::rep_detail::parse_delay;
using namespace std::chrono_literals;

static_assert(parse_delay("5") == 5000ms);
static_assert(parse_delay("0") == 0ms);
static_assert(parse_delay("0.5") == 500ms);
static_assert(parse_delay(".5") == 500ms);
static_assert(parse_delay("5.") == 5000ms);
static_assert(parse_delay("1.234") == 1234ms);
static_assert(parse_delay("007") == 7000ms);

// A fraction of a millisecond is rounded up, so that no request is too early.
static_assert(parse_delay("0.0001") == 1ms);
static_assert(parse_delay("1.2340") == 1234ms);
static_assert(parse_delay("1.2340001") == 1235ms);

static_assert(!parse_delay(""));
static_assert(!parse_delay("."));
static_assert(!parse_delay("-3"));
static_assert(!parse_delay("+3"));
static_assert(!parse_delay("nan"));
static_assert(!parse_delay("inf"));
static_assert(!parse_delay("10s"));
static_assert(!parse_delay("0,5"));
static_assert(!parse_delay("1e3"));
static_assert(!parse_delay("1.2.3"));
static_assert(!parse_delay("1 2"));

TEST_CASE("A delay with any number of digits is read as a finite number") {
  const auto longest = parse_delay(std::string(1'000, '9'));
  REQUIRE(longest.has_value());
  CHECK(*longest == std::chrono::seconds{0xFFFF'FFFF});
  CHECK(parse_delay("0." + std::string(1'000, '9')) == 1000ms);
}

}  // namespace

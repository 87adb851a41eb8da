#include <robots/http/retry_after.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <optional>
#include <string>
#include <utility>

using namespace std::chrono_literals;

namespace {

constexpr robots::wall_time asked_at =
    std::chrono::sys_days{1994y / 11 / 6} + 8h + 49min + 37s + 500ms;

std::optional<std::chrono::seconds> wait(std::string value) {
  return robots::detail::retry_after({{"Server", "x"}, {"retry-after", std::move(value)}},
                                     asked_at);
}

}  // namespace

TEST_CASE("Retry-After is a number of seconds or a date") {
  CHECK(wait("120") == 120s);
  CHECK(wait(" 0 ") == 0s);
  CHECK(wait("Sun, 06 Nov 1994 08:50:37 GMT") == 60s);
  CHECK(wait("Sun Nov  6 08:50:37 1994") == 60s);
}

TEST_CASE("A past date asks for no wait") { CHECK(wait("Sat, 05 Nov 1994 08:49:37 GMT") == 0s); }

TEST_CASE("A wait has an upper limit") {
  CHECK(wait(std::string(100, '9')) == 2147483648s);
  CHECK(wait("Fri, 31 Dec 9999 23:59:59 GMT") == 2147483648s);
}

TEST_CASE("A fraction of a second is rounded up, and a unit is read") {
  CHECK(wait("2.5") == 3s);
  CHECK(wait("0.1") == 1s);
  CHECK(wait("2.0") == 2s);
  CHECK(wait("120s") == 120s);
  CHECK(wait("120 seconds") == 120s);
  CHECK(wait("2.5 Seconds") == 3s);
  CHECK(wait("1500ms") == 2s);
  CHECK(wait("1.5 min") == 90s);
  CHECK(wait("2 hours") == 7200s);
  CHECK(wait("9999999999999999999 days") == 2147483648s);
}

TEST_CASE("A value that cannot be read asks for the default wait, not for none") {
  for (const char* const value : {"", "-5", "soon", "1.5.2", ".", "s", "60 fortnights", "0x10",
                                  "Sun, 06 Nov 1994", "1994-11-06T08:50:37Z"}) {
    CAPTURE(value);
    CHECK(wait(value) == robots::detail::default_retry_after);
  }
}

TEST_CASE("The longest of several waits counts") {
  CHECK(wait("120, 30") == 120s);
  CHECK(wait("5, soon") == 60s);
  CHECK(wait("\"120\"") == 120s);
  CHECK(robots::detail::retry_after(
            {{"Retry-After", "5"}, {"Retry-After", "Sun, 06 Nov 1994 08:50:37 GMT"}}, asked_at) ==
        60s);
}

TEST_CASE("The smallest fraction of a second is rounded up") {
  CHECK(wait("0.0000000001") == 1s);
  CHECK(wait("2.00000000000001 s") == 3s);
  CHECK(wait("0.0000000001ms") == 1s);
  CHECK(wait("0.00000000000") == 0s);
}

TEST_CASE("A comma before three digits separates thousands, and another comma separates waits") {
  CHECK(wait("1,000") == 1'000s);
  CHECK(wait("1,000,000 ms") == 1'000s);
  CHECK(wait("5, 1,000") == 1'000s);
  CHECK(wait("1,000.5") == 1'001s);
  CHECK(wait("60,120,30") == 60'120s);
  CHECK(wait("3600,120") == 3'600s);
  CHECK(wait("1, 000") == 1s);
  CHECK(wait("1,0000") == 1s);
  CHECK(wait(",120") == 120s);
}

TEST_CASE("A date counts beside other waits") {
  CHECK(wait("Sun, 06 Nov 1994 08:59:37 GMT, 120") == 600s);
  CHECK(wait("120, Sun, 06 Nov 1994 08:59:37 GMT") == 600s);
  CHECK(wait("700, Sun Nov  6 08:59:37 1994") == 700s);
  CHECK(wait("Sun Nov  6 08:59:37 1994, 5") == 600s);
  CHECK(wait("Sun, 06 Nov 1994 08:51:37 GMT, Sun, 06 Nov 1994 08:59:37 GMT") == 600s);
  CHECK(wait("Sun, 06 Nov 1994 08:59:37, 120") == 120s);
  for (const char* const after : {" +120", "+120", " 120", ";120"}) {
    CHECK(wait(std::string{"Sun, 06 Nov 1994 08:59:37 GMT"} + after) ==
          robots::detail::default_retry_after);
  }
  CHECK(wait("+120") == robots::detail::default_retry_after);
}

TEST_CASE("A missing header asks for no wait") {
  CHECK(robots::detail::retry_after({}, asked_at) == std::nullopt);
}

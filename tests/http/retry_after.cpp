#include <robots/http/freshness.hpp>

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

TEST_CASE("An invalid or missing header asks for no wait") {
  CHECK(robots::detail::retry_after({}, asked_at) == std::nullopt);
  CHECK(wait("") == std::nullopt);
  CHECK(wait("-5") == std::nullopt);
  CHECK(wait("soon") == std::nullopt);
  CHECK(wait("1.5") == std::nullopt);
}

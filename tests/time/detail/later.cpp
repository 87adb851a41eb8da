#include <robots/time/detail/later.hpp>

#include <doctest/doctest.h>

#include <chrono>

namespace {

using robots::time_point;
using robots::detail::later;
using namespace std::chrono_literals;

static_assert(later(time_point{} + 5s, 3s) == time_point{} + 8s);
static_assert(later(time_point{}, 0s) == time_point{});
static_assert(later(time_point{} + 1h, std::chrono::seconds::max()) == time_point::max());
static_assert(later(time_point::max(), 1s) == time_point::max());

TEST_CASE("a time later than the end of time is the end of time") {
  const time_point now = std::chrono::steady_clock::now();
  CHECK(later(now, 24h) == now + 24h);
  CHECK(later(now, std::chrono::seconds::max()) == time_point::max());
}

}  // namespace

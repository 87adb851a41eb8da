#include <robots/base/saturating_add.hpp>

#include <doctest/doctest.h>

#include <chrono>

namespace {

using time_point = std::chrono::steady_clock::time_point;
using robots::base::saturating_add;
using namespace std::chrono_literals;

static_assert(saturating_add(time_point{} + 5s, 3s) == time_point{} + 8s);
static_assert(saturating_add(time_point{}, 0s) == time_point{});
static_assert(saturating_add(time_point{} + 1h, std::chrono::seconds::max()) == time_point::max());
static_assert(saturating_add(time_point::max(), 1s) == time_point::max());
static_assert(saturating_add(time_point{}, 3ns) == time_point{3ns});
static_assert(saturating_add(time_point::max() - 5ns, 4ns) == time_point::max() - 1ns);
static_assert(saturating_add(time_point::max() - 5ns, 6ns) == time_point::max());
static_assert(saturating_add(time_point::min(), std::chrono::nanoseconds::max()) ==
              time_point::max());
static_assert(saturating_add(time_point::min(), 1h) == time_point::min() + 1h);
static_assert(saturating_add(time_point{} + 5s, -3s) == time_point{} + 5s);
static_assert(saturating_add(time_point{} + 5s, std::chrono::hours::min()) == time_point{} + 5s);

TEST_CASE("A time later than the end of time is the end of time") {
  const time_point now = std::chrono::steady_clock::now();
  CHECK(saturating_add(now, 24h) == now + 24h);
  CHECK(saturating_add(now, std::chrono::seconds::max()) == time_point::max());
}

}  // namespace

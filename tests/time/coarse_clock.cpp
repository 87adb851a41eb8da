#include <robots/time/coarse_clock.hpp>

#include <robots/time/steady_clock.hpp>

#include <doctest/doctest.h>

TEST_CASE("the coarse clock is behind the steady clock, not before it") {
  const robots::CoarseClock coarse;
  const robots::SteadyClock steady;
  for (int i = 0; i < 1'000; ++i) {
    const robots::time_point ticked = coarse.now();
    CHECK(ticked <= steady.now());
  }
}

#include <robots/store/detail/use_steps.hpp>

#include <robots/time/clock.hpp>

#include <doctest/doctest.h>

#include <chrono>

using namespace std::chrono_literals;
using robots::time_point;
using robots::store_detail::use_steps;

namespace {

constexpr time_point start{use_steps::length * 1'000};

}  // namespace

TEST_CASE("what is used within one step gets one stamp, in a later step a greater one") {
  use_steps steps;
  use_steps::stamp a = 0;
  use_steps::stamp b = 0;
  steps.touch(a, start);
  steps.touch(b, start + use_steps::length - 1ns);
  CHECK(a == b);
  steps.touch(b, start + use_steps::length);
  CHECK(a < b);
  steps.touch(a, start);  // a thread that read the clock earlier
  CHECK(a == b);
}

TEST_CASE("a step that is asked for lies between what was used before and after") {
  use_steps steps;
  use_steps::stamp before = 0;
  use_steps::stamp after = 0;
  steps.touch(before, start);
  const auto between = steps.next();
  steps.touch(after, start);
  CHECK(before < between);
  CHECK(between < after);
  CHECK(steps.next() > after);
}

TEST_CASE("steps end before the epoch, too") {
  use_steps steps;
  use_steps::stamp a = 0;
  use_steps::stamp b = 0;
  steps.touch(a, time_point{} - 10 * use_steps::length);
  steps.touch(b, time_point{} - 9 * use_steps::length);
  CHECK(a < b);
}

TEST_CASE("any time will do") {
  use_steps steps;
  use_steps::stamp used = 0;
  for (const time_point when : {time_point::min(), time_point{}, time_point::max()}) {
    steps.touch(used, when);
  }
  CHECK(used < steps.next());
}

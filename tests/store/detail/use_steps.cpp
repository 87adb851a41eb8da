#include <robots/store/detail/use_steps.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <cstdint>

using robots::store_detail::use_steps;
using namespace std::chrono_literals;

namespace {

constexpr robots::time_point begin{1h};

}  // namespace

TEST_CASE("In a large storage, only the first use of an entry in 17 ms changes its mark") {
  use_steps steps{65'536};
  use_steps::mark one = 0;
  use_steps::mark other = 0;
  steps.note_use(one, begin);
  const std::uint32_t first = one;
  steps.note_use(other, begin + 1ms);
  steps.note_use(one, begin + 16ms);
  CHECK(one == first);
  CHECK(other == first);
  steps.note_use(other, begin + 17ms);
  CHECK(other > first);
  CHECK(one == first);
  steps.note_use(one, begin + 18ms);
  CHECK(one == other);
}

TEST_CASE("A step ends when 1/64 of the capacity was stored, even if the clock stands still") {
  use_steps steps{640};
  use_steps::mark used = 0;
  use_steps::mark stored = 0;
  steps.note_use(used, begin);
  const std::uint32_t first = used;
  for (int i = 0; i < 9; ++i) {
    steps.note_store(stored);
  }
  CHECK(stored == first);
  steps.note_store(stored);
  CHECK(stored > first);
  steps.note_use(used, begin);
  CHECK(used == stored);
}

TEST_CASE("Up to a capacity of 64, each use of another entry has a later mark") {
  use_steps steps{64};
  use_steps::mark one = 0;
  use_steps::mark other = 0;
  steps.note_store(one);
  steps.note_store(other);
  CHECK(other > one);
  steps.note_use(one, begin);
  CHECK(one > other);
  steps.note_use(other, begin - 1h);  // a clock that goes back changes nothing
  CHECK(other > one);
}

TEST_CASE("An entry stays older than a later one when the numbers of steps begin again at 0") {
  constexpr std::uint32_t last = 0xFFFF'FFFF;
  use_steps steps{64, last - 1};
  use_steps::mark one = 0;
  use_steps::mark other = 0;
  steps.note_use(one, begin);
  steps.note_use(other, begin);
  CHECK(one == last);
  CHECK(other == 0);
  CHECK(steps.is_older(one, other));
  CHECK_FALSE(steps.is_older(other, one));
}

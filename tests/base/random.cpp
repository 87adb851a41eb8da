#include <robots/base/random.hpp>

#include <robots/base/random_sequence.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

using robots::base::counter_random;
using robots::base::random_sequence;
using robots::base::unit_interval;

namespace {

constexpr std::uint64_t first_of(std::uint64_t seed) { return random_sequence{seed}(); }

// The first number of the published generator for the seed 0.
static_assert(first_of(0) == 0xE220A8397B1DCDAFU);
static_assert(first_of(1) != first_of(2));

static_assert(unit_interval(0) == 0.0);
static_assert(unit_interval(~std::uint64_t{0}) < 1.0);
static_assert(unit_interval(~std::uint64_t{0}) > 0.9999999);
static_assert(unit_interval(std::uint64_t{1} << 63U) == 0.5);

}  // namespace

TEST_CASE("A sequence continues from its state") {
  random_sequence numbers{0};
  CHECK(numbers() == 0xE220A8397B1DCDAFU);
  CHECK(numbers() == 0x6E789E6AA1B965F4U);
  CHECK(numbers() == 0x06C45D188009454FU);
}

TEST_CASE("A seed gives the numbers of SplitMix64") {
  counter_random random{1234567};
  CHECK(random() == 6457827717110365317U);
  CHECK(random() == 3203168211198807973U);
  CHECK(random() == 9817491932198370423U);
}

TEST_CASE("Draws are spread evenly over [0, 1)") {
  counter_random random{42};
  std::array<int, 10> counts{};
  for (int i = 0; i < 100'000; ++i) {
    const double drawn = random.draw();
    REQUIRE(drawn >= 0.0);
    REQUIRE(drawn < 1.0);
    ++counts.at(static_cast<std::size_t>(drawn * 10));
  }
  CHECK(std::ranges::min(counts) > 9'600);
  CHECK(std::ranges::max(counts) < 10'400);
}

TEST_CASE("Threads that share one generator get the numbers of one thread") {
  constexpr std::size_t threads = 4;
  constexpr std::size_t one = 1'000;
  counter_random shared{42};
  std::mutex mutex;
  std::vector<std::uint64_t> drawn;
  {
    std::vector<std::jthread> workers;
    for (std::size_t i = 0; i < threads; ++i) {
      workers.emplace_back([&] {
        for (std::size_t k = 0; k < one; ++k) {
          const std::uint64_t number = shared();
          const std::lock_guard lock{mutex};
          drawn.push_back(number);
        }
      });
    }
  }
  counter_random alone{42};
  std::vector<std::uint64_t> expected(threads * one);
  std::ranges::generate(expected, [&] { return alone(); });
  std::ranges::sort(drawn);
  std::ranges::sort(expected);
  CHECK(drawn == expected);
}

TEST_CASE("Without a seed, two generators differ") {
  counter_random one{std::nullopt};
  counter_random other{std::nullopt};
  CHECK(one() != other());
}

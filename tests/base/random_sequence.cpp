#include <robots/base/random_sequence.hpp>

#include <doctest/doctest.h>

#include <cstdint>

namespace {

using robots::base::random_sequence;
using robots::base::unit_interval;

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

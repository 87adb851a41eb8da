#include <robots/store/detail/eviction_order.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

using robots::store_detail::eviction_order;

TEST_CASE("the oldest is the one with the least stamp, whatever was used meanwhile") {
  std::mt19937 random{7};
  for (const std::size_t slots : {1U, 2U, 7U, 8U, 9U, 100U}) {
    std::vector<std::uint64_t> stamps(slots);
    std::uint64_t now = 0;
    for (auto& each : stamps) {
      each = ++now;
    }
    eviction_order order;
    for (int round = 0; round < 2'000; ++round) {
      for (std::size_t uses = random() % (2 * slots); uses > 0; --uses) {
        stamps[random() % slots] = ++now;
      }
      const std::size_t oldest =
          order.oldest(slots, [&](std::size_t slot) { return stamps[slot]; });
      REQUIRE(stamps[oldest] == *std::ranges::min_element(stamps));
      stamps[oldest] = ++now;
    }
  }
}

TEST_CASE("vacant slots are never named, nor is what was listed before a clear") {
  std::vector<std::uint64_t> stamps{5, 0, 3, 0, 4};
  const auto stamp_of = [&](std::size_t slot) { return stamps[slot]; };
  eviction_order order;
  CHECK(order.oldest(5, stamp_of) == 2);
  stamps[2] = 0;
  CHECK(order.oldest(5, stamp_of) == 4);
  stamps[4] = 0;
  order.clear();
  stamps[1] = 1;
  CHECK(order.oldest(5, stamp_of) == 1);
}

TEST_CASE("of equal stamps each is named once before any is named again") {
  std::vector<std::uint64_t> stamps(10, 1);
  eviction_order order;
  for (int i = 0; i < 10; ++i) {
    const std::size_t oldest = order.oldest(10, [&](std::size_t slot) { return stamps[slot]; });
    CHECK(stamps[oldest] == 1);
    stamps[oldest] = 2;
  }
}

#include <robots/observe/cache_stats.hpp>

#include <doctest/doctest.h>

using robots::cache_stats;

TEST_CASE("Each rate is a share of the matching total") {
  constexpr cache_stats stats{{.hits = 6,
                               .misses = 2,
                               .joined = 2,
                               .retrievals = 4,
                               .failures = 1,
                               .allowed = 3,
                               .denied = 5,
                               .excluded = 2,
                               .far_hits = 3,
                               .evictions = 1},
                              1};
  static_assert(stats.hit_rate() == 0.8);
  static_assert(stats.allow_rate() == 0.5);  // without the two decisions about excluded hosts
  static_assert(stats.exclusion_rate() == 0.25);
  static_assert(stats.eviction_rate() == 0.1);
  static_assert(stats.blocked_to_allowed() == 5.0 / 3.0);
  static_assert(stats.fetch_success_rate() == 0.75);
  CHECK(stats.hit_rate() == 0.8);
}

TEST_CASE("A new cache has rates of zero") {
  constexpr cache_stats none;
  static_assert(none.hit_rate() == 0.0);
  static_assert(none.allow_rate() == 0.0);
  static_assert(none.exclusion_rate() == 0.0);
  static_assert(none.eviction_rate() == 0.0);
  static_assert(none.blocked_to_allowed() == 0.0);
  static_assert(none.fetch_success_rate() == 0.0);
  CHECK(none.size == 0);
  CHECK(none.evictions == 0);
}

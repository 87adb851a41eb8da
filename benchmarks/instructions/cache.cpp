#include "instructions/meter.hpp"
#include "instructions/rows.hpp"
#include "instructions/web.hpp"
#include <robots/cache/basic_robots_cache.hpp>
#include <robots/observe/metrics.hpp>
#include <robots/observe/observer.hpp>
#include <robots/store/lru_storage.hpp>

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

namespace bench {
namespace {

template <class Observer>
using observed_cache = robots::basic_robots_cache<texts_fetcher, robots::ManualClock,
                                                  robots::LruStorage<4096>, Observer>;

template <class Cache>
void fill(Cache& filled, const std::vector<std::string>& urls) {
  for (const std::string& url : urls) {
    keep(filled.allowed(url));
  }
}

}  // namespace

void measure_cache(meter& to) {
  constexpr std::size_t hosts = 1024;
  constexpr std::size_t rounds = 4;
  const std::vector<std::string> urls = fixed_urls(hosts);
  // The hosts are asked in another order than fetched.
  const std::vector<std::string> asked = shuffled(urls);
  const robots::ManualClock clock;
  const pace_of_calls tick{clock};
  {
    observed_cache<robots::NullObserver> asking{fixed_options(), fixed_web(), clock};
    to.row("look-up/cold", hosts, [&](std::size_t i) {
      tick(i);
      keep(asking.allowed(urls[i]));
    });
    to.row("hit/allowed", rounds * hosts, [&](std::size_t i) {
      tick(i);
      keep(asking.allowed(asked[i % hosts]));
    });
    to.row("hit/check", rounds * hosts, [&](std::size_t i) {
      tick(i);
      keep(asking.check(asked[i % hosts]));
    });
  }
  observed_cache<robots::Metrics> counting{fixed_options(), fixed_web(), clock};
  fill(counting, urls);
  to.row("hit/metrics", rounds * hosts, [&](std::size_t i) {
    tick(i);
    keep(counting.check(asked[i % hosts]));
  });
}

}  // namespace bench

#include "instructions/meter.hpp"
#include "instructions/rows.hpp"
#include "instructions/web.hpp"
#include <robots/cache/basic_robots_cache.hpp>
#include <robots/observe/metrics.hpp>
#include <robots/observe/observer.hpp>
#include <robots/rulings/no_rulings.hpp>
#include <robots/rulings/site_rulings.hpp>
#include <robots/store/lru_storage.hpp>
#include <robots/testing/memory_ruling_ledger.hpp>

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace bench {
namespace {

template <class Observer, class Rulings = robots::NoRulings>
using observed_cache = robots::basic_robots_cache<texts_fetcher, robots::ManualClock,
                                                  robots::LruStorage<4096>, Observer, Rulings>;

template <class Cache>
void fill(Cache& filled, const std::vector<std::string>& urls) {
  for (const std::string& url : urls) {
    keep(filled.allowed(url));
  }
}

/// Returns rulings on `count` hosts, of which the rows ask none.
robots::SiteRulings rulings_on_other_hosts(std::size_t count) {
  robots::SiteRulings result{robots::rulings_options{}};
  for (std::size_t i = 0; i < count; ++i) {
    keep(result.override_with("ruled" + std::to_string(i) + ".example",
                              robots::site_override::deny));
  }
  return result;
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
  {
    constexpr std::size_t rulings = 10'000;
    observed_cache<robots::NullObserver, robots::SiteRulings> ruled{
        fixed_options(), fixed_web(), clock, {}, {}, rulings_on_other_hosts(rulings)};
    fill(ruled, urls);
    to.row("hit/rulings", rounds * hosts, [&](std::size_t i) {
      tick(i);
      keep(ruled.allowed(asked[i % hosts]));
    });
  }
  {
    const auto ledger = std::make_shared<robots::MemoryRulingLedger>();
    ledger->fail("no route to host");  // so each halt waits
    robots::SiteRulings waiting{{.ledger = ledger, .poll = std::chrono::milliseconds{0}}};
    to.row("halt/unsent", hosts, [&](std::size_t i) {
      keep(waiting.raise_halt(urls[i], robots::halt_reason::hostile, "rules 1"));
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

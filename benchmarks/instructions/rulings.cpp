#include "instructions/meter.hpp"
#include "instructions/rows.hpp"
#include "instructions/web.hpp"
#include <robots/cache/basic_robots_cache.hpp>
#include <robots/observe/observer.hpp>
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

void measure_rulings(meter& to) {
  constexpr std::size_t hosts = 1024;
  constexpr std::size_t rounds = 4;
  const std::vector<std::string> urls = fixed_urls(hosts);
  const std::vector<std::string> asked = shuffled(urls);
  const robots::ManualClock clock;
  const pace_of_calls tick{clock};
  {
    constexpr std::size_t rulings = 10'000;
    robots::basic_robots_cache<texts_fetcher, robots::ManualClock, robots::LruStorage<4096>,
                               robots::NullObserver, robots::SiteRulings>
        ruled{fixed_options(), fixed_web(), clock, {}, {}, rulings_on_other_hosts(rulings)};
    for (const std::string& url : urls) {
      keep(ruled.allowed(url));
    }
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
}

}  // namespace bench

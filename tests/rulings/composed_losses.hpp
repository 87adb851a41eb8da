// The losses of orders that a cache with a `SiteRulings` must prevent. They run over any ledger.
#pragma once

#include "rulings/loss_conformance.hpp"
#include "rulings/ruled_cache.hpp"
#include <robots/rulings/ruling_ledger.hpp>
#include <robots/testing/manual_clock.hpp>

#include <functional>
#include <memory>
#include <utility>

namespace robots::test {

/// A process of a crawl: its cache, and its ledger, which can fail. All sites have a robots.txt
/// that allows the page `home`. The process reads the ledger at its first look-up, and then by
/// `catch_up`, which stands for a poll.
struct composed_process : ruled_process {
  explicit composed_process(std::shared_ptr<RulingLedger> inner, rulings_options options = {},
                            const ManualClock& own_clock = ManualClock{})
      : composed_process{std::make_shared<failing_ledger>(std::move(inner)), std::move(options),
                         own_clock} {}

  std::shared_ptr<failing_ledger> ledger;

 private:
  composed_process(std::shared_ptr<failing_ledger> own, rulings_options options,
                   const ManualClock& own_clock)
      : ruled_process{over_ledger(own, std::move(options)), foo_bot_that_asks_once(), own_clock},
        ledger{std::move(own)} {
    web.otherwise(ok("User-agent: *\nDisallow: /a\n"));
  }
};

/// `open()` opens the same ledger as another process does. `lose()` makes it lose all orders.
struct tested_ledger {
  std::function<std::shared_ptr<RulingLedger>()> open;
  std::function<void()> lose;
};

/// Tests caches over a ledger. Compiled once, for the tests of all ledgers.
void composed_loss_conformance(const tested_ledger& tested);

}  // namespace robots::test

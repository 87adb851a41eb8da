// The rulings of several processes that share a store and a ledger.
#include "rulings/ruled_cache.hpp"
#include <robots/cache/tiered_storage.hpp>
#include <robots/rulings/site_rulings.hpp>
#include <robots/store/lru_storage.hpp>
#include <robots/testing/memory_ruling_ledger.hpp>
#include <robots/testing/memory_store.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace robots::test {

namespace {

using memory_store = MemoryStore<ManualClock>;
using shared_storage = TieredStorage<LruStorage<64>, memory_store>;
using sharing_cache =
    basic_robots_cache<ScriptedFetcher, ManualClock, shared_storage, Witness, SiteRulings>;

/// Several processes with one store, one ledger and one web.
struct crawl_with_store {
  [[nodiscard]] std::unique_ptr<sharing_cache> start(bool has_ledger = true) {
    rulings_options options{.halt_hostile = true};
    if (has_ledger) {
      options.ledger = std::make_shared<MemoryRulingLedger>(ledger);
      options.poll = std::chrono::milliseconds{0};
    }
    return std::make_unique<sharing_cache>(foo_bot(), web, clock,
                                           shared_storage{LruStorage<64>{}, store}, Witness{},
                                           SiteRulings{std::move(options)});
  }

  ScriptedFetcher web;
  ManualClock clock;
  memory_store store{clock};
  MemoryRulingLedger ledger;
};

}  // namespace

TEST_CASE("Each process halts a site that turns hostile, whichever process asked it") {
  crawl_with_store of;
  of.web.on(robots_url, ok(), ok(everything));
  const auto first = of.start();
  const auto second = of.start();
  std::vector<std::string> denied;
  const auto listening =
      first->on_denial([&](std::string_view site) { denied.emplace_back(site); });
  CHECK(first->allowed(home));
  CHECK(second->allowed(home));
  of.clock.advance(std::chrono::hours{24});
  CHECK(reason_of(second->check(home)) == "halted");
  // The record of the store halts the site, too, in a process that cannot compare it with others.
  CHECK(reason_of(of.start(false)->check(home)) == "halted");
  CHECK(second->rulings().catch_up());
  CHECK(denied.empty());
  CHECK(first->rulings().catch_up());
  CHECK(denied == std::vector<std::string>{"example.com"});
  CHECK(reason_of(first->check(home)) == "halted");
  CHECK(reason_of(of.start()->check(home)) == "halted");

  CHECK(first->rulings().resume("example.com").size() == 1);
  CHECK(second->rulings().catch_up());
  CHECK(reason_of(second->check(home)) == "rule");
  CHECK(reason_of(first->check(home)) == "rule");
  CHECK(reason_of(of.start()->check(home)) == "rule");
}

}  // namespace robots::test

// A cache that goes on where the last one ended, by an LmdbStore.
#include "support/temporary_folder.hpp"
#include <robots/adapters/lmdb_store.hpp>
#include <robots/cache/basic_robots_cache.hpp>
#include <robots/fetch/scripted_fetcher.hpp>
#include <robots/store/lru_storage.hpp>
#include <robots/store/tiered_storage.hpp>
#include <robots/time/steady_clock.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

using robots::LmdbStore;
using robots::LruStorage;
using robots::ScriptedFetcher;

namespace {

using tiered = robots::TieredStorage<LruStorage<64>, LmdbStore>;
using tiered_cache = robots::basic_robots_cache<ScriptedFetcher, robots::SteadyClock, tiered>;

}  // namespace

TEST_CASE("a crawler that is started again on its file asks the web for nothing that is fresh") {
  const robots::test::temporary_folder folder;
  const std::string path = (folder.path() / "robots.lmdb").string();
  std::vector<std::string> sites;
  for (int i = 0; i < 300; ++i) {
    sites.push_back("https://site" + std::to_string(i) + ".example");
  }
  const auto run = [&](const ScriptedFetcher& web) {
    tiered_cache cache{{.user_agent = "FooBot/1.0", .fallback = robots::fallback_policy::rfc9309()},
                       web,
                       {},
                       tiered{LmdbStore{robots::lmdb_options{.path = path}}}};
    int wrong = 0;
    for (const std::string& site : sites) {
      wrong += cache.allowed(site + "/public") ? 0 : 1;
      wrong += cache.allowed(site + "/private") ? 1 : 0;
    }
    CHECK(wrong == 0);
    return cache.stats();
  };
  ScriptedFetcher web;
  for (const std::string& site : sites) {
    web.on(site + "/robots.txt", ScriptedFetcher::ok("User-agent: *\nDisallow: /private\n"));
  }
  CHECK(run(web).retrievals == sites.size());

  const auto again = run(ScriptedFetcher{});  // which reaches nothing
  CHECK(again.retrievals == 0);
  CHECK(again.far_hits >= sites.size());
  CHECK(again.far_failures == 0);
}

// Caches that continue with the records of an earlier cache, in a SqliteStore.
#include "support/temporary_folder.hpp"
#include <robots/adapters/sqlite/sqlite_store.hpp>
#include <robots/cache/basic_robots_cache.hpp>
#include <robots/store/lru_storage.hpp>
#include <robots/store/tiered_storage.hpp>
#include <robots/testing/scripted_fetcher.hpp>
#include <robots/time/steady_clock.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

using robots::LruStorage;
using robots::ScriptedFetcher;
using robots::SqliteStore;

namespace {

using tiered = robots::TieredStorage<LruStorage<64>, SqliteStore>;
using tiered_cache = robots::basic_robots_cache<ScriptedFetcher, robots::SteadyClock, tiered>;

}  // namespace

TEST_CASE("A crawler that restarts with its file requests no robots.txt that is fresh") {
  const robots::test::temporary_folder folder;
  const std::string path = (folder.path() / "robots.sqlite").string();
  std::vector<std::string> sites;
  for (int i = 0; i < 300; ++i) {
    sites.push_back("https://site" + std::to_string(i) + ".example");
  }
  const auto run = [&](const ScriptedFetcher& web) {
    tiered_cache cache{{.user_agent = "FooBot/1.0", .fallback = robots::fallback_policy::rfc9309()},
                       web,
                       {},
                       tiered{SqliteStore{robots::sqlite_options{.path = path}}}};
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

  const auto again = run(ScriptedFetcher{});  // without responses
  CHECK(again.retrievals == 0);
  CHECK(again.far_hits >= sites.size());
  CHECK(again.far_failures == 0);
}

TEST_CASE("Decisions of a cache stay correct while its file is damaged") {
  const robots::test::temporary_folder folder;
  const std::string path = (folder.path() / "robots.sqlite").string();
  ScriptedFetcher web;
  std::vector<std::string> sites;
  for (int i = 0; i < 300; ++i) {
    sites.push_back("https://site" + std::to_string(i) + ".example");
    web.on(sites.back() + "/robots.txt",
           ScriptedFetcher::ok("User-agent: *\nDisallow: /private\n"));
  }
  const auto wrong_answers = [&](tiered_cache& cache) {
    return std::ranges::count_if(sites, [&](const std::string& site) {
      return !cache.allowed(site + "/public") || cache.allowed(site + "/private");
    });
  };
  const auto cache_over = [&](SqliteStore store) {
    return std::make_unique<tiered_cache>(
        robots::cache_options{.user_agent = "FooBot/1.0",
                              .fallback = robots::fallback_policy::rfc9309()},
        web, robots::SteadyClock{}, tiered{std::move(store)});
  };
  CHECK(wrong_answers(*cache_over(SqliteStore{{.path = path}})) == 0);
  {  // the first page stays whole, since the constructor finds damage in it
    std::fstream file{path, std::ios::in | std::ios::out | std::ios::binary};
    const auto size = static_cast<std::streamoff>(std::filesystem::file_size(path));
    for (std::streamoff page = 4'096; page < size; page += 4'096) {
      file.seekp(page);
      file << std::string(64, '\xA5');
    }
  }
  const auto cache = cache_over(SqliteStore{{.path = path}});
  CHECK(wrong_answers(*cache) == 0);
  CHECK(cache->stats().far_failures > 0);
  CHECK(cache->stats().retrievals == sites.size());
}

// Caches that continue with the records of an earlier cache, in a SqliteStore.
#include "support/temporary_folder.hpp"
#include <robots/adapters/detail/stored_value.hpp>
#include <robots/adapters/sqlite/sqlite_store.hpp>
#include <robots/base/ascii.hpp>
#include <robots/cache/basic_robots_cache.hpp>
#include <robots/cache/tiered_storage.hpp>
#include <robots/store/lru_storage.hpp>
#include <robots/testing/scripted_fetcher.hpp>
#include <robots/time/steady_clock.hpp>

#include <doctest/doctest.h>
#include <sqlite3.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
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

TEST_CASE("Caches that compress and caches that do not share one fetch of each file") {
  const robots::test::temporary_folder folder;
  const std::string path = (folder.path() / "robots.sqlite").string();
  std::string rules = "User-agent: *\nDisallow: /private\n";
  for (int i = 0; i < 100; ++i) {
    rules += "Disallow: /folder-" + std::to_string(i) + "/\n";
  }
  ScriptedFetcher web;
  web.otherwise(ScriptedFetcher::ok(rules));
  const auto cache_over = [&](bool compresses) {
    return std::make_unique<tiered_cache>(
        robots::cache_options{.user_agent = "FooBot/1.0",
                              .fallback = robots::fallback_policy::rfc9309()},
        web, robots::SteadyClock{}, tiered{SqliteStore{{.path = path, .compress = compresses}}});
  };
  const auto plain = cache_over(false);
  const auto compressing = cache_over(true);
  constexpr int sites = 40;
  for (int site = 0; site < sites; ++site) {
    const std::string origin = "https://site" + std::to_string(site) + ".example";
    tiered_cache& first = site % 2 == 0 ? *plain : *compressing;
    tiered_cache& second = site % 2 == 0 ? *compressing : *plain;
    for (tiered_cache* const cache : {&first, &second}) {
      CHECK(cache->allowed(origin + "/public"));
      CHECK_FALSE(cache->allowed(origin + "/folder-99/"));
    }
  }
  CHECK(web.count() == sites);
  CHECK(plain->stats().far_hits + compressing->stats().far_hits == sites);
}

TEST_CASE("A compressed record that is damaged is ignored, and the site is asked") {
  const robots::test::temporary_folder folder;
  const robots::sqlite_options file{.path = (folder.path() / "robots.sqlite").string(),
                                    .max_bytes = std::size_t{64} << 20U,
                                    .compress = true};
  ScriptedFetcher web;
  web.otherwise(ScriptedFetcher::ok("User-agent: *\nDisallow: /private\n"));
  SqliteStore store{file};
  int site = 0;
  const auto refuses = [&](const std::string& stored) {
    const std::string origin = "https://site" + std::to_string(++site) + ".example";
    store.publish(origin, "will be changed", std::chrono::hours{1});
    sqlite3* opened = nullptr;
    REQUIRE(::sqlite3_open(file.path.c_str(), &opened) == SQLITE_OK);
    std::string digits;
    for (const char octet : stored) {
      const auto [high, low] = robots::base::hex_digits(static_cast<unsigned char>(octet));
      digits.append({high, low});
    }
    const std::string change = "UPDATE records SET octets = X'" + digits +
                               "' WHERE name = CAST('site:" + origin + "' AS BLOB)";
    CHECK(::sqlite3_exec(opened, change.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK);
    ::sqlite3_close(opened);
    tiered_cache cache{{.user_agent = "FooBot/1.0", .fallback = robots::fallback_policy::rfc9309()},
                       web,
                       {},
                       tiered{SqliteStore{file}}};
    CHECK_FALSE(cache.allowed(origin + "/private"));
    CHECK(cache.allowed(origin + "/"));
    CHECK(cache.stats().far_rejected > 0);
    CHECK(cache.stats().far_failures == 0);
    CHECK(cache.stats().retrievals == 1);
  };
  const std::string allows_all =
      robots::adapters_detail::stored_value(std::string(1'000, 'x'), true);
  refuses("\x83");
  refuses(allows_all);  // a whole stream, but no record
  refuses(allows_all.substr(0, allows_all.size() / 2));
  refuses(allows_all + 'x');
  refuses(robots::adapters_detail::stored_value(std::string(10'000'000, 'x'), true));  // a bomb
  CHECK(web.count() == site);
}

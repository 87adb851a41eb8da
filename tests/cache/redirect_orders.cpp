// `refresh`, `invalidate` and `report_response` of a site that redirects to another site.
#include "cache_fixture.hpp"
#include "rulings/ruled_cache.hpp"
#include <robots/cache/basic_robots_cache.hpp>
#include <robots/policy/policy.hpp>
#include <robots/testing/scripted_fetcher.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <string>

using namespace std::chrono_literals;

namespace {

namespace test = robots::test;

constexpr const char* target_robots_url = "https://www.example.com/robots.txt";
constexpr const char* open_target = "User-agent: *\nDisallow:\n";

/// A cache in which https://example.com redirects to https://www.example.com.
struct moved_site : test::scripted {
  moved_site() : scripted(test::foo_bot_that_asks_once()) {
    web.on(test::robots_url, robots::ScriptedFetcher::redirect(301, target_robots_url));
    web.on(target_robots_url, test::ok(open_target), test::ok());
    CHECK(cache.allowed(test::secret));
    clock.advance(1h);
  }

  [[nodiscard]] std::size_t target_requests() const { return web.count(target_robots_url); }
};

}  // namespace

TEST_CASE("A refresh of a site that redirects also fetches the robots.txt of the target") {
  moved_site sites;
  CHECK_FALSE(sites.cache.refresh(test::home)->allows("/private/x"));
  CHECK(sites.target_requests() == 2);
  CHECK_FALSE(sites.cache.allowed("https://www.example.com/private/x"));
}

TEST_CASE("Refreshes of sites that redirect fetch one target once in the shortest lifetime") {
  moved_site sites;
  sites.web.on("https://other.example/robots.txt",
               robots::ScriptedFetcher::redirect(301, target_robots_url));
  for (int i = 0; i < 3; ++i) {
    static_cast<void>(sites.cache.refresh(test::home));
    static_cast<void>(sites.cache.refresh("https://other.example/"));
    sites.cache.invalidate(test::home);
    CHECK_FALSE(sites.cache.allowed(test::secret));
  }
  CHECK(sites.target_requests() == 2);
  sites.clock.advance(5min);
  static_cast<void>(sites.cache.refresh("https://other.example/"));
  CHECK(sites.target_requests() == 3);
  static_cast<void>(sites.cache.refresh("https://www.example.com/"));  // this is always possible
  CHECK(sites.target_requests() == 4);
}

TEST_CASE("A refresh of sites that redirect in a loop asks each of them once more at most") {
  test::scripted sites{test::foo_bot_that_asks_once()};
  sites.web.on(test::robots_url, robots::ScriptedFetcher::redirect(301, target_robots_url));
  sites.web.on(target_robots_url, robots::ScriptedFetcher::redirect(301, test::robots_url));
  static_cast<void>(sites.cache.refresh(test::home));
  CHECK(sites.web.count() <= 4);
}

TEST_CASE("An invalidation of a site that redirects also erases the rules of the target") {
  moved_site sites;
  sites.cache.invalidate("example.com");
  CHECK_FALSE(sites.cache.allowed(test::secret));
  CHECK(sites.target_requests() == 2);
}

TEST_CASE("An invalidation of a site that redirects leaves no last good copy of the target") {
  moved_site sites;
  sites.web.on(target_robots_url, robots::ScriptedFetcher::status(503));
  sites.cache.invalidate(test::home);
  CHECK_FALSE(sites.cache.allowed(test::secret));
}

TEST_CASE("After a surprising answer to a page, the target of the site's redirect is asked") {
  moved_site sites;
  CHECK(sites.cache.report_response(test::secret, 403));
  CHECK_FALSE(sites.cache.allowed(test::secret));
  CHECK(sites.target_requests() == 2);
  SUBCASE("but not again while its rules are young") {
    static_cast<void>(sites.cache.report_response("https://example.com/", 403));
    CHECK(sites.cache.allowed(test::home));
    CHECK(sites.target_requests() == 2);
  }
}

TEST_CASE("Access that a site revokes does not halt the target of its redirect") {
  test::ruled_process sites{{.halt_revoked = true}};
  sites.web.on(test::robots_url, robots::ScriptedFetcher::redirect(301, target_robots_url));
  sites.web.on(target_robots_url, test::ok(open_target));
  CHECK(sites.cache.allowed(test::secret));
  CHECK(sites.cache.report_response(test::secret, 403));
  CHECK(sites.is_halted());
  CHECK_FALSE(sites.is_halted("https://www.example.com/"));
  CHECK(sites.cache.allowed("https://www.example.com/"));
}

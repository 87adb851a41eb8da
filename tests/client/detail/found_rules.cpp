#include <robots/client/detail/found_rules.hpp>

#include "cache/cache_fixture.hpp"
#include "client/ruled_crawl.hpp"
#include <robots/policy/fallback.hpp>
#include <robots/policy/policy.hpp>

#include <doctest/doctest.h>

#include <memory>
#include <string_view>

namespace robots::test {

namespace {

constexpr const char* private_page = "https://example.com/private/page";

/// A cache with rulings, and the rules that a look-up of its site has found.
struct found_site {
  explicit found_site(const fallback_policy& fallback = fallback_policy::rfc9309())
      : cache{with(fallback), web, clock} {
    web.on(robots_url, ok());
  }

  [[nodiscard]] static cache_options with(const fallback_policy& fallback) {
    cache_options options = foo_bot_that_asks_once();
    options.fallback = fallback;
    return options;
  }

  ScriptedFetcher web;
  ManualClock clock;
  ruled_cache cache;
};

/// A cache whose site another thread resumes between two questions of one thread.
struct cache_resumed_between_questions {
  [[nodiscard]] bool is_denied(std::string_view url, const call_options& call) const {
    const bool was_denied = inner.is_denied(url, call);
    if (was_denied) {
      inner.rulings().resume(url);
      inner.invalidate(url);  // as if the storage had dropped the rules
    }
    return was_denied;
  }
  [[nodiscard]] auto get(std::string_view url, const call_options& call) const {
    return inner.get(url, call);
  }
  [[nodiscard]] auto check(std::string_view url, const std::shared_ptr<const policy>& used,
                           const call_options& call) const {
    return inner.check(url, used, call);
  }

  ruled_cache& inner;
};

}  // namespace

TEST_CASE("A page whose site is resumed during a question obeys the rules of its look-up") {
  found_site site{fallback_policy::permissive()};
  cache_resumed_between_questions resumed{site.cache};
  client_detail::found_rules<cache_resumed_between_questions> found{resumed};
  found.use(site.cache.check(private_page), site.cache.get(private_page));
  site.cache.rulings().halt("example.com");
  CHECK_FALSE(found.get(private_page, {})->allows(private_page));
  CHECK(site.cache.rulings().in_force().empty());
  CHECK(found.get(home, {})->allows(home));
  site.cache.rulings().halt("example.com");
  CHECK_FALSE(found.check(private_page, {}).allowed);
}

TEST_CASE("A page whose site is halted after its look-up obeys the halt") {
  found_site site;
  client_detail::found_rules<ruled_cache> found{site.cache};
  found.use(site.cache.check(home), site.cache.get(home));
  CHECK(found.get(home, {})->allows(home));
  site.cache.rulings().halt("example.com");
  CHECK(found.get(home, {})->reason_for_all_urls() == decision_reason::halted);
  CHECK_FALSE(found.check(home, {}).allowed);
}

}  // namespace robots::test

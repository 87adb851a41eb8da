// The property of the client: whatever the redirects are, no request reaches a page that the rules,
// a ruling, an exclusion or the guard of addresses forbid.
#include "cache/cache_fixture.hpp"
#include "generated_redirects.hpp"
#include <robots/client/page_driver.hpp>
#include <robots/client/page_result.hpp>
#include <robots/client/polite_client.hpp>
#include <robots/observe/observer.hpp>
#include <robots/polite/host_gate.hpp>
#include <robots/rulings/site_rulings.hpp>
#include <robots/store/lru_storage.hpp>

#include <doctest/doctest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace robots::test {

namespace {

using ruled_cache =
    basic_robots_cache<ScriptedFetcher, ManualClock, LruStorage<4096>, NullObserver, SiteRulings>;

/// How often a call ended for each reason.
using end_counts = std::array<std::size_t, static_cast<std::size_t>(page_end::too_late) + 1>;

/// A cache and a gate for the web, with its exclusions and halts.
struct ruled_crawl {
  explicit ruled_crawl(const generated_redirects& web)
      : fetcher{web.fetcher()}, cache{excluding(), fetcher, clock} {
    for (std::uint64_t host = 0; host < generated_redirects::hosts; ++host) {
      if (generated_redirects::kind_of(host) == host_kind::halted) {
        static_cast<void>(cache.rulings().halt(generated_redirects::name_of(host)));
      }
    }
  }

  [[nodiscard]] static cache_options excluding() {
    cache_options options = foo_bot_that_asks_once();
    options.excluded = {"gov"};
    return options;
  }

  ScriptedFetcher fetcher;
  ManualClock clock;
  ruled_cache cache;
  basic_host_gate<ManualClock> gate{{.seed = 1}, clock};
};

/// Fetches every page of the web with `threads` threads.
end_counts crawl(const generated_redirects& web, std::size_t threads) {
  ruled_crawl parts{web};
  basic_polite_client client{parts.cache, parts.gate, parts.fetcher};
  std::atomic<std::uint64_t> next = 0;
  std::mutex mutex;
  end_counts ends{};
  const auto work = [&] {
    for (std::uint64_t page = next++; page < generated_redirects::pages; page = next++) {
      const page_result result = client.fetch(generated_redirects::url_of(page));
      const std::scoped_lock lock{mutex};
      ++ends[static_cast<std::size_t>(result.end)];
    }
  };
  std::vector<std::jthread> others;
  for (std::size_t i = 1; i < threads; ++i) {
    others.emplace_back(work);
  }
  work();
  others.clear();
  return ends;
}

/// An `AsyncFetcher` that answers while it is asked.
struct prompt_web {
  ScriptedFetcher web;
  void async_fetch(const fetch_request& request, const std::function<void(fetch_response)>& done) {
    done(web.fetch(request));
  }
};

/// Fetches every page of the web in one thread, with up to 200 pages at a time.
end_counts crawl_with_driver(const generated_redirects& web) {
  ruled_crawl parts{web};
  prompt_web net{parts.fetcher};
  page_driver driver{parts.cache, parts.gate, net, [] {}};
  end_counts ends{};
  std::uint64_t next = 0;
  while (next < generated_redirects::pages || driver.size() > 0) {
    while (driver.size() < 200 && next < generated_redirects::pages) {
      driver.start(generated_redirects::url_of(next++), {}, [&ends](const page_result& result) {
        ++ends[static_cast<std::size_t>(result.end)];
      });
    }
    const auto due = driver.next_run();
    REQUIRE((due || driver.size() == 0));
    if (due) {
      parts.clock.sleep_until(*due, {});
    }
    driver.run();
  }
  return ends;
}

void check_ends(const generated_redirects& web, const end_counts& ends) {
  const auto count = [&ends](page_end end) { return ends[static_cast<std::size_t>(end)]; };
  CHECK(web.violations() == 0);
  CHECK(web.reached() > 5'000);
  CHECK(count(page_end::answered) > 1'000);
  CHECK(count(page_end::refused) > 1'000);
  CHECK(count(page_end::overloaded) > 10);
  CHECK(count(page_end::failed) == 0);
  CHECK(count(page_end::no_room) == 0);
}

}  // namespace

TEST_CASE("No request reaches a forbidden page of a web of 10,000 pages full of redirects") {
  const generated_redirects web;
  check_ends(web, crawl(web, 1));
}

TEST_CASE("No request reaches a forbidden page when eight threads share a client") {
  const generated_redirects web;
  check_ends(web, crawl(web, 8));
}

TEST_CASE("No request of an event loop reaches a forbidden page") {
  const generated_redirects web;
  const end_counts ends = crawl_with_driver(web);
  check_ends(web, ends);
  const generated_redirects same;
  CHECK(ends == crawl(same, 1));  // both drive the same machine
}

}  // namespace robots::test

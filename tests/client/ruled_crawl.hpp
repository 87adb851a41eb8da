// The parts of a crawl of the web of `generated_redirects`, and the ends that its calls must have.
#pragma once

#include "cache/cache_fixture.hpp"
#include "generated_redirects.hpp"
#include <robots/base/stop_token.hpp>
#include <robots/cache/basic_robots_cache.hpp>
#include <robots/cache/cache_options.hpp>
#include <robots/client/page_result.hpp>
#include <robots/http/message.hpp>
#include <robots/observe/observer.hpp>
#include <robots/polite/host_gate.hpp>
#include <robots/rulings/site_rulings.hpp>
#include <robots/store/lru_storage.hpp>
#include <robots/testing/manual_clock.hpp>
#include <robots/testing/scripted_fetcher.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <string>
#include <utility>

namespace robots::test {

using ruled_cache =
    basic_robots_cache<ScriptedFetcher, ManualClock, LruStorage<4096>, NullObserver, SiteRulings>;

/// The number of pages of a crawl, and the octets of memory for the rules of its cache.
struct crawl_size {
  std::uint64_t pages = generated_redirects::pages;
  std::size_t room = 100'000'000;
};
inline constexpr crawl_size whole_web{};
/// A crawl whose cache loses the rules of most sites.
inline constexpr crawl_size forgetful{.pages = 2'000, .room = 16'000};

/// An `AsyncFetcher` that answers at once, except the URL that it holds back.
struct slow_web {
  void async_fetch(const fetch_request& request, std::function<void(fetch_response)> done) {
    if (request.url == held) {
      stop = request.stop;
      answer = std::move(done);
      static_cast<void>(web.fetch(request));
    } else {
      done(web.fetch(request));
    }
  }

  ScriptedFetcher web;
  std::string held{};
  stop_token stop{};
  std::function<void(fetch_response)> answer{};
};

/// How often a call ended for each reason.
using end_counts = std::array<std::size_t, static_cast<std::size_t>(page_end::too_late) + 1>;

/// A cache and a gate for the web, with its exclusions and halts.
struct ruled_crawl {
  ruled_crawl(const generated_redirects& web, const crawl_size& size)
      : fetcher{web.fetcher()}, cache{excluding(), fetcher, clock, LruStorage<4096>{size.room}} {
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

inline void check_ends(const generated_redirects& web, const end_counts& ends) {
  const auto count = [&ends](page_end end) { return ends[static_cast<std::size_t>(end)]; };
  const std::size_t pages = std::accumulate(ends.begin(), ends.end(), std::size_t{0});
  CHECK(web.violations() == 0);
  CHECK(web.reached() > pages / 2);
  CHECK(count(page_end::answered) > pages / 10);
  CHECK(count(page_end::refused) > pages / 10);
  CHECK(count(page_end::overloaded) > pages / 1'000);
  CHECK(count(page_end::failed) == 0);
  CHECK(count(page_end::no_room) == 0);
}

}  // namespace robots::test

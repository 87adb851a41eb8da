// Many threads of several processes over one store.
#include "cache/tiered_fleet.hpp"
#include <robots/cache/basic_robots_cache.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <vector>

using namespace std::chrono_literals;
using namespace robots::test::tiering;
using robots::cache_options;
using robots::decision;
using robots::look_up;
using robots::record;
using robots::test::foo_bot;
using robots::test::ok;

TEST_CASE("A new fleet of many threads fetches each site once, and once more after expiry") {
  constexpr std::size_t workers = 4;
  constexpr std::size_t threads = 4;
  constexpr int sites = 25;
  fleet crawlers;
  std::vector<std::string> urls;
  for (int i = 0; i < sites; ++i) {
    urls.push_back("https://site" + std::to_string(i) + ".example/robots.txt");
    crawlers.web.on(urls.back(), ok());
  }
  std::vector<std::unique_ptr<tiered_cache>> caches;
  for (std::size_t i = 0; i < workers; ++i) {
    caches.push_back(crawlers.worker(foo_bot(), patient()));
  }
  for (std::size_t round = 1; round <= 2; ++round) {
    std::vector<std::future<int>> calls;
    for (std::size_t i = 0; i < workers * threads; ++i) {
      calls.push_back(std::async(std::launch::async, [&, i] {
        int wrong = 0;
        for (std::size_t j = 0; j < urls.size(); ++j) {
          const std::string& url = urls[(j + i) % urls.size()];
          const std::string page = url.substr(0, url.size() - 10) + "private/x";
          if (i % 2 == 0) {
            wrong += caches[i % workers]->allowed(page) ? 1 : 0;
          } else {
            look_up looking = caches[i % workers]->begin(page);
            drive(looking, crawlers);
            wrong += caches[i % workers]->check(page, looking).allowed ? 1 : 0;
          }
        }
        return wrong;
      }));
    }
    for (auto& one : calls) {
      CHECK(crawlers.wait_for(one) == 0);
    }
    for (const std::string& url : urls) {
      CHECK(crawlers.web.count(url) == round);
    }
    crawlers.clock.advance(24h);
  }
}

TEST_CASE("No thread of a fleet makes a wrong decision, whatever happens to the store") {
  constexpr std::size_t workers = 3;
  constexpr std::size_t threads = 6;
  constexpr int sites = 8;
  fleet crawlers;
  crawlers.web.otherwise(
      ok(robots::test::rules, {{"ETag", "\"1\""}, {"Cache-Control", "max-age=600"}}));
  std::vector<std::unique_ptr<tiered_cache>> caches;
  for (std::size_t i = 0; i < workers; ++i) {
    cache_options options = foo_bot();
    options.longest_call = 0ms;  // the time of the test jumps
    caches.push_back(crawlers.worker(options));
  }
  const auto site = [](std::size_t i) {
    return "https://site" + std::to_string(i % sites) + ".example/";
  };
  std::vector<std::future<int>> calls;
  for (std::size_t i = 0; i < threads; ++i) {
    calls.push_back(std::async(std::launch::async, [&, i] {
      tiered_cache& cache = *caches[i % workers];
      int wrong = 0;
      for (std::size_t j = 0; j < 150; ++j) {
        const std::string page = site(i + j);
        wrong += cache.allowed(page + "private/x") || !cache.check(page).allowed ? 1 : 0;
        look_up looking = cache.begin(page);
        drive(looking, crawlers);
        wrong += cache.check(page, looking).allowed ? 0 : 1;
        if (j % 10 == 0) {
          cache.invalidate(page);
        } else if (j % 25 == 0) {
          wrong += cache.refresh(page)->allows("/private/x") ? 1 : 0;
        }
      }
      return wrong;
    }));
  }
  for (std::size_t event = 0; calls.back().wait_for(0s) != std::future_status::ready; ++event) {
    switch (event % 6) {
      case 0:
        crawlers.store.fail("it is down");
        break;
      case 1:
        crawlers.store.recover();
        break;
      case 2:
        crawlers.store.clear();
        break;
      case 3:
        crawlers.store.publish(site(event).substr(0, site(event).size() - 1), "no record", 1h);
        break;
      case 4:
        crawlers.store.lose_changes();
        break;
      default:
        crawlers.clock.advance(event % 4 == 1 ? 10min : 100ms);
    }
    std::this_thread::yield();
  }
  crawlers.store.recover();
  for (auto& one : calls) {
    CHECK(crawlers.wait_for(one) == 0);
  }
}

// One process of a fleet that shares records in Redis. It asks about pages of many sites. Each site
// forbids one page and allows another. The process fails if a decision is wrong.
//
//     rules-worker REDIS-URL CONNECT-TO SITES THREADS HOURS
//
// Its clocks are HOURS hours ahead.
#include <robots/adapters/curl/curl_fetcher.hpp>
#include <robots/adapters/redis/redis_store.hpp>
#include <robots/cache/basic_robots_cache.hpp>
#include <robots/cache/tiered_storage.hpp>
#include <robots/store/lru_storage.hpp>
#include <robots/time/steady_clock.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <numeric>
#include <random>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace {

/// A clock that is some hours ahead of this machine.
class clock_ahead {
 public:
  explicit clock_ahead(std::chrono::hours ahead) : by_(ahead) {}

  [[nodiscard]] robots::time_point now() { return clock_.now() + by_; }
  [[nodiscard]] robots::wall_time wall_now() const {
    return std::chrono::system_clock::now() + by_;
  }
  void sleep_until(robots::time_point when, std::stop_token stop) {
    clock_.sleep_until(when - by_, std::move(stop));
  }

 private:
  robots::SteadyClock clock_;
  std::chrono::hours by_;
};

using storage = robots::TieredStorage<robots::LruStorage<4096>, robots::RedisStore>;

}  // namespace

int main(int count, char** arguments) {
  if (count != 6) {
    return EXIT_FAILURE;
  }
  const int sites = std::atoi(arguments[3]);
  robots::curl_options settings;
  settings.connect_to = {arguments[2]};
  settings.allowed_addresses = {"127.0.0.1"};
  const robots::cache_options options{.user_agent = "FleetBot",
                                      .fallback = robots::fallback_policy::strict()};
  robots::basic_robots_cache<robots::CurlFetcher, clock_ahead, storage> cache{
      options, robots::CurlFetcher{settings},
      clock_ahead{std::chrono::hours{std::atoi(arguments[5])}},
      storage{robots::RedisStore{robots::redis_options{.url = arguments[1]}}}};
  std::atomic<int> wrong = 0;
  std::vector<std::jthread> threads;
  for (int i = 0; i < std::atoi(arguments[4]); ++i) {
    threads.emplace_back([&] {
      std::vector<int> order(static_cast<std::size_t>(sites));
      std::iota(order.begin(), order.end(), 0);
      std::ranges::shuffle(order, std::mt19937{std::random_device{}()});
      for (const int site : order) {
        const std::string origin = "http://site-" + std::to_string(site) + ".example";
        const robots::decision forbidden = cache.check(origin + "/private");
        const robots::decision allowed = cache.check(origin + "/public");
        if (forbidden.allowed || !allowed.allowed) {
          ++wrong;
          std::cerr << explain(forbidden) << '\n' << explain(allowed) << '\n';
        }
      }
    });
  }
  threads.clear();
  return wrong == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

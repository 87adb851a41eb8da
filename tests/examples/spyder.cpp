// The check of SPYDER, a web probe. It skips excluded hosts, obeys robots.txt, and prints counts.
// Usage: robots-spyder URL_OR_HOST...
#include <robots/adapters/curl/curl_fetcher.hpp>
#include <robots/cache/basic_robots_cache.hpp>
#include <robots/policy/fallback.hpp>

#include <exception>
#include <iostream>

int main(int argc, char** argv) {
  try {
    // SPYDER allows everything if a robots.txt is unavailable, and keeps 4,096 sites for 24 hours.
    robots::basic_robots_cache<robots::CurlFetcher, robots::SteadyClock, robots::LruStorage<4096>>
        cache{{.user_agent = "spyder-probe/1.0 (+https://spyder.example)",
               .fallback = robots::fallback_policy::permissive(),
               .excluded = {"gov", "mil", "int"}},
              robots::CurlFetcher{{.allowed_addresses = {"127.0.0.0/8"}}}};  // only for the test
    for (int i = 1; i < argc; ++i) {
      const robots::decision decision = cache.check(argv[i]);
      std::cout << (decision.allowed ? "probe " : "skip  ") << argv[i] << " ("
                << to_string(decision.reason) << ")\n";
    }
    const robots::cache_stats stats = cache.stats();
    std::cout << "cache hit rate " << stats.hit_rate() << "\nallow rate " << stats.allow_rate()
              << "\nexclusion rate " << stats.exclusion_rate() << "\nfetch success rate "
              << stats.fetch_success_rate() << '\n';
    return 0;
  } catch (const std::exception& error) {
    std::cerr << "robots-spyder: " << error.what() << '\n';
    return 2;
  }
}

// Measures look-ups that a shared store answers. Prints medians over 4,096 sites with real
// files, in microseconds.
//
//     robots-fleet-stores [REDIS-URL [PATH-OF-AN-SQLITE-FILE [RECORDS]]]
//
// With RECORDS, it also measures look-ups in a second file with this number of records of 1.2 KB.
#include "inputs/inputs.hpp"
#include <robots/cache/basic_robots_cache.hpp>
#include <robots/cache/tiered_storage.hpp>
#include <robots/policy/codec.hpp>
#include <robots/store/lru_storage.hpp>
#include <robots/testing/memory_store.hpp>
#include <robots/testing/scripted_fetcher.hpp>
#include <robots/time/steady_clock.hpp>
#ifdef BENCH_HAS_REDIS
#include <robots/adapters/redis/redis_store.hpp>

#include <hiredis/hiredis.h>
#endif
#ifdef BENCH_HAS_SQLITE
#include <robots/adapters/sqlite/sqlite_store.hpp>
#endif

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace {

using clock_type = std::chrono::steady_clock;

constexpr std::size_t site_count = 4'096;

/// Returns the median time of a call for each site, in microseconds.
template <class Call>
double median(const std::vector<std::string>& sites, const Call& call) {
  std::vector<double> times;
  for (const std::string& site : sites) {
    const auto start = clock_type::now();
    static_cast<void>(call(site));
    times.push_back(std::chrono::duration<double, std::micro>(clock_type::now() - start).count());
  }
  std::ranges::nth_element(times, times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2));
  return times[times.size() / 2];
}

template <class Near, class... Parts>
using cache_of =
    robots::basic_robots_cache<robots::ScriptedFetcher, robots::SteadyClock, Near, Parts...>;

/// Measures the store that `make` opens.
template <class Make>
void measure(const char* name, const std::vector<std::string>& sites,
             const std::vector<std::string>& files, const Make& make) {
  using store = decltype(make());
  const robots::cache_options options{.user_agent = "BenchBot",
                                      .fallback = robots::fallback_policy::strict()};
  robots::ScriptedFetcher web;
  for (std::size_t i = 0; i < sites.size(); ++i) {
    web.on(sites[i] + "/robots.txt", robots::ScriptedFetcher::ok(files[i % files.size()]));
  }
  using tiered = robots::TieredStorage<robots::LruStorage<2 * site_count>, store>;
  cache_of<tiered> first{options, web, {}, tiered{make()}};
  const double miss = median(sites, [&](const std::string& site) { return first.get(site); });
  const double near_hit = median(sites, [&](const std::string& site) { return first.get(site); });
  cache_of<tiered> second{options, web, {}, tiered{make()}};
  const double far_hit = median(sites, [&](const std::string& site) { return second.get(site); });
  store opened = make();
  const double load = median(sites, [&](const std::string& site) { return opened.load(site); });
  std::printf("%s\t%.2f\t%.2f\t%.2f\t%.2f\t%llu of %zu\n", name, near_hit, far_hit, load, miss,
              static_cast<unsigned long long>(second.stats().far_hits), sites.size());
}

#ifdef BENCH_HAS_SQLITE
/// Fills a store with `records` records, then measures it.
void measure_large(const std::string& path, std::size_t records) {
  const auto key_of = [](std::size_t number) {
    return "https://www.site-" + std::to_string(number) + ".example";
  };
  robots::SqliteStore store{{.path = path, .max_bytes = std::size_t{1} << 40U}};
  const auto start = clock_type::now();
  for (std::size_t i = 0; i < records; ++i) {
    store.publish(key_of(i), std::string(1'200, 'x'), std::chrono::hours{24});
  }
  const std::chrono::duration<double, std::micro> filling = clock_type::now() - start;
  std::vector<std::string> sites;
  for (std::size_t i = 0; i < 100'000; ++i) {
    sites.push_back(key_of(i * 7'919 % records));
  }
  const double load = median(sites, [&](const std::string& site) { return store.load(site); });
  const auto rate = [&](std::size_t threads) {
    const auto begin = clock_type::now();
    {
      std::vector<std::jthread> readers;
      for (std::size_t i = 0; i < threads; ++i) {
        readers.emplace_back([&] {
          static_cast<void>(
              median(sites, [&](const std::string& site) { return store.load(site); }));
        });
      }
    }
    const std::chrono::duration<double> taken = clock_type::now() - begin;
    return static_cast<double>(threads * sites.size()) / taken.count();
  };
  std::printf(
      "sqlite, %zu records\tload %.2f\tpublish %.2f\tloads a second, 1 thread %.0f, 2 threads "
      "%.0f\n",
      records, load, filling.count() / static_cast<double>(records), rate(1), rate(2));
}
#endif

}  // namespace

int main(int count, char** arguments) {
  const auto real = bench::read_real_files(bench::corpus_folder(BENCH_CORPUS_DIR));
  const std::vector<std::string> none{"User-agent: *\nDisallow: /search\n"};
  const std::vector<std::string>& files = real.found ? real.found->files : none;
  std::vector<std::string> sites;
  for (std::size_t i = 0; i < site_count; ++i) {
    sites.push_back("https://www.site-" + std::to_string(i) + ".example");
  }
  std::puts("store\tnear hit\tfar hit\tload alone\tmiss, fetched from memory\tfar hits");
  const robots::MemoryStore<robots::SteadyClock> memory{{}};
  measure("memory", sites, files, [&] { return memory; });
#ifdef BENCH_HAS_SQLITE
  if (count > 2) {
    measure("sqlite", sites, files,
            [&] { return robots::SqliteStore{robots::sqlite_options{.path = arguments[2]}}; });
  }
  if (count > 3) {
    measure_large(std::string{arguments[2]} + "-large", std::stoul(arguments[3]));
  }
#endif
#ifdef BENCH_HAS_REDIS
  if (count > 1) {
    measure("redis", sites, files,
            [&] { return robots::RedisStore{robots::redis_options{.url = arguments[1]}}; });
  }
#endif
}

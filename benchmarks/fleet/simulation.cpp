// Simulates a crawl of a million sites. Prints a table with the shares of look-ups that the near
// tier, the far tier and the web answer, one line for each size of fleet and of near tier.
//
//     robots-fleet-simulation [--pages=N] [--sites=N]
//
// The near tiers are those of the library. The far tier is simulated: it knows which worker has a
// record, and until when. The popularity of sites follows Zipf's law (exponent 1). Each site has
// one of the real files. No site gets two requests for pages within a second; an early page goes
// back to the queue.
#include "inputs/inputs.hpp"
#include <robots/policy/codec.hpp>
#include <robots/policy/judge.hpp>
#include <robots/store/lru_storage.hpp>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace std::chrono_literals;
using robots::time_point;

constexpr time_point::duration lifetime = 24h;
constexpr time_point::duration delay = 1s;
constexpr time_point::duration crawl_takes = 72h;

struct crawl {
  std::size_t pages = 10'000'000;
  std::size_t sites = 1'000'000;
  std::vector<double> popularity;  // the sums of popularity up to each site
  std::vector<std::string> keys;   // the key of each site
  std::vector<std::shared_ptr<const robots::policy>> policies;  // the policies of the real files
  std::vector<std::size_t> record_bytes;                        // the sizes of their records
};

enum class order { any_worker, own_sites };

struct totals {
  std::size_t near_hits = 0;
  std::size_t far_hits = 0;
  std::size_t fetches = 0;
  std::size_t sites = 0;  // the number of visited sites
  std::size_t far_operations = 0;
  std::size_t near_bytes = 0;  // the sum over all workers at the end
  std::size_t far_bytes = 0;
};

crawl make_crawl(std::size_t pages, std::size_t sites) {
  crawl result;
  result.pages = pages;
  result.sites = sites;
  double sum = 0;
  for (std::size_t i = 0; i < sites; ++i) {
    sum += 1.0 / static_cast<double>(i + 1);
    result.popularity.push_back(sum);
    result.keys.push_back("https://www.site-" + std::to_string(i) + ".example");
  }
  const auto real = bench::read_real_files(bench::corpus_folder(BENCH_CORPUS_DIR));
  const std::vector<std::string> none{"User-agent: *\nDisallow: /search\n"};
  const std::vector<std::string>& files = real.found ? real.found->files : none;
  const robots::detail::judge_options options{.fallback = robots::fallback_policy::rfc9309()};
  for (const std::string& file : files) {
    robots::record retrieved;
    retrieved.outcome = robots::outcome::success;
    retrieved.status = 200;
    retrieved.url = retrieved.final_url = "https://www.site-123456.example/robots.txt";
    retrieved.exchanges = {{.url = retrieved.url, .status = 200}};
    retrieved.body = file;
    result.record_bytes.push_back(robots::detail::encode(retrieved).size());
    result.policies.push_back(robots::detail::judge(retrieved, "ExampleBot", options, {}, {}));
  }
  return result;
}

template <std::size_t NearSize>
totals run(const crawl& kind, std::size_t workers, order amount) {
  std::vector<robots::LruStorage<NearSize>> near(workers);
  std::vector<time_point> far(kind.sites);      // the end of the lifetime of each site's record
  std::vector<time_point> visited(kind.sites);  // the earliest time of the next visit to each site
  std::mt19937_64 random{42};
  std::uniform_real_distribution<double> draw{0.0, kind.popularity.back()};
  const time_point::duration step = crawl_takes / static_cast<std::int64_t>(kind.pages);
  time_point now{std::chrono::hours{1'000}};
  totals result;
  for (std::size_t page = 0; page < kind.pages; now += step) {
    const auto site = static_cast<std::size_t>(
        std::ranges::upper_bound(kind.popularity, draw(random)) - kind.popularity.begin());
    if (site >= kind.sites || now < visited[site]) {
      continue;
    }
    ++page;
    visited[site] = now + delay;
    const std::size_t worker = amount == order::own_sites
                                   ? site * 2'654'435'761U % workers
                                   : static_cast<std::size_t>(random() % workers);
    if (const auto stored = near[worker].find(kind.keys[site], now);
        stored && now < stored->fresh_until) {
      ++result.near_hits;
      continue;
    }
    ++result.far_operations;  // load
    if (now < far[site]) {
      ++result.far_hits;
    } else {
      result.far_operations += 3;  // lease, publish, release
      ++result.fetches;
      if (far[site] == time_point{}) {
        ++result.sites;
        result.far_bytes +=
            kind.keys[site].size() + kind.record_bytes[site % kind.record_bytes.size()];
      }
      far[site] = now + lifetime;
    }
    near[worker].store(kind.keys[site],
                       {kind.policies[site % kind.policies.size()], far[site], far[site] + 720h},
                       now);
  }
  for (const auto& tier : near) {
    result.near_bytes += tier.memory_bytes();
  }
  return result;
}

template <std::size_t NearSize>
void print_runs(const crawl& kind) {
  for (const order amount : {order::any_worker, order::own_sites}) {
    for (const std::size_t workers : {1U, 4U, 16U, 64U}) {
      if (workers == 1 && amount == order::own_sites) {
        continue;
      }
      const totals all = run<NearSize>(kind, workers, amount);
      const auto share = [&](std::size_t part) {
        return static_cast<double>(part) / static_cast<double>(kind.pages);
      };
      constexpr double mebibyte = 1024.0 * 1024.0;
      std::printf("%s\t%zu\t%zu\t%.4f\t%.4f\t%.4f\t%.3f\t%.3f\t%.1f\t%.1f\n",
                  amount == order::own_sites ? "own sites" : "any worker", workers, NearSize,
                  share(all.near_hits), share(all.far_hits), share(all.fetches),
                  static_cast<double>(all.fetches) / static_cast<double>(all.sites),
                  share(all.far_operations),
                  static_cast<double>(all.near_bytes) / mebibyte / static_cast<double>(workers),
                  static_cast<double>(all.far_bytes) / mebibyte);
      std::fflush(stdout);
    }
  }
}

std::size_t number_of(std::string_view argument, std::string_view name, std::size_t otherwise) {
  if (!argument.starts_with(name)) {
    return otherwise;
  }
  argument.remove_prefix(name.size());
  std::from_chars(argument.data(), argument.data() + argument.size(), otherwise);
  return otherwise;
}

}  // namespace

int main(int count, char** arguments) {
  std::size_t pages = 10'000'000;
  std::size_t sites = 1'000'000;
  for (int i = 1; i < count; ++i) {
    pages = number_of(arguments[i], "--pages=", pages);
    sites = number_of(arguments[i], "--sites=", sites);
  }
  if (pages == 0 || sites == 0) {
    std::fputs("robots-fleet-simulation: --pages and --sites must be above 0\n", stderr);
    return EXIT_FAILURE;
  }
  const crawl kind = make_crawl(pages, sites);
  std::puts(
      "pages go to\tworkers\tnear size\tnear hits\tfar hits\tfetches\tfetches per site\t"
      "far operations per page\tnear MiB per worker\tfar MiB");
  print_runs<1'024>(kind);
  print_runs<4'096>(kind);
  print_runs<16'384>(kind);
  print_runs<65'536>(kind);
  print_runs<262'144>(kind);
}

// What it costs to fetch the robots.txt of many sites: `prefetch` and `CurlFetcher` beside bare
// libcurl with the same options. All hosts lead to one local server.
//
//   robots-sites <port> <libcurl|prefetch|threads> <sites>
//
// Prints the sites, the seconds of CPU, the seconds that passed, and the octets of memory that the
// process holds more for each site.
#include <robots/adapters/curl_fetcher.hpp>
#include <robots/adapters/curl_prefetch.hpp>
#include <robots/cache/basic_robots_cache.hpp>

#include <curl/curl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <memory>
#include <ranges>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace {

constexpr std::size_t at_once = 64;

[[nodiscard]] std::string url_of(std::size_t site) {
  return "http://site" + std::to_string(site) + ".example/robots.txt";
}

[[nodiscard]] double cpu_seconds() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

[[nodiscard]] double memory_bytes() {
  std::ifstream file{"/proc/self/statm"};
  double all = 0;
  double resident = 0;
  file >> all >> resident;
  return resident * static_cast<double>(sysconf(_SC_PAGESIZE));
}

std::size_t count_octets(const char* /*data*/, std::size_t size, std::size_t count, void* total) {
  *static_cast<std::size_t*>(total) += size * count;
  return size * count;
}

/// Fetches each file once, with nothing but libcurl. Returns how many came.
std::size_t fetch_bare(const std::string& connect_to, std::size_t sites) {
  CURLM* const multi = curl_multi_init();
  curl_multi_setopt(multi, CURLMOPT_MAX_TOTAL_CONNECTIONS, static_cast<long>(at_once));
  curl_slist* const where = curl_slist_append(nullptr, connect_to.c_str());
  std::size_t octets = 0;
  std::size_t next = 0;
  std::size_t good = 0;
  const auto begin = [&](CURL* easy) {
    if (next == sites) {
      curl_easy_cleanup(easy);
      return;
    }
    curl_easy_setopt(easy, CURLOPT_URL, url_of(next++).c_str());
    curl_multi_add_handle(multi, easy);
  };
  for (std::size_t i = 0; i < at_once; ++i) {
    CURL* const easy = curl_easy_init();
    curl_easy_setopt(easy, CURLOPT_CONNECT_TO, where);
    curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
    curl_easy_setopt(easy, CURLOPT_USERAGENT, "FooBot/1.0");
    curl_easy_setopt(easy, CURLOPT_FORBID_REUSE, 1L);
    curl_easy_setopt(easy, CURLOPT_DNS_CACHE_TIMEOUT, 0L);
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, 5'000L);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, &count_octets);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, &octets);
    begin(easy);
  }
  int running = 1;
  while (running > 0) {
    curl_multi_perform(multi, &running);
    int left = 0;
    while (const CURLMsg* const told = curl_multi_info_read(multi, &left)) {
      CURL* const easy = told->easy_handle;
      good += told->data.result == CURLE_OK ? 1 : 0;
      curl_multi_remove_handle(multi, easy);
      begin(easy);
      running = 1;
    }
    curl_multi_poll(multi, nullptr, 0, 100, nullptr);
  }
  curl_slist_free_all(where);
  curl_multi_cleanup(multi);
  return good;
}

int run(const std::string& port, std::string_view what, std::size_t sites) {
  const std::string connect_to = "::127.0.0.1:" + port;
  robots::curl_options how;
  how.connect_to = {connect_to};
  how.allowed_addresses = {"127.0.0.1"};
  robots::basic_robots_cache<robots::CurlFetcher, robots::SteadyClock,
                             robots::LruStorage<1'000'000>>
      cache{{.user_agent = "FooBot/1.0", .fallback = robots::fallback_policy::rfc9309()},
            robots::CurlFetcher{how}};

  const double memory = memory_bytes();
  const double cpu = cpu_seconds();
  const auto began = std::chrono::steady_clock::now();
  std::size_t good = 0;
  if (what == "libcurl") {
    good = fetch_bare(connect_to, sites);
  } else if (what == "prefetch") {
    robots::prefetch_options options;
    options.max_in_flight = at_once;
    options.curl = how;
    good = prefetch(cache, std::views::iota(std::size_t{0}, sites) | std::views::transform(url_of),
                    options)
               .fetched;
  } else {
    std::atomic<std::size_t> next = 0;
    std::vector<std::jthread> threads;
    for (int i = 0; i < 16; ++i) {
      threads.emplace_back([&] {
        for (std::size_t site = next++; site < sites; site = next++) {
          static_cast<void>(cache.allowed(url_of(site)));
        }
      });
    }
    threads.clear();
    good = cache.stats().retrievals - cache.stats().failures;
  }
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - began;
  std::printf("%s\t%zu\t%.2f\t%.2f\t%.0f\n", std::string{what}.c_str(), sites, cpu_seconds() - cpu,
              passed.count(), (memory_bytes() - memory) / static_cast<double>(sites));
  return good == sites ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const std::vector<std::string> words{argv + 1, argv + argc};
    if (words.size() != 3) {
      std::fputs("usage: robots-sites <port> <libcurl|prefetch|threads> <sites>\n", stderr);
      return 2;
    }
    return run(words[0], words[1], std::stoul(words[2]));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "robots-sites: %s\n", error.what());
    return 1;
  }
}

// Measures the cost of fetching the robots.txt of many sites with the fetchers of this library, and
// with libcurl alone and the same options. All hosts have the address of one local server, which
// sites.sh starts.
//
//   robots-sites <way> <web> <port> <CA file> <sites>
//
// Ways: libcurl, libcurl-threads (16 that block in easy handles), multi (`curl_multi_fetcher`
// alone), prefetch, asio, threads (16 that block in `CurlFetcher`), and prefetch-4096, whose cache
// keeps only 4,096 sites. Webs: http, https, and http-redirect and https-redirect, where each site
// redirects to another host.
//
// Prints the way, the web, the number of sites, the CPU time in seconds, the elapsed time in
// seconds, the CPU time for each site in microseconds, the peak memory in MiB, and the memory of
// the cache in MiB.
#include <robots/adapters/curl/curl_fetcher.hpp>
#include <robots/adapters/curl/curl_multi_fetcher.hpp>
#include <robots/cache/basic_robots_cache.hpp>
#include <robots/cache/prefetch.hpp>
#ifdef BENCH_HAS_ASIO
#include <robots/adapters/asio/asio_curl_fetcher.hpp>
#include <robots/adapters/asio/asio_robots_cache.hpp>

#include <boost/asio/io_context.hpp>
#endif

#include <curl/curl.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <functional>
#include <memory>
#include <ranges>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace {

constexpr std::size_t at_once = 64;
constexpr int blocking_threads = 16;

/// The sites of a run, and the address of the server for all of them.
struct sites {
  std::string web;
  std::string port;
  std::string ca_file;
  std::size_t count = 0;

  /// A host whose name begins with "moved" redirects to the host with "www-" before that name.
  [[nodiscard]] std::string url_of(std::size_t site) const {
    return web.substr(0, web.find('-')) + (web.ends_with("-redirect") ? "://moved" : "://site") +
           std::to_string(site) + ".sites.test/robots.txt";
  }
  [[nodiscard]] std::string connect_to() const { return "::127.0.0.1:" + port; }
  [[nodiscard]] robots::curl_options how() const {
    robots::curl_options options;
    options.ca_file = ca_file;
    options.proxy = "";
    options.connect_to = {connect_to()};
    options.allowed_addresses = {"127.0.0.1"};
    options.max_connections = at_once;
    return options;
  }
  [[nodiscard]] auto urls() const {
    return std::views::iota(std::size_t{0}, count) |
           std::views::transform([this](std::size_t site) { return url_of(site); });
  }
};

[[nodiscard]] double cpu_seconds() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

/// Returns the peak memory of the process in octets.
[[nodiscard]] double peak_memory() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  return 1024.0 * static_cast<double>(used.ru_maxrss);
}

std::size_t count_octets(const char* /*data*/, std::size_t size, std::size_t count, void* total) {
  *static_cast<std::size_t*>(total) += size * count;
  return size * count;
}

using curl_list = std::unique_ptr<curl_slist, decltype(&curl_slist_free_all)>;

/// Returns an easy handle of libcurl with the options of the fetchers.
[[nodiscard]] CURL* bare_handle(const sites& all, curl_slist* place, std::size_t& octets) {
  CURL* const easy = curl_easy_init();
  curl_easy_setopt(easy, CURLOPT_CONNECT_TO, place);
  curl_easy_setopt(easy, CURLOPT_CAINFO, all.ca_file.c_str());
  curl_easy_setopt(easy, CURLOPT_CAPATH, static_cast<const char*>(nullptr));
  curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 1L);
  curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
  curl_easy_setopt(easy, CURLOPT_USERAGENT, "FooBot/1.0");
  curl_easy_setopt(easy, CURLOPT_FORBID_REUSE, 1L);
  curl_easy_setopt(easy, CURLOPT_DNS_CACHE_TIMEOUT, 0L);
  curl_easy_setopt(easy, CURLOPT_PROXY, "");
  curl_easy_setopt(easy, CURLOPT_ACCEPT_ENCODING, "gzip, deflate");
  curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, 5'000L);
  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, &count_octets);
  curl_easy_setopt(easy, CURLOPT_WRITEDATA, &octets);
  return easy;
}

[[nodiscard]] std::size_t is_good(CURL* easy, CURLcode result) {
  long status = 0;
  curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
  return result == CURLE_OK && status == 200 ? 1 : 0;
}

/// Fetches each file once, with libcurl alone. Returns the number of files that it received.
std::size_t fetch_bare(const sites& all) {
  CURLM* const multi = curl_multi_init();
  curl_multi_setopt(multi, CURLMOPT_MAX_TOTAL_CONNECTIONS, static_cast<long>(at_once));
  const curl_list place{curl_slist_append(nullptr, all.connect_to().c_str()), &curl_slist_free_all};
  std::size_t octets = 0;
  std::size_t next = 0;
  std::size_t good = 0;
  const auto begin = [&](CURL* easy) {
    if (next == all.count) {
      curl_easy_cleanup(easy);
      return;
    }
    curl_easy_setopt(easy, CURLOPT_URL, all.url_of(next++).c_str());
    curl_multi_add_handle(multi, easy);
  };
  for (std::size_t i = 0; i < at_once; ++i) {
    begin(bare_handle(all, place.get(), octets));
  }
  int running = 1;
  while (running > 0) {
    curl_multi_perform(multi, &running);
    int left = 0;
    while (const CURLMsg* const events = curl_multi_info_read(multi, &left)) {
      CURL* const easy = events->easy_handle;
      good += is_good(easy, events->data.result);
      curl_multi_remove_handle(multi, easy);
      begin(easy);
      running = 1;
    }
    curl_multi_poll(multi, nullptr, 0, 100, nullptr);
  }
  curl_multi_cleanup(multi);
  return good;
}

/// Calls `fetch(site)` for each site, in 16 threads.
template <class Fetch>
void in_threads(const sites& all, const Fetch& fetch) {
  std::atomic<std::size_t> next = 0;
  std::vector<std::jthread> threads;
  threads.reserve(blocking_threads);
  for (int i = 0; i < blocking_threads; ++i) {
    threads.emplace_back([&] {
      auto own = fetch();
      for (std::size_t site = next++; site < all.count; site = next++) {
        own(site);
      }
    });
  }
}

/// Fetches each file once, with a blocking easy handle of libcurl in each of 16 threads.
std::size_t fetch_bare_in_threads(const sites& all) {
  std::atomic<std::size_t> good = 0;
  in_threads(all, [&] {
    using handle = std::shared_ptr<CURL>;
    const auto octets = std::make_shared<std::size_t>(0);
    const std::shared_ptr<curl_slist> place{curl_slist_append(nullptr, all.connect_to().c_str()),
                                            &curl_slist_free_all};
    const handle easy{bare_handle(all, place.get(), *octets), &curl_easy_cleanup};
    return [&, octets, place, easy](std::size_t site) {
      curl_easy_setopt(easy.get(), CURLOPT_URL, all.url_of(site).c_str());
      good += is_good(easy.get(), curl_easy_perform(easy.get()));
    };
  });
  return good;
}

/// Fetches each file once, without a cache. Redirects count as answers.
std::size_t fetch_multi(const sites& all) {
  robots::curl_multi_fetcher web{all.how()};
  std::size_t good = 0;
  std::size_t next = 0;
  std::function<void()> begin = [&] {
    if (next == all.count) {
      return;
    }
    robots::fetch_request request;
    request.url = all.url_of(next++);
    request.headers = {{"User-Agent", "FooBot/1.0"}};
    request.timeout = std::chrono::seconds{5};
    request.max_bytes = 512'000;
    web.async_fetch(std::move(request), [&](const robots::fetch_response& response) {
      good += response.status >= 200 && response.status < 400 ? 1 : 0;
      begin();
    });
  };
  for (std::size_t i = 0; i < at_once; ++i) {
    begin();
  }
  while (web.in_flight() != 0) {
    web.run_once(std::chrono::seconds{1});
  }
  return good;
}

#ifdef BENCH_HAS_ASIO
template <class Cache>
std::size_t fetch_asio(const sites& all, Cache& cache) {
  boost::asio::io_context context;
  robots::asio_robots_cache loop{context.get_executor(), cache,
                                 robots::AsioCurlFetcher{context.get_executor(), all.how()}};
  std::size_t next = 0;
  std::size_t good = 0;
  std::function<void()> begin = [&] {
    if (next == all.count) {
      return;
    }
    loop.async_check(
        all.url_of(next++), [&](boost::system::error_code error, const robots::decision& answer) {
          good += !error && robots::detail::is_successful(answer.policy->outcome()) ? 1 : 0;
          begin();
        });
  };
  for (std::size_t i = 0; i < at_once; ++i) {
    begin();
  }
  context.run();
  return good;
}
#endif

template <class Cache>
std::size_t fetch_threads(const sites& all, Cache& cache) {
  std::atomic<std::size_t> good = 0;
  in_threads(all, [&] {
    return [&](std::size_t site) {
      good += robots::detail::is_successful(cache.get(all.url_of(site))->outcome()) ? 1U : 0U;
    };
  });
  return good;
}

template <std::size_t Kept>
int run(const sites& all, std::string_view way) {
  robots::basic_robots_cache<robots::CurlFetcher, robots::SteadyClock, robots::LruStorage<Kept>>
      cache{{.user_agent = "FooBot/1.0", .fallback = robots::fallback_policy::rfc9309()},
            robots::CurlFetcher{all.how()}};
  const double memory = peak_memory();
  const double cpu = cpu_seconds();
  const auto began = std::chrono::steady_clock::now();
  std::size_t good = 0;
  if (way == "libcurl") {
    good = fetch_bare(all);
  } else if (way == "libcurl-threads") {
    good = fetch_bare_in_threads(all);
  } else if (way == "multi") {
    good = fetch_multi(all);
  } else if (way.starts_with("prefetch")) {
    robots::curl_multi_fetcher web{all.how()};
    good = prefetch(cache, all.urls(), web, {.max_in_flight = at_once}).fetched;
#ifdef BENCH_HAS_ASIO
  } else if (way == "asio") {
    good = fetch_asio(all, cache);
#endif
  } else if (way == "threads") {
    good = fetch_threads(all, cache);
  } else {
    throw std::invalid_argument{"there is no way \"" + std::string{way} + "\""};
  }
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - began;
  const double used = cpu_seconds() - cpu;
  constexpr double mebi = 1024.0 * 1024.0;
  std::printf("%s\t%s\t%zu\t%.2f\t%.2f\t%.1f\t%.1f\t%.1f\n", std::string{way}.c_str(),
              all.web.c_str(), all.count, used, passed.count(),
              1e6 * used / static_cast<double>(all.count), (peak_memory() - memory) / mebi,
              static_cast<double>(cache.memory_bytes().value_or(0)) / mebi);
  return good == all.count ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const std::vector<std::string> words{argv + 1, argv + argc};
    if (words.size() != 5) {
      std::fputs("usage: robots-sites <way> <web> <port> <CA file> <sites>\n", stderr);
      return 2;
    }
    const sites all{words[1], words[2], words[3], std::stoul(words[4])};
    return words[0].ends_with("-4096") ? run<4'096>(all, words[0]) : run<1'000'000>(all, words[0]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "robots-sites: %s\n", error.what());
    return 1;
  }
}

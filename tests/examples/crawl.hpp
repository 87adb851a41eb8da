// A polite crawler of several hosts with several threads.
#pragma once

#include <robots/adapters/curl/curl_fetcher.hpp>
#include <robots/adapters/curl/curl_options.hpp>
#include <robots/cache/basic_robots_cache.hpp>
#include <robots/cache/cache_options.hpp>
#include <robots/fetch/call_options.hpp>
#include <robots/observe/cache_stats.hpp>
#include <robots/observe/observer.hpp>
#include <robots/polite/admission.hpp>
#include <robots/polite/gate_options.hpp>
#include <robots/polite/host_gate.hpp>
#include <robots/polite/start_plan.hpp>
#include <robots/rulings/rulings_options.hpp>
#include <robots/rulings/site_rulings.hpp>
#include <robots/store/lru_storage.hpp>
#include <robots/time/clock.hpp>
#include <robots/time/steady_clock.hpp>

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace robots::example {

/// The results for the pages of one host.
struct host_result {
  std::size_t fetched = 0;           ///< pages that were fetched
  std::size_t tried_again = 0;       ///< answers 429 and 503 after which a page was tried again
  std::size_t failed = 0;            ///< pages with another status, or without a response
  std::size_t links_off_limits = 0;  ///< links to hosts outside the crawl
  std::map<std::string, std::size_t> refused;  ///< pages that were not requested, by reason
  std::map<std::string, std::size_t> delayed;  ///< requests that waited, by reason
  std::chrono::nanoseconds waited{0};          ///< the sum of all waits
  std::string example;                         ///< a refusal in words
};

/// A clock that starts at noon, so that the test gives the same result at any time of day: a host
/// with a Visit-time at night gets no request. Real crawlers use `SteadyClock`.
class NoonClock : public SteadyClock {
 public:
  [[nodiscard]] wall_time wall_now() const noexcept { return noon_.at(SteadyClock::now()); }

 private:
  wall_anchor noon_{
      .steady = SteadyClock{}.now(),
      .wall = std::chrono::sys_days{std::chrono::year{2026} / 1 / 1} + std::chrono::hours{12}};
};

/// An observer of any type. Any thread may call it.
using watcher = std::function<void(const any_event&)>;

/// Makes a watcher from an observer whose copies share their state, such as `JsonLog`.
template <Observer O>
[[nodiscard]] watcher watched_by(O observer) {
  return [observer = std::move(observer)](const any_event& any) mutable {
    any.visit([&observer](const auto& event) {
      if constexpr (requires { observer.on(event); }) {
        observer.on(event);
      }
    });
  };
}

/// An observer that passes each event to all observers of a crawl.
struct Watchers {
  std::vector<watcher> all;

  void on(const any_event& event) const {
    for (const watcher& observer : all) {
      observer(event);
    }
  }
};

/// The options of a crawl.
struct crawl_options {
  std::size_t threads = 8;
  cache_options cache;
  rulings_options rulings{};
  gate_options gate{};
  curl_options client{};
  Watchers watchers{};
  /// The longest wait for a page. The crawl gives up a page that must wait longer.
  std::chrono::seconds patience{60};
};

/// Crawls the hosts of the seeds, and follows their links until no page is left.
class crawler {
 public:
  explicit crawler(crawl_options options);

  /// Blocks until all pages are done. Call it once.
  void run(const std::vector<std::string>& seeds);

  /// The number of known pages, and the number of those that are done.
  struct progress {
    std::size_t known = 0;
    std::size_t done = 0;
  };
  /// Returns the progress so far. Any thread may call it at any time.
  [[nodiscard]] progress so_far() const;

  /// Returns the results for each host. Call it after `run` has returned.
  [[nodiscard]] const std::map<std::string, host_result>& results() const noexcept {
    return results_;
  }

  /// Returns the pages that a person should review, such as those of halted sites. Call it after
  /// `run` has returned.
  [[nodiscard]] const std::vector<std::string>& for_review() const noexcept { return for_review_; }

  /// Returns the statistics of the cache. Any thread may call it at any time.
  [[nodiscard]] cache_stats stats() const { return cache_.stats(); }

 private:
  using cache_type =
      basic_robots_cache<CurlFetcher, NoonClock, LruStorage<4096>, Watchers, SiteRulings>;

  /// The waiting pages of one host. One thread at a time works on a host.
  struct host_line {
    std::deque<std::string> urls;
    std::map<std::string, int> tries;
    bool worked_on = false;
    start_plan next{};        // the plan for the next page
    time_point planned_at{};  // the time at which the plan was made
  };

  void work();
  /// Returns the observers of the crawl, and one that collects the pages for review.
  [[nodiscard]] Watchers gate_watchers();
  /// Returns the identifiers of the next page in logs and traces. Each page has its own trace.
  [[nodiscard]] std::shared_ptr<const call_context> next_context();
  void add_links(const std::string& page, std::string_view text);
  void add(const std::string& url);
  void requeue(const std::string& host);
  static void count_wait(host_result& result, const start_plan& plan, time_point planned_at);

  crawl_options options_;
  CurlFetcher fetcher_;
  cache_type cache_;
  basic_host_gate<NoonClock, Watchers> gate_;
  basic_admission<cache_type> front_;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::set<std::string> seen_;
  std::map<std::string, host_line> lines_;
  std::set<std::pair<time_point, std::string>> ready_;  // hosts, by the time of their next page
  std::size_t open_ = 0;                                // pages that wait or are in progress
  std::size_t done_ = 0;
  const std::uint64_t trace_ = std::random_device{}() | 1U;
  std::uint64_t pages_ = 0;
  std::map<std::string, host_result> results_;
  std::vector<std::string> for_review_;
};

/// Returns a table of the fetched, refused and delayed pages with reasons, one line per host.
[[nodiscard]] std::string table_of(const std::map<std::string, host_result>& results);

}  // namespace robots::example

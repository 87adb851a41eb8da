// The cache in a storm: many threads, many sites, and a third of the answers faulty.
#include "storm_sites.hpp"
#include <robots/adapters/curl/curl_fetcher.hpp>
#include <robots/cache/basic_robots_cache.hpp>
#include <robots/http/host.hpp>
#include <robots/testing/manual_clock.hpp>

#include <adapters/curl/fetcher_helpers.hpp>
#include <doctest/doctest.h>
#include <support/certificate_authority.hpp>
#include <support/fault_server.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <mutex>
#include <optional>
#include <random>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

using namespace std::chrono_literals;
using namespace robots::test;
using robots::CurlFetcher;
using robots::decision;
using robots::ManualClock;
using robots::policy_basis;

namespace {

constexpr std::uint64_t seed = 20'261'121;
constexpr std::size_t thread_count = 32;
constexpr std::size_t site_count = 400;
constexpr std::size_t hot_sites = 4;
constexpr std::size_t calls = ROBOTS_STORM_CALLS;
constexpr std::size_t least_requests = calls / 2;
constexpr auto between_calls = 1s;  // by the clock of the cache
constexpr auto least_lifetime = 2min;

robots::cache_options storm_options() {
  robots::cache_options options{.user_agent = "FooBot/1.0",
                                .fallback = robots::fallback_policy::strict()};
  options.timeout = 10s;  // a stalled request is stopped, unless another call waits for it
  options.default_ttl = least_lifetime;
  options.min_ttl = least_lifetime;
  options.failure_ttl = least_lifetime;
  options.max_failure_ttl = least_lifetime;
  options.failure_jitter = 0.0;
  options.breaker.cooldown = least_lifetime;
  options.seed = seed;
  options.longest_call = 0ms;        // the time of the storm jumps
  options.finish_abandoned = false;  // so that some retrievals are stopped
  return options;
}

/// Returns the most requests that one retrieval can send, without libcurl's own repetitions.
std::size_t most_exchanges(std::size_t site) {
  const robots::cache_options options = storm_options();
  const std::size_t origins = site % 16 == 0 ? 2 : 1;
  return origins * static_cast<std::size_t>(options.retry.attempts) +
         static_cast<std::size_t>(options.max_redirects);
}

/// A host without a scheme, an https URL or an http URL.
std::string url_of(std::size_t site, std::string_view path) {
  const std::string rest = storm_sites::host(site) + std::string(path);
  switch (site % 16) {
    case 0:
      return rest;
    case 1:
      return "https://" + rest;
    default:
      return "http://" + rest;
  }
}

/// The counts of the threads for one site.
struct tally {
  std::size_t calls = 0;
  std::size_t invalidations = 0;
  std::size_t retrievals = 0;
  std::size_t exchanges = 0;
  std::size_t longest = 0;    // most exchanges of one retrieval
  std::size_t cancelled = 0;  // retrievals that are not kept
};

/// The tallies of all sites. Any thread may call it.
class tallies {
 public:
  template <class Change>
  void update(std::size_t site, Change change) {
    const std::lock_guard lock(mutex_);
    change(of_site_[site]);
  }
  [[nodiscard]] tally of(std::size_t site) const {
    const std::lock_guard lock(mutex_);
    return of_site_[site];
  }

 private:
  mutable std::mutex mutex_;
  std::array<tally, site_count> of_site_{};
};

/// Counts the decisions and events of the cache.
struct CountingObserver {
  void on(const robots::retrieval_event& event) const {
    const std::string_view host = robots::host_of(event.site);
    const robots::record_head& source = event.policy.last_retrieval();
    into->update(storm_sites::site_of(host), [&](tally& of_site) {
      ++of_site.retrievals;
      of_site.exchanges += source.exchanges.size();
      of_site.longest = std::max(of_site.longest, source.exchanges.size());
      of_site.cancelled += source.outcome == robots::outcome::cancelled ? 1U : 0U;
    });
  }

  tallies* into;
};

/// The current call of one thread, so that it can be stopped.
class running_call {
 public:
  [[nodiscard]] std::stop_token begin(std::size_t site) {
    const std::lock_guard lock(mutex_);
    site_ = site;
    source_ = std::stop_source{};
    return source_.get_token();
  }
  void stop_if_at(std::size_t site) {
    const std::lock_guard lock(mutex_);
    if (site_ == site) {
      source_.request_stop();
    }
  }

 private:
  std::mutex mutex_;
  std::optional<std::size_t> site_;
  std::stop_source source_;
};

/// Returns what is wrong with a decision, given the statements of the site, or an empty text.
std::string fault_of(const decision& answer, bool about_a, const said& known) {
  const std::string why = explain(answer);
  if (!why.starts_with(answer.allowed ? "allowed: " : "not allowed: ") || why.ends_with(": ")) {
    return "no explanation";
  }
  const policy_basis basis = answer.policy->basis();
  if (basis == policy_basis::allow_all && !known.no_file) {
    return "no answer said that there is no file";
  }
  if (basis == policy_basis::rules || basis == policy_basis::last_good) {
    const std::size_t lines = answer.policy->lines().non_blank;
    if (lines != storm_sites::lines() && (lines != 0 || !known.no_rules)) {
      return "a part of a file was used as the whole";
    }
  }
  const bool may_allow =
      known.no_file || known.no_rules || (about_a ? known.allowed_a : known.allowed_b);
  return answer.allowed && !may_allow ? "no answer allowed this page" : "";
}

std::size_t entries_of(const char* folder) {
  const std::filesystem::directory_iterator entries(folder);
  return static_cast<std::size_t>(std::distance(begin(entries), end(entries)));
}
std::size_t open_files() { return entries_of("/proc/self/fd"); }
std::size_t threads_alive() { return entries_of("/proc/self/task"); }

class storm {
 public:
  storm() {
    sites_.on_stall = [this](std::size_t site) {
      for (running_call& one : running_) {
        one.stop_if_at(site);
      }
    };
  }

  void run() {
    robots::curl_options options = trusting(authority_);
    options.connect_timeout = 1h;
    options.connect_to = {plain_.connect_all_to(80), secure_.connect_all_to(443)};
    {
      cache on_trial{
          storm_options(), CurlFetcher{options}, clock_, {}, CountingObserver{&tallies_}};
      {
        std::vector<std::jthread> threads;
        for (std::size_t i = 0; i < thread_count; ++i) {
          threads.emplace_back([this, &on_trial, i] { call(on_trial, i); });
        }
      }
      stats_ = on_trial.stats();
    }
    plain_.wait_until_alone();
    secure_.wait_until_alone();
  }

  [[nodiscard]] const robots::cache_stats& stats() const noexcept { return stats_; }
  [[nodiscard]] std::size_t requests() const { return plain_.requests() + secure_.requests(); }
  [[nodiscard]] site_record record(std::size_t site) const { return sites_.record(site); }
  [[nodiscard]] tally counted(std::size_t site) const { return tallies_.of(site); }
  [[nodiscard]] std::vector<std::string> complaints() const { return complaints_; }
  [[nodiscard]] auto passed() const { return clock_.now() - began_; }

 private:
  using cache = robots::basic_robots_cache<CurlFetcher, ManualClock, robots::LruStorage<4096>,
                                           CountingObserver>;

  /// Chooses a site. A quarter of the calls go to a few sites, which must not get more requests.
  static std::size_t choose(std::mt19937_64& random) {
    return random() % (random() % 4 == 0 ? hot_sites : site_count);
  }

  void call(cache& on_trial, std::size_t thread) {
    std::mt19937_64 random(seed + thread);
    for (std::size_t i = 0; i < calls / thread_count; ++i) {
      const std::size_t site = choose(random);
      const bool about_a = random() % 2 == 0;
      const std::string url = url_of(site, about_a ? "/a/x" : "/b/x");
      if (random() % 50 == 0) {
        tallies_.update(site, [](tally& of_site) { ++of_site.invalidations; });
        on_trial.invalidate(url);
      }
      tallies_.update(site, [](tally& of_site) { ++of_site.calls; });
      const decision decided = on_trial.check(url, {.stop = running_[thread].begin(site)});
      if (std::string wrong = fault_of(decided, about_a, sites_.record(site).said);
          !wrong.empty()) {
        const std::lock_guard lock(mutex_);
        complaints_.push_back(url + ": " + wrong + ": " + explain(decided));
      }
      clock_.advance(between_calls);
    }
  }

  storm_sites sites_{site_count, seed};
  tallies tallies_;
  std::array<running_call, thread_count> running_;
  ManualClock clock_;
  robots::time_point began_ = clock_.now();
  certificate_authority authority_;
  fault_server plain_{[this](const fault_request& request) { return sites_.answer(request); }};
  fault_server secure_{[this](const fault_request& request) { return sites_.answer(request); },
                       authority_.issue({"*.storm.test"})};
  robots::cache_stats stats_;
  std::mutex mutex_;
  std::vector<std::string> complaints_;
};

}  // namespace

TEST_CASE("In a storm of faults, no page is wrongly allowed, and no site is asked too often") {
  {
    // Libraries keep some files and threads open, such as a thread of ThreadSanitizer.
    const CurlFetcher warm_up;
    const std::jthread first([] {});
  }
  const std::size_t files_before = open_files();
  const std::size_t threads_before = threads_alive();
  {
    storm trial;
    trial.run();

    for (const std::string& complaint : trial.complaints()) {
      FAIL_CHECK(complaint);
    }
    const robots::cache_stats& stats = trial.stats();
    CHECK(stats.allowed + stats.denied == calls);
    CHECK(stats.evictions == 0);
    CHECK(stats.allowed > calls / 20);
    CHECK(stats.hits > calls / 20);
    CHECK(trial.requests() >= least_requests);

    // An answer is used for at least least_lifetime, unless it was invalidated or not kept.
    const auto lifetimes = static_cast<std::size_t>(trial.passed() / least_lifetime);
    std::size_t spoilt = 0;
    std::size_t cancelled = 0;
    for (std::size_t site = 0; site < site_count; ++site) {
      CAPTURE(site);
      const site_record record = trial.record(site);
      const tally counted = trial.counted(site);
      CHECK(counted.retrievals <= counted.calls);
      CHECK(counted.retrievals <= 1 + counted.invalidations + counted.cancelled + lifetimes);
      CHECK(counted.longest <= most_exchanges(site));
      // The server saw the requests that the cache counted, and libcurl's repetitions.
      CHECK(record.requests <= counted.exchanges + record.asked_again);
      CHECK(record.requests <= counted.retrievals * most_exchanges(site) + record.asked_again);
      spoilt += record.spoilt;
      cancelled += counted.cancelled;
    }
    CHECK(cancelled > 0);
    CHECK(spoilt > trial.requests() * 3 / 10);
    CHECK(spoilt < trial.requests() * 4 / 10);
    MESSAGE(trial.requests() << " requests, " << spoilt << " of them spoilt, " << cancelled
                             << " stopped; " << stats.retrievals << " retrievals, " << stats.joined
                             << " calls joined one; " << stats.allowed << " allowed");
  }
  CHECK(open_files() == files_before);
  // A finished thread can stay visible for a moment.
  for (int i = 0; i < 100'000 && threads_alive() > threads_before; ++i) {
    std::this_thread::yield();
  }
  CHECK(threads_alive() == threads_before);
}

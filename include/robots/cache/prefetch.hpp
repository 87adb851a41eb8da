#pragma once

#include <robots/base/clock_condition.hpp>
#include <robots/cache/basic_robots_cache.hpp>
#include <robots/cache/look_up_driver.hpp>
#include <robots/fetch/async_fetcher.hpp>
#include <robots/fetch/call_options.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <functional>
#include <iterator>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <type_traits>
#include <utility>

// Where this file stands: a loop around `look_up_driver`, in the thread of its caller.
//
//     hosts --> begin, while there is room --> look_up_driver --> finish: count, `progress`
//                     ^                              |
//                     +------ wait: report, retry, stop or deadline

namespace robots {

/// The outcome of `prefetch` for one host.
enum class prefetch_outcome {
  kept,     ///< the cache had fresh rules
  fetched,  ///< the site sent its robots.txt, or answered that it has none
  joined,   ///< another look-up fetched the rules, in any thread or process (`TieredStorage`)
  failed,   ///< the robots.txt was not available, so the fallback policy decides
  /// Nothing was sent, since the host is excluded, halted or not signed off, or since the rulings
  /// of the crawl are not read yet from their ledger (`decision_reason::unread`).
  excluded,
  invalid,  ///< the text is not a URL, host or `host:port`
};

/// The argument of `progress`, the callback of `prefetch`. `host` is valid only during the call.
struct prefetch_progress {
  std::size_t done;                              ///< number of hosts that are done, with `host`
  std::optional<std::size_t> total;              ///< number of all hosts, if `hosts` knows its size
  std::string_view host;                         ///< the element of `hosts`
  prefetch_outcome outcome;                      ///< the outcome for the host
  std::shared_ptr<const robots::policy> policy;  ///< the policy of the host; never null
};

/// The limits of one call of `prefetch`.
struct prefetch_limits {
  /// The maximum number of exchanges at once. It must be above 0.
  std::size_t max_in_flight = 64;

  /// The maximum number of hosts that are begun but not done. This limit bounds the memory. A value
  /// below `max_in_flight` means `max_in_flight`.
  std::size_t max_pending = 4'096;

  /// Any thread may request a stop. A stop cancels the requests in flight, and no others begin.
  stop_token stop{};

  /// The time at which the call ends, by the clock of the cache. All requests are cancelled then. A
  /// retry that is due at this time or later does not happen: the last failure is the result.
  std::optional<time_point> deadline{};
};

/// The number of hosts with each outcome of `prefetch`.
struct prefetch_summary {
  std::size_t kept = 0;       ///< see `prefetch_outcome::kept`
  std::size_t fetched = 0;    ///< see `prefetch_outcome::fetched`
  std::size_t joined = 0;     ///< see `prefetch_outcome::joined`
  std::size_t failed = 0;     ///< see `prefetch_outcome::failed`
  std::size_t excluded = 0;   ///< see `prefetch_outcome::excluded`
  std::size_t invalid = 0;    ///< see `prefetch_outcome::invalid`
  std::size_t abandoned = 0;  ///< hosts that were begun, but cancelled by a stop or the deadline
  bool complete = true;       ///< true if all of `hosts` was read and no host was cancelled

  /// Returns the number of hosts that are done.
  [[nodiscard]] std::size_t done() const noexcept {
    return kept + fetched + joined + failed + excluded + invalid;
  }
};

namespace cache_detail {

template <class Cache, class Hosts, class F>
class prefetch_run {
 public:
  prefetch_run(Cache& cache, Hosts& hosts, F& web, const prefetch_limits& limits,
               const std::function<void(const prefetch_progress&)>& progress)
      : cache_(cache), hosts_(hosts), web_(web), limits_(limits), progress_(progress) {
    if (limits.max_in_flight == 0) {
      throw std::invalid_argument{"prefetch: max_in_flight is 0: set it to 1 or more"};
    }
    if constexpr (requires { std::size(hosts); }) {
      total_ = static_cast<std::size_t>(std::size(hosts));
    }
  }

  [[nodiscard]] prefetch_summary operator()() {
    const stop_callback<std::function<void()>> stopped{limits_.stop, [this]() noexcept { wake(); }};
    [[maybe_unused]] const auto moves = base::on_move(cache_.clock(), [this] { wake(); });
    const call_options call{.deadline = limits_.deadline, .stop = limits_.stop};
    static_cast<any_robots_cache&>(cache_).wait_for_rulings(call);
    auto next = std::begin(hosts_);
    const auto end = std::end(hosts_);
    while (next != end || driver_.size() != 0) {
      if (detail::has_ended(call, cache_.clock().now())) {
        driver_.cut_short((time_point::min)());
        summary_.abandoned = driver_.size();
        summary_.complete = false;
        break;
      }
      driver_.run();
      if (limits_.deadline) {
        driver_.cut_short(*limits_.deadline);
      }
      for (int left = batch; left > 0 && next != end && has_room(); --left, ++next) {
        std::string host{std::string_view{*next}};
        look_up item = cache_.begin(host);
        driver_.start(std::move(item), [this, host = std::move(host)](const look_up& ended) {
          finish(host, ended);
        });
      }
      if (next != end || driver_.size() != 0) {
        wait(next != end && has_room());
      }
    }
    return summary_;
  }

 private:
  using clock_type = std::remove_cvref_t<decltype(std::declval<Cache&>().clock())>;

  static constexpr int batch = 64;  // hosts that the loop begins before it handles responses
  // The longest sleep between two reads of the user's clock, which can be faster than real time.
  static constexpr std::chrono::milliseconds longest_sleep{1'000};

  [[nodiscard]] bool has_room() const noexcept {
    return driver_.has_room() &&
           driver_.size() < (std::max)(limits_.max_pending, limits_.max_in_flight);
  }

  void finish(std::string_view host, const look_up& item) {
    const prefetch_outcome outcome = outcome_of(item);
    constexpr std::array counts{&prefetch_summary::kept,     &prefetch_summary::fetched,
                                &prefetch_summary::joined,   &prefetch_summary::failed,
                                &prefetch_summary::excluded, &prefetch_summary::invalid};
    ++(summary_.*counts.at(static_cast<std::size_t>(outcome)));
    if (progress_) {
      progress_({.done = summary_.done(),
                 .total = total_,
                 .host = host,
                 .outcome = outcome,
                 .policy = item.policy()});
    }
  }

  [[nodiscard]] static prefetch_outcome outcome_of(const look_up& item) {
    using enum prefetch_outcome;
    if (const auto refusal = item.policy()->refusal_reason()) {
      return *refusal == decision_reason::invalid_url ? invalid : excluded;
    }
    if (item.from_cache()) {
      return kept;
    }
    if (!item.has_fetched()) {
      return joined;
    }
    return detail::is_successful(item.policy()->outcome()) ? fetched : failed;
  }

  void wait(bool more_to_begin) {
    using std::chrono::milliseconds;
    const std::optional<time_point> next = driver_.next_run();
    std::optional<time_point> until = more_to_begin ? (time_point::min)() : limits_.deadline;
    if (next && (!until || *next < *until)) {
      until = next;
    }
    if constexpr (detail::NotifyingClock<clock_type>) {
      // Only the user's code and `sleep_until` move a `NotifyingClock`. While a request is in
      // flight, this thread must only wait for `wake`, not move the clock. Each move calls `wake`.
      if (until && *until != (time_point::min)()) {
        if (next && driver_.fetching() == 0) {
          return cache_.clock().sleep_until(*until, limits_.stop);
        }
        until = std::nullopt;
      }
    }
    if constexpr (detail::PolledFetcher<F>) {
      milliseconds most = longest_sleep;
      if (until) {
        const time_point now = cache_.clock().now();
        most = *until <= now ? milliseconds{0}
                             : std::chrono::ceil<milliseconds>(
                                   std::min<time_point::duration>(*until - now, most));
      }
      web_.run_once(most);
    } else {
      std::unique_lock lock{mutex_};
      static_cast<void>(changed_.wait(lock, cache_.clock(), until, limits_.stop,
                                      [this] { return std::exchange(is_woken_, false); }));
    }
  }

  /// Ends `wait`. Any thread may call `wake`.
  void wake() noexcept {
    if constexpr (detail::PolledFetcher<F>) {
      web_.wake();
    } else {
      {
        const std::scoped_lock lock{mutex_};
        is_woken_ = true;
      }
      changed_.notify_all();
    }
  }

  Cache& cache_;
  Hosts& hosts_;
  F& web_;
  const prefetch_limits& limits_;
  const std::function<void(const prefetch_progress&)>& progress_;
  std::optional<std::size_t> total_{};
  prefetch_summary summary_{};
  std::mutex mutex_;
  base::clock_condition changed_;
  bool is_woken_ = false;
  std::thread::id home_ = std::this_thread::get_id();
  // A report from the thread of `operator()` needs no `wake`: this thread looks for reports before
  // each wait.
  look_up_driver<clock_type, F> driver_{cache_.clock(), web_,
                                        [this]() noexcept {
                                          if (std::this_thread::get_id() != home_) {
                                            wake();
                                          }
                                        },
                                        limits_.max_in_flight};
};

}  // namespace cache_detail

/// Loads the policies of `hosts` into `cache`. An element of `hosts` is a URL, a host or
/// `host:port`. Sends up to `prefetch_limits::max_in_flight` requests at once through `web`, not
/// through the fetcher of the cache. If `web` is a `PolledFetcher`, the calling thread drives
/// `web`. Uses the retries, circuit breakers, fallback policy and entries of the cache. Shares
/// running fetches with other threads.
///
/// `hosts` is an input range whose elements convert to `std::string_view`. `prefetch` reads `hosts`
/// once, and reads more hosts only when earlier requests end. So `hosts` may be endless or come
/// from a file, but should not block. After each host, the calling thread calls `progress`.
/// `progress` may use the cache. If `hosts` or `progress` throws, `prefetch` cancels its requests
/// and passes on the exception. Other callers that waited for these requests send new requests.
///
/// If the cache has a `SiteRulings` with a ledger that was not read yet, first waits for this
/// reading, but not beyond the deadline.
///
/// Throws `std::invalid_argument` if `max_in_flight` is 0, and `std::bad_alloc` if memory runs out.
/// If the clock of the cache is a `ManualClock`, moves the clock to the next retry when no request
/// is in flight.
template <Fetcher F, Clock C, Storage S, Observer O, Rulings R, class Hosts, AsyncFetcher Web>
  requires requires(Hosts& hosts) {
    { *std::begin(hosts) } -> std::convertible_to<std::string_view>;
    std::end(hosts);
  }
prefetch_summary prefetch(
    basic_robots_cache<F, C, S, O, R>& cache,
    Hosts&& hosts,  // NOLINT(cppcoreguidelines-missing-std-forward): read here
    Web& web, const prefetch_limits& limits = {},
    const std::function<void(const prefetch_progress&)>& progress = {}) {
  return cache_detail::prefetch_run{cache, hosts, web, limits, progress}();
}

}  // namespace robots

#pragma once

#include <robots/base/counter_random.hpp>
#include <robots/fetch/call_options.hpp>
#include <robots/fetch/fetcher.hpp>
#include <robots/fetch/retrieval.hpp>
#include <robots/fetch/retrieval_options.hpp>
#include <robots/fetch/retrieval_result.hpp>
#include <robots/fetch/run_retrieval.hpp>
#include <robots/http/site.hpp>
#include <robots/policy/fallback.hpp>
#include <robots/policy/judge_options.hpp>
#include <robots/policy/policy_source.hpp>
#include <robots/polite/crawl_delay.hpp>
#include <robots/time/clock.hpp>
#include <robots/time/steady_clock.hpp>
#include <robots/time/wall_time.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <utility>

namespace robots {

/// The rules of one site and the delay between requests to it, for the threads of a crawler that
/// crawl that site (CrawlingRules).
///
/// Loads its rules once and is asked often. All members may be called from any thread; those that
/// ask do not hold up one another. For many sites, see `basic_host_gate`.
class crawling_rules {
 public:
  /// For the site that a host or a URL names. Throws `std::invalid_argument` when it names none, or
  /// the options contradict themselves. Equal seeds give equal delays; without one, each object
  /// draws its own.
  explicit crawling_rules(std::string_view host_or_url, const delay_options& delay,
                          std::optional<std::uint64_t> seed = {});

  /// The same with nothing but a fixed delay.
  crawling_rules(std::string_view host_or_url, std::chrono::nanoseconds fixed_delay)
      : crawling_rules(host_or_url, delay_options{.fixed_delay = fixed_delay}) {}

  /// Takes over the rules that a cache has of the site, fetching them if it has to. Whether they
  /// are those of a robots.txt. A call that ended before it had any leaves those that are loaded.
  template <PolicySource S>
  bool load(S& cache, const call_options& call = {}) {
    return take(cache.get(key_, call));
  }

  /// Fetches robots.txt. Whether one is obeyed; where none is, `judging` says what holds, by
  /// default that everything is allowed, as in CrawlingRules. A call that ended before there was an
  /// answer leaves the rules that are loaded. Throws `std::invalid_argument` when the options
  /// contradict themselves.
  template <Fetcher F, Clock C = SteadyClock>
  bool load(F& fetcher, const retrieval_options& options,
            const judge_options& judging = {.fallback = fallback_policy::permissive()},
            const call_options& call = {}, C clock = {}) {
    validate(judging);
    const std::shared_ptr<const policy> before = rules();
    retrieval_result result =
        run_retrieval(retrieval{site_, options, clock.now()}, fetcher, clock, call);
    return take(std::move(result), options.user_agent, judging, before, read_clock(clock));
  }

  /// Whether the crawler may fetch `url`, an absolute URL of this site or a path with query. Every
  /// URL of the site while no rules are loaded; none of another site, whose rules are not known.
  [[nodiscard]] bool allowed(std::string_view url) const;

  /// Tells how long the last response took. Negative counts as none.
  void update_last_delay(std::chrono::nanoseconds response_time) noexcept {
    last_response_.store(response_time.count(), std::memory_order_relaxed);
  }

  /// The delay before a request that is made about `when`; drawn anew at each call. See
  /// `compute_delay`.
  [[nodiscard]] std::chrono::nanoseconds crawl_delay(
      wall_time when = std::chrono::system_clock::now()) const {
    return next_delay(when).delay;
  }

  /// The same with the reason. Its `skip_host` says that the site wants more delay than the options
  /// bear with. Of the Request-rates, the one of the hour counts; see `rate_at`.
  [[nodiscard]] computed_delay next_delay(wall_time when = std::chrono::system_clock::now()) const;

  /// What was loaded last; null before.
  [[nodiscard]] std::shared_ptr<const policy> rules() const;

  /// The site, as in `site::key`.
  [[nodiscard]] const std::string& site_key() const noexcept { return key_; }

 private:
  [[nodiscard]] static site site_of(std::string_view host_or_url);

  /// Whether `found` is that of a robots.txt, now or before.
  bool take(std::shared_ptr<const policy> found);

  /// Whether what a retrieval brought is obeyed.
  bool take(retrieval_result result, std::string_view user_agent, const judge_options& judging,
            std::shared_ptr<const policy> last, const wall_anchor& now);

  /// False, and what is there stays, when the call was over before anything was learned.
  bool keep(std::shared_ptr<const policy> rules);

  [[nodiscard]] bool is_of_site(std::string_view url) const;

  site site_;
  std::string key_;
  delay_options delay_;
  mutable base::counter_random random_;
  std::atomic<std::chrono::nanoseconds::rep> last_response_{0};
  mutable std::shared_mutex mutex_;
  std::shared_ptr<const policy> rules_;
};

}  // namespace robots

#ifndef ROBOTS_COMPILED
#include <robots/polite/crawling_rules.ipp>
#endif

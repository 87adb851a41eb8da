#pragma once

#include <robots/base/counter_random.hpp>
#include <robots/fetch/call_options.hpp>
#include <robots/fetch/fetcher.hpp>
#include <robots/fetch/outcome.hpp>
#include <robots/fetch/retrieval.hpp>
#include <robots/fetch/retrieval_options.hpp>
#include <robots/fetch/retrieval_result.hpp>
#include <robots/fetch/run_retrieval.hpp>
#include <robots/http/site.hpp>
#include <robots/http/site_key.hpp>
#include <robots/policy/decide.hpp>
#include <robots/policy/fallback.hpp>
#include <robots/policy/judge.hpp>
#include <robots/policy/judge_options.hpp>
#include <robots/policy/policy.hpp>
#include <robots/policy/policy_source.hpp>
#include <robots/policy/record.hpp>
#include <robots/polite/crawl_delay.hpp>
#include <robots/polite/detail/policy_delays.hpp>
#include <robots/time/clock.hpp>
#include <robots/time/steady_clock.hpp>
#include <robots/time/wall_time.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <stdexcept>
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
                          std::optional<std::uint64_t> seed = {})
      : site_(site_of(host_or_url)), key_(site_.key()), delay_(delay), random_(seed) {
    validate(delay_);
  }

  /// The same with nothing but a fixed delay.
  crawling_rules(std::string_view host_or_url, std::chrono::nanoseconds fixed_delay)
      : crawling_rules(host_or_url, delay_options{.fixed_delay = fixed_delay}) {}

  /// Takes over the rules that a cache has of the site, fetching them if it has to. Returns true if
  /// they are those of a robots.txt with at least one line that means something. A call that ended
  /// before it had any leaves the rules that are loaded.
  template <PolicySource S>
  bool load(S& cache, const call_options& call = {}) {
    return take(cache.get(key_, call));
  }

  /// Fetches robots.txt; `options.retry` says how often it tries again. Returns true if one is
  /// obeyed that has at least one line that means something. If none is, `judging` says what holds,
  /// by default that everything is allowed, as in CrawlingRules. A call that ended before there was
  /// an answer leaves the rules that are loaded. Throws `std::invalid_argument` when the options
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
  [[nodiscard]] bool allowed(std::string_view url) const {
    if (!url.starts_with('/') && !is_of_site(url)) {
      return false;
    }
    const std::shared_ptr<const policy> now = rules();
    return !now || now->allows(target_for(*now, url));
  }

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
  [[nodiscard]] computed_delay next_delay(wall_time when = std::chrono::system_clock::now()) const {
    const std::shared_ptr<const policy> now = rules();
    delay_inputs inputs = polite_detail::delays_at(now.get(), when);
    inputs.last_response = std::chrono::nanoseconds{last_response_.load(std::memory_order_relaxed)};
    return compute_delay(delay_, inputs, random_.draw());
  }

  /// What was loaded last; null before.
  [[nodiscard]] std::shared_ptr<const policy> rules() const {
    const std::shared_lock lock{mutex_};
    return rules_;
  }

  /// The site, as in `site::key`.
  [[nodiscard]] const std::string& site_key() const noexcept { return key_; }

 private:
  [[nodiscard]] static site site_of(std::string_view host_or_url) {
    std::optional<site> where = parse_site(host_or_url);
    if (!where) {
      throw std::invalid_argument{"crawling_rules: \"" + std::string{host_or_url} +
                                  "\" names no site; write \"example.com\" or a URL of it"};
    }
    return *std::move(where);
  }

  /// Whether a policy rests on a robots.txt in which at least one line means something.
  [[nodiscard]] static bool says_something(const policy& loaded) {
    const line_counts lines = loaded.lines();
    return loaded.basis() == policy_basis::rules && !lines.not_robots_txt &&
           lines.non_blank > lines.malformed;
  }

  /// Whether `found` is that of a robots.txt, now or before.
  bool take(std::shared_ptr<const policy> found) {
    const bool valid = says_something(*found) || found->basis() == policy_basis::last_good;
    return keep(std::move(found)) && valid;
  }

  /// Whether what a retrieval brought is obeyed.
  bool take(retrieval_result result, std::string_view user_agent, const judge_options& judging,
            std::shared_ptr<const policy> last, const wall_anchor& now) {
    const earlier_policies before{.last = std::move(last)};
    record brought = record_of(std::move(result), before, judging, now.wall, random_.draw());
    auto made =
        judge(static_cast<record_head&&>(brought), brought.body, user_agent, judging, before, now);
    const bool obeyed = says_something(*made);
    return keep(std::move(made)) && obeyed;
  }

  /// False, and what is there stays, when the call was over before anything was learned.
  bool keep(std::shared_ptr<const policy> rules) {
    const std::unique_lock lock{mutex_};
    if (rules_ && rules->outcome() == outcome::cancelled) {
      return false;
    }
    rules_.swap(rules);  // so that the old one goes after the lock
    return true;
  }

  [[nodiscard]] bool is_of_site(std::string_view url) const {
    if (possible_site_key(url) == key_) {
      return true;
    }
    const std::optional<site> where = parse_site(url);
    if (!where || where->host != site_.host) {
      return false;
    }
    return site_.scheme ? *where == site_ : where->port == site_.port;
  }

  site site_;
  std::string key_;
  delay_options delay_;
  mutable base::counter_random random_;
  std::atomic<std::chrono::nanoseconds::rep> last_response_{0};
  mutable std::shared_mutex mutex_;
  std::shared_ptr<const policy> rules_;
};

}  // namespace robots

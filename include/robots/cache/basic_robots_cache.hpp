#pragma once

#include <robots/cache/cache_options.hpp>
#include <robots/cache/cache_stats.hpp>
#include <robots/cache/detail/cache_event.hpp>
#include <robots/cache/detail/decides_soon.hpp>
#include <robots/cache/detail/policy_loader.hpp>
#include <robots/cache/detail/shared_names.hpp>
#include <robots/cache/look_up.hpp>
#include <robots/fetch/call_options.hpp>
#include <robots/fetch/fetcher.hpp>
#include <robots/fetch/retrieval_result.hpp>
#include <robots/fwd.hpp>
#include <robots/http/excluded_hosts.hpp>
#include <robots/http/origin.hpp>
#include <robots/http/site.hpp>
#include <robots/http/site_key.hpp>
#include <robots/observe/observer.hpp>
#include <robots/policy/decide.hpp>
#include <robots/policy/decision.hpp>
#include <robots/policy/decision_reason.hpp>
#include <robots/policy/policy.hpp>
#include <robots/store/lru_storage.hpp>
#include <robots/store/storage.hpp>
#include <robots/time/clock.hpp>
#include <robots/time/steady_clock.hpp>

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace robots {

/// Answers for any URL whether one crawler may fetch it now, and why.
///
/// Fetches the robots.txt of a site when it is first asked about, keeps the rules for the crawler,
/// and asks again when they are no longer fresh (SPYDER's robots component; RFC 9309, sections 2.3
/// and 2.4). However many threads ask for one site at once, it is fetched once. A URL stands for
/// its origin; a bare host for https and, where that cannot be reached, http.
///
/// All members may be called from any thread. None throws on account of the network or of content.
/// A look-up that needs no fetch takes constant time on average, and the time of `rule_set::match`.
template <Fetcher F, Clock C, Storage S, Observer O>
class basic_robots_cache {
 public:
  /// Composes a cache of its parts. Throws `std::invalid_argument` when the options contradict
  /// themselves; the message says what to mend.
  explicit basic_robots_cache(cache_options options, F fetcher = {}, C clock = {}, S storage = {},
                              O observer = {})
      : options_(validated(std::move(options))),
        excluded_(std::make_shared<const excluded_hosts>(options_.excluded)),
        excluded_policy_(policy::refusal(options_.user_agent, decision_reason::excluded)),
        invalid_policy_(policy::refusal(options_.user_agent, decision_reason::invalid_url)),
        loader_(options_, excluded_, std::move(fetcher), std::move(clock), std::move(storage),
                std::move(observer)) {}

  basic_robots_cache(const basic_robots_cache&) = delete;
  basic_robots_cache& operator=(const basic_robots_cache&) = delete;

  /// Stops what is under way in threads of the cache's own, and waits for them.
  ~basic_robots_cache() = default;

  /// The policy of a site, named by a URL, a host or `host:port`. Never null; a policy that denies
  /// everything for a host that is excluded and for a text that names no site.
  ///
  /// When the call is stopped or its deadline passes while the robots.txt is fetched, the policy is
  /// what the fallback policy holds for `outcome::cancelled`, and is not kept. The fetch goes on
  /// for as long as another call waits for it.
  [[nodiscard]] std::shared_ptr<const policy> get(std::string_view host_or_url,
                                                  const call_options& call = {}) {
    return find_or_load(host_or_url, call).policy;
  }

  /// Whether the crawler may fetch `url`, and all that the answer rests on.
  [[nodiscard]] decision check(std::string_view url, const call_options& call = {}) {
    return decide(url, find_or_load(url, call));
  }

  /// Whether the crawler may fetch `url`: `check(url).allowed`, and cheaper when nobody observes.
  /// On fresh rules of a `VisitableStorage`, threads that call this write nothing in common.
  [[nodiscard]] bool allowed(std::string_view url, const call_options& call = {}) {
    if constexpr (!std::same_as<O, NullObserver>) {
      return check(url, call).allowed;
    }
    const std::string_view key = possible_site_key(url);
    const std::string_view target = target_behind_key(url, key);
    std::optional<bool> answer;
    std::shared_ptr<const policy> later;
    if (!is_excluded(key)) {
      const time_point now = loader_.clock().now();
      loader_.storage().visit(key, now, [&](const cache_entry& kept) {
        if (now >= kept.fresh_until) {
          return;
        }
        if (detail::decides_soon(*kept.policy, target)) {
          answer = kept.policy->allows(target);
        } else {
          later = kept.policy;
        }
      });
    }
    if (later) {
      answer = later->allows(target);
    }
    if (!answer) {
      return decide(url, load(url, key, call)).allowed;
    }
    using enum detail::cache_event;
    loader_.counters().add(*answer ? allowed_hits : denied_hits);
    return *answer;
  }

  /// Begins to look the policy of a site up, for those who drive the network themselves: an event
  /// loop, or one thread that asks for thousands of sites. Never blocks.
  ///
  ///     look_up at = cache.begin(url);
  ///     while (!at.policy()) {
  ///       if (auto job = at.take_job()) {
  ///         drive(job->work());        // see `retrieval`
  ///         cache.complete(*job);
  ///       } else {
  ///         wait_for(at);              // see `look_up::on_landed`
  ///       }
  ///       cache.resume(at);
  ///     }
  ///     decision made = cache.check(url, at);
  ///
  /// Calls that block and look-ups in steps share what is under way: a thread that holds a job and
  /// blocks on its site waits for itself. A stale policy that is served
  /// (`cache_options::stale_while_revalidate`) is renewed by the cache's own fetcher and thread.
  [[nodiscard]] look_up begin(std::string_view host_or_url) {
    if (detail::found kept = find_fresh(possible_site_key(host_or_url)); kept.policy) {
      return look_up{std::move(kept)};
    }
    const auto where = parse_site(host_or_url);
    if (detail::found refused = refusal(where); refused.policy) {
      return look_up{std::move(refused)};
    }
    return loader_.board(*where, where->key());
  }

  /// Takes the result of a job, hands it to all that wait for it and keeps it. Once for each job.
  /// Throws `std::logic_error` when the job has not come to its end: drive `job.work()` until it is
  /// a `retrieval_result`, or drop the job to give it up.
  void complete(retrieval_job& job) {
    if (!job.ticket_) {
      throw std::logic_error{
          "basic_robots_cache::complete: the job was completed before; begin another look-up"};
    }
    if (!std::holds_alternative<retrieval_result>(job.work().next())) {
      throw std::logic_error{
          "basic_robots_cache::complete: the job is not done; drive job.work() until next() is a "
          "retrieval_result, or drop the job"};
    }
    static_cast<void>(
        loader_.complete(job, std::get<retrieval_result>(std::move(job.work_).next())));
  }

  /// Takes over what was brought since. Where it was given up, the look-up begins anew, maybe with
  /// a job; where it is still under way, nothing happens.
  void resume(look_up& at) { loader_.resume(at); }

  /// Whether the crawler may fetch `url`, by a look-up for its site, which is not checked. Throws
  /// `std::logic_error` when the look-up has no policy yet.
  [[nodiscard]] decision check(std::string_view url, const look_up& at) {
    if (!at.policy()) {
      throw std::logic_error{
          "basic_robots_cache::check: the look-up has no policy yet; resume it when it has landed"};
    }
    return decide(url, at.found_);
  }

  /// Forgets the rules of a site, those kept for worse times included: the next call fetches them,
  /// unless the site is in quarantine or its circuit breaker open. For a bare host, those of its
  /// https and http origins too.
  void invalidate(std::string_view host_or_url) {
    if (const auto where = parse_site(host_or_url)) {
      loader_.invalidate(*where);
    }
  }

  /// Forgets the rules of every site.
  void clear() { loader_.clear(); }

  /// Lets a site out of quarantine, and forgets its files: the next call fetches them.
  void release(std::string_view host_or_url) {
    if (const auto where = parse_site(host_or_url)) {
      loader_.release(*where);
    }
  }

  /// The sites in quarantine, by `site::key`, in order.
  [[nodiscard]] std::vector<std::string> quarantined() const {
    std::vector<std::string> keys = loader_.quarantined().sites();
    std::ranges::sort(keys);
    return keys;
  }

  /// Until when the circuit breaker of an origin keeps requests from it; nothing while it does not,
  /// and for a text that names no site. Of a bare host, its https origin counts.
  [[nodiscard]] std::optional<time_point> breaker_open_until(std::string_view host_or_url) {
    const auto where = parse_site(host_or_url);
    return where ? loader_.breakers().open_until(to_string(where->origins().front()),
                                                 loader_.clock().now())
                 : std::nullopt;
  }

  /// What the cache has done so far. The figures are read one by one, not at one instant.
  [[nodiscard]] cache_stats stats() const {
    using enum detail::cache_event;
    const detail::cache_counters& count = loader_.counters();
    const std::uint64_t allowed_at_once = count.sum(allowed_hits);
    const std::uint64_t denied_at_once = count.sum(denied_hits);
    const S& storage = loader_.storage().bare();
    cache_stats result{.hits = count.sum(hits) + allowed_at_once + denied_at_once,
                       .stale_hits = count.sum(stale_hits),
                       .misses = count.sum(misses),
                       .joined = count.sum(joined),
                       .retrievals = count.sum(retrievals),
                       .not_modified = count.sum(not_modified),
                       .failures = count.sum(failures),
                       .allowed = count.sum(detail::cache_event::allowed) + allowed_at_once,
                       .denied = count.sum(denied) + denied_at_once,
                       .excluded = count.sum(excluded),
                       .storage_failures = loader_.storage().failures(),
                       .size = storage.size(),
                       .quarantined = loader_.quarantined().size(),
                       .open_breakers = loader_.breakers().open()};
    if constexpr (requires { storage.evictions(); }) {
      result.evictions = storage.evictions();
    }
    return result;
  }

  /// The options in force.
  [[nodiscard]] const cache_options& options() const noexcept { return options_; }

  /// The clock by which it lives. Any thread, as for all of a `Clock`.
  [[nodiscard]] C& clock() noexcept { return loader_.clock(); }

 private:
  [[nodiscard]] static cache_options validated(cache_options options) {
    validate(options);
    return options;
  }

  [[nodiscard]] bool is_excluded(std::string_view key) const noexcept {
    return !excluded_->empty() && excluded_->contains(host_of_site_key(key));
  }

  [[nodiscard]] detail::found find_or_load(std::string_view host_or_url, const call_options& call) {
    const std::string_view key = possible_site_key(host_or_url);
    if (detail::found kept = find_fresh(key); kept.policy) {
      return kept;
    }
    return load(host_or_url, key, call);
  }

  [[nodiscard]] detail::found find_fresh(std::string_view key) {
    return is_excluded(key) ? detail::found{} : loader_.find_fresh(key);
  }

  /// What a look-up under `tried` did not find.
  [[nodiscard]] detail::found load(std::string_view host_or_url, std::string_view tried,
                                   const call_options& call) {
    const auto where = parse_site(host_or_url);
    if (detail::found refused = refusal(where); refused.policy) {
      return refused;
    }
    const std::string key = where->key();
    if (key != tried) {
      if (detail::found kept = find_fresh(key); kept.policy) {
        return kept;
      }
    }
    return loader_.load(*where, key, call);
  }

  /// What holds without asking for anything; nothing for a site that may be asked.
  [[nodiscard]] detail::found refusal(const std::optional<site>& where) const {
    if (!where) {
      return {.policy = invalid_policy_};
    }
    if (excluded_->contains(where->host)) {
      return {.policy = excluded_policy_};
    }
    return {};
  }

  [[nodiscard]] decision decide(std::string_view url, detail::found at) {
    const time_point now = at.from_cache ? at.now : loader_.clock().now();
    decision result = robots::decide(std::move(at.policy), url, now);
    result.from_cache = at.from_cache;
    result.stale = at.stale;
    using enum detail::cache_event;
    if (result.reason == decision_reason::excluded) {
      loader_.counters().add(excluded);
    }
    loader_.counters().add(result.allowed ? detail::cache_event::allowed : denied);
    loader_.observer().on_decision({.url = url, .decision = result});
    return result;
  }

  cache_options options_;
  std::shared_ptr<const excluded_hosts> excluded_;
  std::shared_ptr<const policy> excluded_policy_;
  std::shared_ptr<const policy> invalid_policy_;
  detail::policy_loader<F, C, S, O> loader_;
};

}  // namespace robots

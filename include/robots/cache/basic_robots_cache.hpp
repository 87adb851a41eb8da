#pragma once

#include <robots/cache/cache_options.hpp>
#include <robots/cache/cache_stats.hpp>
#include <robots/cache/detail/decides_soon.hpp>
#include <robots/cache/detail/make_entry.hpp>
#include <robots/cache/detail/shared_names.hpp>
#include <robots/cache/detail/single_flight.hpp>
#include <robots/cache/detail/striped_counters.hpp>
#include <robots/fetch/call_options.hpp>
#include <robots/fetch/fetcher.hpp>
#include <robots/fetch/retrieval.hpp>
#include <robots/fetch/retrieval_options.hpp>
#include <robots/fetch/run_retrieval.hpp>
#include <robots/http/excluded_hosts.hpp>
#include <robots/http/site.hpp>
#include <robots/http/site_key.hpp>
#include <robots/observe/observer.hpp>
#include <robots/store/decision.hpp>
#include <robots/store/lru_storage.hpp>
#include <robots/store/policy.hpp>
#include <robots/store/storage.hpp>
#include <robots/time/clock.hpp>
#include <robots/time/steady_clock.hpp>

#include <algorithm>
#include <chrono>
#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
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
template <Fetcher F, Clock C = SteadyClock, Storage S = LruStorage<4096>, Observer O = NullObserver>
class basic_robots_cache {
 public:
  /// Composes a cache of its parts. Throws `std::invalid_argument` when the options contradict
  /// themselves; the message says what to mend.
  explicit basic_robots_cache(cache_options options, F fetcher = {}, C clock = {}, S storage = {},
                              O observer = {})
      : options_(std::move(options)),
        fetcher_(std::move(fetcher)),
        clock_(std::move(clock)),
        storage_(std::move(storage)),
        observer_(std::move(observer)) {
    validate(options_);
    excluded_ = std::make_shared<const excluded_hosts>(options_.excluded);
    retrieval_ = detail::retrieval_options_of(options_, excluded_);
    excluded_policy_ = policy::refusal(options_.user_agent, "the host is excluded");
    invalid_policy_ = policy::refusal(options_.user_agent, "not an http or https URL or a host");
  }

  basic_robots_cache(const basic_robots_cache&) = delete;
  basic_robots_cache& operator=(const basic_robots_cache&) = delete;
  ~basic_robots_cache() = default;

  /// The policy of a site, named by a URL, a host or `host:port`. Never null; a policy that denies
  /// everything for a host that is excluded and for a text that names no site.
  ///
  /// When the call is stopped or its deadline passes while the robots.txt is fetched, the policy is
  /// what the fallback policy holds for `outcome::cancelled`, and is not kept.
  [[nodiscard]] std::shared_ptr<const policy> get(std::string_view host_or_url,
                                                  const call_options& call = {}) {
    return look_up(host_or_url, call).policy;
  }

  /// Whether the crawler may fetch `url`, and all that the answer rests on.
  [[nodiscard]] decision check(std::string_view url, const call_options& call = {}) {
    return decide(url, look_up(url, call));
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
    visit_fresh(key, clock_.now(), [&](const std::shared_ptr<const policy>& kept) {
      if (detail::decides_soon(*kept, target)) {
        answer = kept->allows(target);
      } else {
        later = kept;
      }
    });
    if (later) {
      answer = later->allows(target);
    }
    if (!answer) {
      return decide(url, obtain(url, key, call)).allowed;
    }
    counters_.add(*answer ? event::allowed_hits : event::denied_hits);
    return *answer;
  }

  /// Forgets the rules of a site, those kept for worse times included: the next call fetches them.
  /// For a bare host, those of its https and http origins too.
  void invalidate(std::string_view host_or_url) {
    const auto where = parse_site(host_or_url);
    if (!where) {
      return;
    }
    // Before, so that no result is kept that was asked for earlier; after, since a flight that
    // began in between may have seen what was still kept.
    const std::vector<site> names = detail::names_of(*where);
    detach(names);
    for (const site& name : names) {
      storage_.erase(name.key());
    }
    detach(names);
  }

  /// Forgets the rules of every site.
  void clear() {
    flights_.detach_all();
    storage_.clear();
    flights_.detach_all();
  }

  /// What the cache has done so far. The figures are read one by one, not at one instant.
  [[nodiscard]] cache_stats stats() const {
    const std::uint64_t allowed_hits = counters_.sum(event::allowed_hits);
    const std::uint64_t denied_hits = counters_.sum(event::denied_hits);
    cache_stats result{.hits = counters_.sum(event::hits) + allowed_hits + denied_hits,
                       .misses = counters_.sum(event::misses),
                       .joined = counters_.sum(event::joined),
                       .retrievals = counters_.sum(event::retrievals),
                       .failures = counters_.sum(event::failures),
                       .allowed = counters_.sum(event::allowed) + allowed_hits,
                       .denied = counters_.sum(event::denied) + denied_hits,
                       .excluded = counters_.sum(event::excluded),
                       .storage_failures = counters_.sum(event::storage_failures),
                       .size = storage_.size()};
    if constexpr (requires { storage_.evictions(); }) {
      result.evictions = storage_.evictions();
    }
    return result;
  }

  /// The options in force.
  [[nodiscard]] const cache_options& options() const noexcept { return options_; }

 private:
  enum class event : unsigned char {
    allowed_hits,  // these two are hits and decisions at once: a hit counts once
    denied_hits,
    hits,
    misses,
    joined,
    retrievals,
    failures,
    allowed,
    denied,
    excluded,
    storage_failures,
    count_
  };

  /// What a look-up came to.
  struct found {
    std::shared_ptr<const robots::policy> policy{};
    bool from_cache = false;
    decision_reason refusal = decision_reason::invalid_url;
    time_point now{};  // when a fresh entry was found
  };

  [[nodiscard]] found look_up(std::string_view host_or_url, const call_options& call) {
    const std::string_view key = possible_site_key(host_or_url);
    if (found result = find_fresh(key); result.policy) {
      return result;
    }
    return obtain(host_or_url, key, call);
  }

  /// What a look-up under `tried` did not find.
  [[nodiscard]] found obtain(std::string_view host_or_url, std::string_view tried,
                             const call_options& call) {
    const auto where = parse_site(host_or_url);
    if (!where) {
      return {.policy = invalid_policy_};
    }
    if (excluded_->contains(where->host)) {
      return {.policy = excluded_policy_, .refusal = decision_reason::excluded};
    }
    const std::string key = where->key();
    if (key != tried) {
      if (found result = find_fresh(key); result.policy) {
        return result;
      }
    }
    return load(*where, key, call);
  }

  [[nodiscard]] found hit(std::shared_ptr<const policy> kept, time_point now) {
    counters_.add(event::hits);
    found result;
    result.policy = std::move(kept);
    result.from_cache = true;
    result.now = now;
    return result;
  }

  [[nodiscard]] found find_fresh(std::string_view key) {
    const time_point now = clock_.now();
    std::shared_ptr<const policy> fresh;
    visit_fresh(key, now, [&](const std::shared_ptr<const policy>& kept) { fresh = kept; });
    return fresh ? hit(std::move(fresh), now) : found{};
  }

  /// Shows `look` the policy kept under `key`, unless there is none that is fresh or the host is
  /// excluded.
  template <class Look>
  void visit_fresh(std::string_view key, time_point now, const Look& look) noexcept {
    if (!excluded_->empty() && excluded_->contains(host_of_site_key(key))) {
      return;
    }
    visit_entry(key, now, [&](const cache_entry& kept) {
      if (now < kept.fresh_until) {
        look(kept.policy);
      }
    });
  }

  [[nodiscard]] found load(const site& where, const std::string& key, const call_options& call) {
    const std::string shared = detail::flight_key(where);
    for (;;) {
      auto ticket = flights_.join(shared, key);
      if (ticket.leads()) {
        // Another flight may have landed since the look-up.
        const time_point now = clock_.now();
        cache_entry kept = find_shared(where, key, now);
        if (kept.policy && now < kept.fresh_until) {
          ticket.land(kept.policy);
          return hit(std::move(kept.policy), now);
        }
        counters_.add(event::misses);
        return retrieve(where, key, call, ticket, std::move(kept.policy));
      }
      const auto landed = ticket.under_way().wait(clock_, call.stop, call.deadline);
      if (!landed) {
        return {.policy = given_up(where, key)};
      }
      if (*landed && ticket.under_way().site() == key) {
        counters_.add(event::joined);
        return {.policy = *landed};
      }
    }
  }

  void detach(const std::vector<site>& names) {
    for (const site& name : names) {
      flights_.detach(detail::flight_key(name));
    }
  }

  /// The entry of a site; one without a policy when there is none. A bare host and the origin that
  /// answered for it have the same rules, so that either's entry serves the other, and neither is
  /// fetched while one of them is fresh.
  [[nodiscard]] cache_entry find_shared(const site& where, const std::string& key, time_point now) {
    cache_entry own = find_entry(key, now);
    if (own.policy && now < own.fresh_until) {
      return own;
    }
    cache_entry other = find_entry(detail::counterpart_of(where).key(), now);
    if (!other.policy || (own.policy && now >= other.fresh_until)) {
      return own;
    }
    return detail::answers_for(where, other.policy) ? other : own;
  }

  /// Fetches. `before` is what was kept of the site.
  [[nodiscard]] found retrieve(const site& where, const std::string& key, const call_options& call,
                               detail::single_flight::ticket& ticket,
                               std::shared_ptr<const policy> before) {
    const time_point began = clock_.now();
    const retrieval_result result =
        run_retrieval(retrieval{where, retrieval_}, fetcher_, clock_, call);
    const time_point now = clock_.now();
    if (ticket.under_way().detached()) {
      before = nullptr;  // what was invalidated is no last good copy any more
    }
    auto made = detail::make_policy(result, options_, before, now);
    counters_.add(event::retrievals);
    if (detail::is_failure(result.outcome)) {
      counters_.add(event::failures);
    }
    if (result.outcome == outcome::cancelled) {
      ticket.land(nullptr);
    } else {
      const auto lifetime = detail::lifetime(result, options_);
      const auto entry = detail::make_entry(made, lifetime, options_.last_good_for, now);
      keep(key, entry, now, ticket.under_way());
      ticket.land(made);
    }
    observer_.on_retrieval({.site = key, .policy = *made, .duration = now - began});
    return {.policy = std::move(made)};
  }

  /// Stores an entry unless the site was invalidated meanwhile. Whoever does that marks the flight
  /// before it erases, so that one of the two erases last.
  void keep(const std::string& key, const cache_entry& entry, time_point now,
            const detail::flight& flight) noexcept {
    if (flight.detached()) {
      return;
    }
    try {
      storage_.store(key, entry, now);
      if (flight.detached()) {
        storage_.erase(key);
      }
    } catch (...) {
      counters_.add(event::storage_failures);
    }
  }

  /// Calls `look` with the entry of `key`, if there is one and the storage does not fail.
  template <class Look>
  void visit_entry(std::string_view key, time_point now, const Look& look) noexcept {
    try {
      if constexpr (VisitableStorage<S>) {
        static_cast<void>(storage_.visit(key, now, look));
      } else if (const std::optional<cache_entry> kept = storage_.find(key, now)) {
        look(*kept);
      }
    } catch (...) {
      counters_.add(event::storage_failures);
    }
  }

  [[nodiscard]] cache_entry find_entry(std::string_view key, time_point now) noexcept {
    cache_entry entry;
    visit_entry(key, now, [&entry](const cache_entry& kept) { entry = kept; });
    return entry;
  }

  /// What holds for a caller that would not wait for another one's fetch.
  [[nodiscard]] std::shared_ptr<const policy> given_up(const site& where, const std::string& key) {
    const time_point now = clock_.now();
    retrieval_result result;
    result.outcome = outcome::cancelled;
    result.error = fetch_error::cancelled;
    result.error_text = "the call ended before the robots.txt came";
    result.url = result.final_url = where.robots_urls().front();
    const cache_entry kept = find_shared(where, key, now);
    return detail::make_policy(result, options_, kept.policy, now);
  }

  [[nodiscard]] decision decide(std::string_view url, found at) {
    decision result{
        .reason = at.refusal, .policy = std::move(at.policy), .from_cache = at.from_cache};
    const policy& rules = *result.policy;
    result.verdict = rules.match(url);
    result.allowed = result.verdict.allowed;
    if (rules.basis() != policy_basis::refused) {
      result.reason = reason_of(rules, url, result.verdict);
      const time_point now = at.from_cache ? at.now : clock_.now();
      // What another thread has just stored may be younger than this look-up.
      result.age = std::max(now - rules.rules_source().fetched_at, std::chrono::nanoseconds{0});
    }
    if (result.reason == decision_reason::excluded) {
      counters_.add(event::excluded);
    }
    counters_.add(result.allowed ? event::allowed : event::denied);
    observer_.on_decision({.url = url, .decision = result});
    return result;
  }

  [[nodiscard]] static decision_reason reason_of(const policy& from, std::string_view url,
                                                 const verdict& what) noexcept {
    if (what.directive) {
      return decision_reason::rule;
    }
    if (what.allowed && detail::targets_robots_txt(url)) {
      return decision_reason::robots_txt;
    }
    const bool no_file = from.source().outcome == outcome::not_found;
    switch (from.basis()) {
      case policy_basis::allow_all:
        return no_file ? decision_reason::no_file : decision_reason::fallback;
      case policy_basis::deny_all:
        return decision_reason::fallback;
      default:
        return decision_reason::no_rule;
    }
  }

  cache_options options_;
  retrieval_options retrieval_;
  F fetcher_;
  C clock_;
  S storage_;
  O observer_;
  std::shared_ptr<const excluded_hosts> excluded_;
  std::shared_ptr<const policy> excluded_policy_;
  std::shared_ptr<const policy> invalid_policy_;
  detail::single_flight flights_;
  detail::striped_counters<event> counters_;
};

}  // namespace robots

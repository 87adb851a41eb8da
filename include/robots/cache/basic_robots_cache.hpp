#pragma once

#include <robots/cache/cache_options.hpp>
#include <robots/cache/cache_stats.hpp>
#include <robots/cache/detail/make_entry.hpp>
#include <robots/cache/detail/single_flight.hpp>
#include <robots/fetch/call_options.hpp>
#include <robots/fetch/fetcher.hpp>
#include <robots/fetch/retrieval.hpp>
#include <robots/fetch/run_retrieval.hpp>
#include <robots/http/excluded_hosts.hpp>
#include <robots/http/host.hpp>
#include <robots/http/site.hpp>
#include <robots/http/site_key.hpp>
#include <robots/observe/observer.hpp>
#include <robots/store/decision.hpp>
#include <robots/store/lru_storage.hpp>
#include <robots/store/policy.hpp>
#include <robots/store/storage.hpp>
#include <robots/time/clock.hpp>
#include <robots/time/steady_clock.hpp>

#include <array>
#include <atomic>
#include <chrono>
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
    const found at = look_up(url, call);
    decision result{.reason = at.refusal, .policy = at.policy, .from_cache = at.from_cache};
    result.verdict = at.policy->match(url);
    if (at.policy->basis() != policy_basis::refused) {
      result.reason = reason_of(*at.policy, url, result.verdict);
      result.age = clock_.now() - at.policy->rules_source().fetched_at;
    }
    result.allowed = result.verdict.allowed;
    count(result);
    observer_.on_decision({.url = url, .decision = result});
    return result;
  }

  /// Whether the crawler may fetch `url`: `check(url).allowed`.
  [[nodiscard]] bool allowed(std::string_view url, const call_options& call = {}) {
    return check(url, call).allowed;
  }

  /// Forgets the rules of a site, those kept for worse times included: the next call fetches them.
  /// For a bare host, those of its https and http origins too.
  void invalidate(std::string_view host_or_url) {
    const auto where = parse_site(host_or_url);
    if (!where) {
      return;
    }
    site named = *where;
    for (const auto scheme : {std::optional<url_scheme>{}, std::optional{url_scheme::https},
                              std::optional{url_scheme::http}}) {
      if (where->scheme && scheme && scheme != where->scheme) {
        continue;
      }
      named.scheme = scheme;
      flights_.detach(flight_key(named));
      storage_.erase(named.key());
    }
  }

  /// Forgets the rules of every site.
  void clear() {
    flights_.detach_all();
    storage_.clear();
  }

  /// What the cache has done so far. The figures are read one by one, not at one instant.
  [[nodiscard]] cache_stats stats() const {
    cache_stats result{.hits = hits_,
                       .misses = misses_,
                       .joined = joined_,
                       .retrievals = retrievals_,
                       .failures = failures_,
                       .allowed = allowed_,
                       .denied = denied_,
                       .excluded = excluded_count_,
                       .storage_failures = storage_failures_,
                       .size = storage_.size()};
    if constexpr (requires { storage_.evictions(); }) {
      result.evictions = storage_.evictions();
    }
    return result;
  }

  /// The options in force.
  [[nodiscard]] const cache_options& options() const noexcept { return options_; }

 private:
  using counter = std::atomic<std::uint64_t>;

  /// What a look-up came to.
  struct found {
    std::shared_ptr<const robots::policy> policy;
    bool from_cache = false;
    decision_reason refusal = decision_reason::invalid_url;
  };

  [[nodiscard]] found look_up(std::string_view host_or_url, const call_options& call) {
    if (const auto key = site_key_prefix(host_or_url)) {
      if (!excluded_->empty() && excluded_->contains(host_of(*key))) {
        return excluded_site();
      }
      if (auto fresh = find_fresh(*key)) {
        return hit(std::move(fresh));
      }
    }
    const auto where = parse_site(host_or_url);
    if (!where) {
      return {.policy = invalid_policy_};
    }
    if (excluded_->contains(where->host)) {
      return excluded_site();
    }
    return load(*where, call);
  }

  [[nodiscard]] found excluded_site() const {
    return {.policy = excluded_policy_, .refusal = decision_reason::excluded};
  }

  [[nodiscard]] found hit(std::shared_ptr<const policy> kept) {
    ++hits_;
    found result;
    result.policy = std::move(kept);
    result.from_cache = true;
    return result;
  }

  [[nodiscard]] std::shared_ptr<const policy> find_fresh(std::string_view key) {
    const time_point now = clock_.now();
    auto entry = find_entry(key, now);
    return entry && now < entry->fresh_until ? std::move(entry->policy) : nullptr;
  }

  [[nodiscard]] found load(const site& where, const call_options& call) {
    const std::string key = where.key();
    if (auto fresh = find_fresh(key)) {
      return hit(std::move(fresh));
    }
    const std::string shared = flight_key(where);
    for (;;) {
      auto ticket = flights_.join(shared, key);
      if (ticket.leads()) {
        // Another flight may have landed since the look-up.
        auto kept = find_shared(where, key);
        if (kept && clock_.now() < kept->fresh_until) {
          ticket.land(kept->policy);
          return hit(std::move(kept->policy));
        }
        ++misses_;
        return retrieve(where, key, call, ticket);
      }
      const auto landed = ticket.under_way().wait(clock_, call.stop, call.deadline);
      if (!landed) {
        return {.policy = given_up(where, key)};
      }
      if (*landed && ticket.under_way().site() == key) {
        ++joined_;
        return {.policy = *landed};
      }
    }
  }

  /// What flights are told apart by: a bare host asks its https origin first, so the two share one.
  [[nodiscard]] static std::string flight_key(site where) {
    if (where.scheme == url_scheme::https) {
      where.scheme.reset();
    }
    return where.key();
  }

  /// The entry of a site. A bare host and the origin that answered for it have the same rules, so
  /// that either's entry serves the other, and neither is fetched while one of them is fresh.
  [[nodiscard]] std::optional<cache_entry> find_shared(const site& where, const std::string& key) {
    const time_point now = clock_.now();
    auto own = find_entry(key, now);
    if (own && now < own->fresh_until) {
      return own;
    }
    site counterpart = where;
    counterpart.scheme =
        where.scheme ? std::optional<url_scheme>{} : std::optional{url_scheme::https};
    auto other = find_entry(counterpart.key(), now);
    if (!other || (own && now >= other->fresh_until)) {
      return own;
    }
    const site& origin = where.scheme ? where : counterpart;
    const auto good = policy::good(other->policy);
    const provenance& answered = good ? good->source() : other->policy->source();
    const bool same = answered.status != 0 && answered.url == origin.robots_urls().front();
    return same ? other : own;
  }

  [[nodiscard]] found retrieve(const site& where, const std::string& key, const call_options& call,
                               detail::single_flight::ticket& ticket) {
    const time_point began = clock_.now();
    const retrieval_result result =
        run_retrieval(retrieval{where, detail::retrieval_options_of(options_, excluded_)}, fetcher_,
                      clock_, call);
    const time_point now = clock_.now();
    auto made = detail::make_policy(result, options_, last_policy(where, key), now);
    ++retrievals_;
    if (detail::is_failure(result.outcome)) {
      ++failures_;
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
      ++storage_failures_;
    }
  }

  /// The entry of `key`; none when the storage fails.
  [[nodiscard]] std::optional<cache_entry> find_entry(std::string_view key,
                                                      time_point now) noexcept {
    try {
      return storage_.find(key, now);
    } catch (...) {
      ++storage_failures_;
      return std::nullopt;
    }
  }

  [[nodiscard]] std::shared_ptr<const policy> last_policy(const site& where,
                                                          const std::string& key) {
    auto kept = find_shared(where, key);
    return kept ? std::move(kept->policy) : nullptr;
  }

  /// What holds for a caller that would not wait for another one's fetch.
  [[nodiscard]] std::shared_ptr<const policy> given_up(const site& where, const std::string& key) {
    const time_point now = clock_.now();
    retrieval_result result;
    result.outcome = outcome::cancelled;
    result.error = fetch_error::cancelled;
    result.error_text = "the call ended before the robots.txt came";
    result.url = result.final_url = where.robots_urls().front();
    return detail::make_policy(result, options_, last_policy(where, key), now);
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

  void count(const decision& what) noexcept {
    ++(what.allowed ? allowed_ : denied_);
    if (what.reason == decision_reason::excluded) {
      ++excluded_count_;
    }
  }

  cache_options options_;
  F fetcher_;
  C clock_;
  S storage_;
  O observer_;
  std::shared_ptr<const excluded_hosts> excluded_;
  std::shared_ptr<const policy> excluded_policy_;
  std::shared_ptr<const policy> invalid_policy_;
  detail::single_flight flights_;
  counter hits_ = 0;
  counter misses_ = 0;
  counter joined_ = 0;
  counter retrievals_ = 0;
  counter failures_ = 0;
  counter allowed_ = 0;
  counter denied_ = 0;
  counter excluded_count_ = 0;
  counter storage_failures_ = 0;
};

}  // namespace robots

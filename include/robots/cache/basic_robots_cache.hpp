#pragma once

#include <robots/cache/cache_options.hpp>
#include <robots/cache/detail/cache_parts.hpp>
#include <robots/cache/detail/guarded_store.hpp>
#include <robots/cache/detail/job_runner.hpp>
#include <robots/cache/detail/own_parts.hpp>
#include <robots/cache/detail/policy_loader.hpp>
#include <robots/cache/detail/site_rulings.hpp>
#include <robots/cache/look_up.hpp>
#include <robots/fetch/call_options.hpp>
#include <robots/fetch/fetcher.hpp>
#include <robots/fwd.hpp>
#include <robots/http/excluded_hosts.hpp>
#include <robots/http/origin.hpp>
#include <robots/http/site.hpp>
#include <robots/http/site_key.hpp>
#include <robots/observe/cache_stats.hpp>
#include <robots/observe/observer.hpp>
#include <robots/policy/decide.hpp>
#include <robots/policy/decision.hpp>
#include <robots/policy/decision_reason.hpp>
#include <robots/policy/halt_reason.hpp>
#include <robots/policy/policy.hpp>
#include <robots/policy/site_override.hpp>
#include <robots/rep/rules/rule_set.hpp>
#include <robots/store/lru_storage.hpp>
#include <robots/store/storage.hpp>
#include <robots/store/tiered_storage.hpp>
#include <robots/time/clock.hpp>
#include <robots/time/steady_clock.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
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
/// Over a `SharingStorage`, such as `TieredStorage`, it shares what sites answer with the other
/// processes of the crawl: of all of them, one fetches a site. What the shared store has is
/// believed as far as it can be true; where the store fails, each process goes on alone.
/// Overrides, halts, sign-offs, quarantine and circuit breakers are the process's own.
///
/// All members may be called from any thread. None throws on account of the network or of content.
/// A look-up that needs no fetch takes constant time on average, and the time of `rule_set::match`.
template <Fetcher F, Clock C, Storage S, Observer O>
class basic_robots_cache {
 public:
  /// Composes a cache of its parts, and watches what the storage shares, if it does. Throws
  /// `std::invalid_argument` when the options contradict themselves; the message says what to mend.
  explicit basic_robots_cache(cache_options options, F fetcher = {}, C clock = {}, S storage = {},
                              O observer = {})
      : options_(validated(std::move(options))),
        excluded_(std::make_shared<const excluded_hosts>(options_.excluded)),
        parts_(std::move(fetcher), std::move(clock), std::move(storage), std::move(observer)),
        rulings_(options_, *excluded_, parts_),
        store_(shared_store_of(parts_)),
        loader_(options_, excluded_, parts_, rulings_, store_.get()),
        runner_(options_, *excluded_, parts_, loader_, store_.get()) {
    if constexpr (ObserverOf<O, drop_event> && requires { parts_.storage.on_drop({}); }) {
      parts_.storage.on_drop([this](std::string_view key, bool expired) {
        parts_.tell(drop_event{parts_.about(key), expired});
      });
    }
  }

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
    const std::string_view key = first_key(host_or_url);
    cache_detail::found kept = find_fresh(key, call);
    return kept.policy ? std::move(kept.policy) : load(host_or_url, key, call).policy;
  }

  /// Whether the crawler may fetch `url`, and all that the answer rests on.
  [[nodiscard]] decision check(std::string_view url, const call_options& call = {}) {
    const std::string_view key = first_key(url);
    if (cache_detail::found kept = find_fresh(key, call); kept.policy) {
      return decide(key, url, target_behind_key(url, key), std::move(kept), call.context);
    }
    return decide(site_of(url), url, url, load(url, key, call), call.context);
  }

  /// Whether the crawler may fetch `url`: `check(url).allowed`, and cheaper when nobody observes.
  /// On fresh rules of a `VisitableStorage`, threads that call this write nothing in common.
  [[nodiscard]] bool allowed(std::string_view url, const call_options& call = {}) {
    if (has_observer) {
      return check(url, call).allowed;
    }
    std::string_view key = first_key(url);
    std::optional<bool> answer;
    visit_fresh(key, [&](const cache_entry& kept, time_point) {
      const std::string_view target = target_for(*kept.policy, target_behind_key(url, key));
      if (decides_soon(kept.policy->rules(), target)) {
        answer = kept.policy->allows(target);
      } else {
        key = {};  // to be found again
      }
    });
    if (!answer) {
      return decide({}, url, url, load(url, key, call), call.context).allowed;
    }
    using enum cache_detail::cache_event;
    parts_.counters.add(*answer ? allowed_hits : denied_hits);
    return *answer;
  }

  /// Begins to look the policy of a site up, for those who drive the network themselves: an event
  /// loop, or one thread that asks for thousands of sites. Never blocks. See `look_up` for what to
  /// do next. Of the options of a call, only the context counts.
  ///
  /// A thread that blocks on a site whose look-up it drives waits for itself. A stale policy that
  /// is served (`cache_options::stale_while_revalidate`) is renewed by the cache's own fetcher and
  /// thread. What is shared with other processes is asked for, and told, by threads of the cache.
  [[nodiscard]] look_up begin(std::string_view host_or_url, const call_options& call = {}) {
    const std::string_view tried = first_key(host_or_url);
    if (cache_detail::found kept = find_fresh(tried, call); kept.policy) {
      return {std::string{tried}, std::move(kept), call.context};
    }
    const auto where = parse_site(host_or_url);
    std::string key = where ? where->key() : std::string{};
    if (cache_detail::found ruled = loader_.ruling_on(where); ruled.policy) {
      return {std::move(key), std::move(ruled), call.context};
    }
    return runner_.begin(*where, key, call.context);
  }

  /// Whether the crawler may fetch `url`, by what holds for its site without its robots.txt now,
  /// else by a look-up for it. Throws `std::logic_error` when the look-up has no policy yet, and
  /// `std::invalid_argument` when it is for another site.
  [[nodiscard]] decision check(std::string_view url, const look_up& at) {
    if (!at.policy()) {
      throw std::logic_error{
          "basic_robots_cache::check: the look-up has no policy yet; drive it until there is one"};
    }
    const std::string& key = at.key_;
    if (!key.empty() && first_key(url) == key) {
      return decide(key, url, target_behind_key(url, key), at.found_, at.context_);
    }
    const auto where = parse_site(url);
    if ((where ? where->key() : std::string{}) != key) {
      throw std::invalid_argument{"basic_robots_cache::check: the look-up is for " +
                                  (key.empty() ? "a text that names no site" : key) +
                                  ", not for the site of the URL: begin one for that"};
    }
    const cache_detail::found ruled = loader_.ruling_on(where);
    return decide(key, url, url, ruled.policy ? ruled : at.found_, at.context_);
  }

  /// Counts a decision that was made without this cache, such as an exclusion in front of it or one
  /// by `get` and `policy::allows`, and tells the observer of it. Of the options, only the context
  /// counts.
  void note(std::string_view url, const decision& made, const call_options& call = {}) {
    note(site_of(url), url, made, call.context);
  }

  /// Forgets the rules of a site, those kept for worse times included: the next call fetches them,
  /// unless the site is in quarantine or its circuit breaker open. For a bare host, those of its
  /// https and http origins too. So does every process that shares the storage, within a second;
  /// for that, this blocks as long as the shared store does.
  void invalidate(std::string_view host_or_url) {
    if (const auto where = parse_site(host_or_url)) {
      loader_.invalidate(*where);
    }
  }

  /// Asks a site again now, by what it said to tell changes by, whether its rules are fresh or not;
  /// gives what holds then. Unlike `invalidate`, this keeps the last good copy for worse times.
  /// Processes that share the storage take the answer over.
  std::shared_ptr<const policy> refresh(std::string_view host_or_url,
                                        const call_options& call = {}) {
    const auto where = parse_site(host_or_url);
    if (cache_detail::found ruled = loader_.ruling_on(where); ruled.policy) {
      return std::move(ruled.policy);
    }
    return runner_.load(*where, where->key(), call, true).policy;
  }

  /// Tells by hand what holds for a site, until it is lifted by `site_override::none`: before its
  /// robots.txt, and before exclusions and quarantine, but not before a halt or a sign-off that is
  /// missing. A bare host stands for its https and http origins, too, unless one of these has an
  /// override of its own. Throws `std::invalid_argument` for a text that names no site.
  void set_override(std::string_view host_or_url, site_override what) {
    rulings_.set_override(named(host_or_url, "set_override"), what);
  }

  /// The overrides that are set, by `site::key`, in order.
  [[nodiscard]] std::vector<std::pair<std::string, site_override>> overrides() const {
    return rulings_.overrides();
  }

  /// Halts a site: nothing is allowed there, under any scheme, until it is resumed
  /// (`decision_reason::halted`), and nothing asked, but for what is under way and for a robots.txt
  /// that another site redirects to. Requests that wait in a gate of a `basic_admission` are
  /// refused. The cache does so itself by `cache_options::halt_hostile` and `halt_revoked`. At most
  /// 65,536 sites are halted at once; a further one is not. Throws `std::invalid_argument` for a
  /// text that names no site.
  void halt(std::string_view host_or_url, const call_options& call = {}) {
    rulings_.halt(named(host_or_url, "halt").key(), halt_reason::by_hand, call.context);
  }

  /// Lifts the halt of a site: what its robots.txt says holds again. Whether it was halted.
  bool resume(std::string_view host_or_url) {
    const auto where = parse_site(host_or_url);
    return where && rulings_.resume(where->key());
  }

  /// Whether the site of a URL is halted.
  [[nodiscard]] bool is_halted(std::string_view host_or_url) const {
    const auto where = parse_site(host_or_url);
    return where && rulings_.is_halted(where->key());
  }

  /// The sites that are halted, by `site::key` without a scheme, in order, and why.
  [[nodiscard]] std::vector<std::pair<std::string, halt_reason>> halted() const {
    return rulings_.halted();
  }

  /// Has `told` called with the key of each site when it is halted, for as long as the result
  /// lives: to stop what is under way there. By any thread; it must not block, halt a site, nor
  /// destroy the result. What it throws is dropped.
  [[nodiscard]] std::shared_ptr<const void> on_halt(
      std::function<void(std::string_view site)> told) {
    return rulings_.on_halt(std::move(told));
  }

  /// Tells the cache how a page was answered: with which status, and whether with a challenge, such
  /// as a CAPTCHA, in place of the page. Access was revoked when that is 401, 403 or a challenge,
  /// unless what is kept of the site denies the URL. Then the observer is told, the site is halted
  /// if `cache_options::halt_revoked` is set, and the result is true. Asks no site; of the options,
  /// only the context counts.
  bool report_response(std::string_view url, int status, bool is_challenge = false,
                       const call_options& call = {}) {
    constexpr int unauthorized = 401;
    constexpr int forbidden = 403;
    const auto where = parse_site(url);
    if (!where || (status != unauthorized && status != forbidden && !is_challenge)) {
      return false;
    }
    const std::string key = where->key();
    auto by = rulings_.find(*where);
    by = by ? std::move(by) : loader_.last(*where, key);
    if (by && !by->allows(target_for(*by, url))) {
      return false;
    }
    parts_.tell(access_revoked_event{parts_.about(key, call.context), url, status});
    if (options_.halt_revoked) {
      rulings_.halt(key, halt_reason::access_revoked, call.context);
    }
    return true;
  }

  /// Signs a high-risk site off, whatever the scheme, or takes that back: see
  /// `cache_options::sign_off`. Other sites, such as those that it redirects to, need their own.
  /// Throws `std::invalid_argument` for a text that names no site.
  void sign_off(std::string_view host_or_url, bool given = true) {
    rulings_.sign_off(named(host_or_url, "sign_off").key(), given);
  }

  /// The high-risk sites that were asked about and denied since nobody has signed them off, by
  /// `site::key` without a scheme, in order. The first 65,536; more are denied, but not listed.
  [[nodiscard]] std::vector<std::string> awaiting_sign_off() const {
    return rulings_.awaiting_sign_off();
  }

  /// Forgets the rules of every site in this process; what it shares with others stays.
  void clear() { loader_.clear(); }

  /// Lets a site out of quarantine, and forgets its files: the next call fetches them.
  void release(std::string_view host_or_url) {
    if (const auto where = parse_site(host_or_url)) {
      loader_.release(*where);
    }
  }

  /// The sites in quarantine, by `site::key`, in order.
  [[nodiscard]] std::vector<std::string> quarantined() const {
    std::vector<std::string> keys = loader_.kept().all_quarantined().sites();
    std::sort(keys.begin(), keys.end());
    return keys;
  }

  /// Until when the circuit breaker of an origin keeps requests from it; nothing while it does not,
  /// and for a text that names no site. Of a bare host, its https origin counts.
  [[nodiscard]] std::optional<time_point> breaker_open_until(std::string_view host_or_url) {
    const auto where = parse_site(host_or_url);
    return where ? loader_.breakers().open_until(to_string(where->origins().front()),
                                                 parts_.clock.now())
                 : std::nullopt;
  }

  /// What the cache has done so far. The figures are read one by one, not at one instant.
  [[nodiscard]] cache_stats stats() const {
    using enum cache_detail::cache_event;
    const cache_detail::cache_counters& count = parts_.counters;
    const std::uint64_t allowed_at_once = count.sum(allowed_hits);
    const std::uint64_t denied_at_once = count.sum(denied_hits);
    const S& storage = parts_.storage;
    cache_stats result{{.hits = count.sum(hits) + allowed_at_once + denied_at_once,
                        .stale_hits = count.sum(stale_hits),
                        .misses = count.sum(misses),
                        .joined = count.sum(joined),
                        .retrievals = count.sum(retrievals),
                        .not_modified = count.sum(not_modified),
                        .failures = count.sum(failures),
                        .allowed = count.sum(cache_detail::cache_event::allowed) + allowed_at_once,
                        .denied = count.sum(denied) + denied_at_once,
                        .excluded = count.sum(excluded),
                        .far_hits = count.sum(far_hits)}};
    result.far_misses = count.sum(far_misses);
    result.far_rejected = count.sum(far_rejected);
    result.far_failures = count.sum(far_failures);
    result.storage_failures = parts_.storage_failures;
    result.size = storage.size();
    result.quarantined = loader_.kept().all_quarantined().size();
    result.open_breakers = loader_.breakers().open();
    result.observer_failures = parts_.observer_failures;
    if constexpr (requires { storage.evictions(); }) {
      result.evictions = storage.evictions();
    }
    return result;
  }

  /// Octets of memory that the rules kept hold; nothing when the storage does not tell.
  [[nodiscard]] std::optional<std::size_t> memory_bytes() const {
    const S& storage = parts_.storage;
    if constexpr (requires { storage.memory_bytes(); }) {
      return storage.memory_bytes();
    } else {
      return std::nullopt;
    }
  }

  /// The options in force.
  [[nodiscard]] const cache_options& options() const noexcept { return options_; }

  /// The clock by which it lives. Any thread, as for all of a `Clock`.
  [[nodiscard]] C& clock() noexcept { return parts_.clock; }

 private:
  using parts = cache_detail::own_parts<F, C, S, O>;
  static constexpr bool has_observer = parts::has_observer;

  [[nodiscard]] static std::unique_ptr<cache_detail::guarded_store> shared_store_of(
      [[maybe_unused]] parts& with) {
    if constexpr (SharingStorage<S>) {
      S& storage = with.storage;
      using store = cache_detail::any_store_of<std::remove_cvref_t<decltype(storage.shared())>>;
      return std::make_unique<cache_detail::guarded_store>(
          std::make_unique<store>(storage.shared()), storage.options(), with);
    } else {
      return nullptr;
    }
  }

  [[nodiscard]] static cache_options validated(cache_options options) {
    validate(options);
    return options;
  }

  /// The site that a text names, for a member of that name.
  [[nodiscard]] static site named(std::string_view host_or_url, std::string_view member) {
    auto where = parse_site(host_or_url);
    if (!where) {
      throw std::invalid_argument{"basic_robots_cache::" + std::string{member} +
                                  ": give a host, host:port, or http or https URL"};
    }
    return *std::move(where);
  }

  /// The start of a text under which its site may be found before the text is parsed. Empty where
  /// something may hold for the site without its robots.txt.
  [[nodiscard]] std::string_view first_key(std::string_view host_or_url) const {
    const std::string_view key = possible_site_key(host_or_url);
    return rulings_.may_hold_for(key) ? std::string_view{} : key;
  }

  /// Calls `look` with the fresh entry of `key` and the time, if there is one.
  template <class Look>
  void visit_fresh(std::string_view key, const Look& look) {
    if (key.empty()) {
      return;
    }
    const time_point now = parts_.clock.now();
    parts_.visit(key, now, [&](const cache_entry& kept) {
      if (now < kept.fresh_until) {
        look(kept, now);
      }
    });
  }

  /// Whether `rules` decide within a tenth of a millisecond, whoever wrote them: 1 ns for each rule
  /// and octet. While a storage shows an entry, nobody can store, and whoever comes after one that
  /// wants to store waits, too: a file that takes 20 ms must not hold up the other sites.
  [[nodiscard]] static bool decides_soon(const rule_set& rules, std::string_view target) noexcept {
    return std::uint64_t{target.size()} * (rules.size() + 1) <= 65'536;
  }

  /// What the cache has of a site, without asking anybody.
  [[nodiscard]] cache_detail::found find_fresh(std::string_view key, const call_options& call) {
    cache_detail::found result;
    visit_fresh(key, [&](const cache_entry& kept, time_point now) {
      result = {.policy = kept.policy, .from_cache = true, .now = now};
    });
    if (result.policy) {
      parts_.counters.add(cache_detail::cache_event::hits);
      parts_.tell(
          look_up_event{parts_.about(key, call.context), look_up_result::hit, result.policy.get()});
    }
    return result;
  }

  /// What a look-up under `tried` did not find.
  [[nodiscard]] cache_detail::found load(std::string_view host_or_url, std::string_view tried,
                                         const call_options& call) {
    const auto where = parse_site(host_or_url);
    if (cache_detail::found ruled = loader_.ruling_on(where); ruled.policy) {
      return ruled;
    }
    const std::string key = where->key();
    if (key != tried) {
      if (cache_detail::found kept = find_fresh(key, call); kept.policy) {
        return kept;
      }
    }
    return runner_.load(*where, key, call);
  }

  /// The key of the site of a URL, if anybody wants to know; empty when it names none.
  [[nodiscard]] static std::string site_of([[maybe_unused]] std::string_view url) {
    if constexpr (has_observer) {
      const auto where = parse_site(url);
      return where ? where->key() : std::string{};
    } else {
      return {};
    }
  }

  /// The decision on `url`, of which `target` is what the rules are asked about.
  [[nodiscard]] decision decide(std::string_view site, std::string_view url,
                                std::string_view target, cache_detail::found at,
                                const std::shared_ptr<const call_context>& context) {
    const time_point now = at.from_cache ? at.now : parts_.clock.now();
    decision result = robots::decide(std::move(at.policy), target, now);
    result.from_cache = at.from_cache;
    result.stale = at.stale;
    note(site, url, result, context);
    return result;
  }

  void note(std::string_view site, std::string_view url, const decision& made,
            const std::shared_ptr<const call_context>& context) {
    using enum cache_detail::cache_event;
    if (made.reason == decision_reason::excluded) {
      parts_.counters.add(excluded);
    }
    parts_.counters.add(made.allowed ? cache_detail::cache_event::allowed : denied);
    parts_.tell(decision_event{parts_.about(site, context), url, made});
  }

  cache_options options_;
  std::shared_ptr<const excluded_hosts> excluded_;
  parts parts_;
  cache_detail::site_rulings rulings_;
  std::unique_ptr<cache_detail::guarded_store> store_;  // of a `SharingStorage`
  cache_detail::policy_loader loader_;
  cache_detail::job_runner runner_;  // last: ends before what its threads use
};

}  // namespace robots

#pragma once

#include <robots/base/ascii.hpp>
#include <robots/base/config.hpp>
#include <robots/cache/cache_controls.hpp>
#include <robots/cache/detail/cache_parts.hpp>
#include <robots/cache/detail/guarded_store.hpp>
#include <robots/cache/detail/look_up_environment.hpp>
#include <robots/cache/detail/look_up_runner.hpp>
#include <robots/cache/detail/look_up_state.hpp>
#include <robots/cache/detail/look_ups.hpp>
#include <robots/cache/detail/recent_refusals.hpp>
#include <robots/http/origin.hpp>
#include <robots/http/site_key.hpp>
#include <robots/policy/decide.hpp>
#include <robots/policy/decision_reason.hpp>
#include <robots/policy/policy.hpp>
#include <robots/rep/read/product_token.hpp>
#include <robots/rulings/exclusion_list.hpp>
#include <robots/rulings/site_rulings.hpp>

#include <algorithm>
#include <cstdint>
#include <stdexcept>

namespace robots {

namespace cache_detail {

/// All of a cache but its parts.
struct cache_engine {
  /// `own` outlives it; `shared` is empty if nothing is shared.
  cache_engine(cache_options&& how, cache_parts& own, const shared_part& shared)
      : options(validated(std::move(how))),
        parts(named(own, options)),
        store(shared.store != nullptr ? std::make_unique<guarded_store>(shared, own) : nullptr) {}

  [[nodiscard]] static cache_options validated(cache_options options) {
    validate(options);
    return options;
  }

  /// Gives the parts the name of the crawler, for the events that they tell.
  [[nodiscard]] static cache_parts& named(cache_parts& own, const cache_options& options) {
    own.crawler = product_token(options.user_agent);
    return own;
  }

  const cache_options options;
  cache_parts& parts;
  robots::rulings_detail::exclusion_list excluded{options.excluded};
  const std::unique_ptr<guarded_store> store;
  robots::rulings_detail::site_rulings rulings{ruling_options_of(options), excluded, parts,
                                               sharing()};
  recent_refusals refusals;
  look_up_environment sites{options, excluded, parts, rulings, store.get()};
  look_up_runner runner{sites};  // last: it has threads

  void invalidate(const site& where) {
    sites.invalidate(where);
    runner.deliver();
  }

  /// Returns the function that sends rulings to the other processes. Empty if nothing is shared.
  [[nodiscard]] robots::rulings_detail::site_rulings::sharing sharing() {
    if (!store) {
      return {};
    }
    return [this](const std::string& key, std::string text) {
      store->publish_later(key, std::move(text));
      runner.deliver();
    };
  }
};

/// The site that a text names, for a member of that name.
[[nodiscard]] inline site named(std::string_view host_or_url, std::string_view member) {
  auto where = parse_site(host_or_url);
  if (!where) {
    throw std::invalid_argument{"basic_robots_cache::" + std::string{member} +
                                ": give a host, host:port, or http or https URL"};
  }
  return *std::move(where);
}

}  // namespace cache_detail

ROBOTS_INLINE cache_controls::cache_controls(cache_options&& options,
                                             cache_detail::cache_parts& parts,
                                             const cache_detail::shared_part& shared)
    : engine_(std::make_unique<cache_detail::cache_engine>(std::move(options), parts, shared)) {}

ROBOTS_INLINE cache_controls::~cache_controls() {
  engine_->runner.end();  // its threads may still call this
}

ROBOTS_INLINE decision cache_controls::check(std::string_view url, const look_up& at) {
  if (!at.policy()) {
    throw std::logic_error{
        "basic_robots_cache::check: the look-up has no policy yet; drive it until there is one"};
  }
  const cache_detail::look_up_state& asked = at.state();
  const std::string& key = asked.key;
  const auto tell = [&](std::string_view target, const cache_detail::found& found) {
    if (!asked.counted_url.empty() && asked.counted_url == url &&
        found.policy->refused() == decision_reason::excluded) {
      return uncounted_decision(target, found);  // `begin` has counted it
    }
    decision result = decide(target, found);
    engine_->parts.tell(decision_event{
        engine_->parts.about(key, asked.context, agent_name(asked.agent)), url, result});
    return result;
  };
  if (!key.empty() && first_key(url) == key) {
    return tell(target_behind_key(url, key), asked.answer);
  }
  const auto where = parse_site(url);
  if (!policy_detail::is_answer_for(where, key, *at.policy())) {
    throw std::invalid_argument{"basic_robots_cache::check: the look-up is for " +
                                (key.empty() ? "a text that names no site" : key) +
                                ", not for the site of the URL: begin one for that"};
  }
  const cache_detail::found ruled = engine_->sites.ruling_on(where);
  return tell(url, ruled.policy ? ruled : asked.answer);
}

ROBOTS_INLINE decision cache_controls::check(std::string_view url,
                                             const std::shared_ptr<const policy>& by,
                                             const call_options& call) {
  if (!by) {
    throw std::invalid_argument{
        "basic_robots_cache::check: the policy is null; give one that `get` returned"};
  }
  const auto where = parse_site(url.starts_with('/') ? by->source().url : url);
  cache_detail::found found;
  if (where || !by->given_reason()) {
    found = engine_->sites.ruling_on(where);
  }
  if (!found.policy) {
    found = {.policy = by, .from_cache = true, .now = engine_->parts.now()};
  }
  decision result = decide(url, std::move(found));
  const std::string key = where ? where->key() : std::string{};
  engine_->parts.tell(decision_event{engine_->parts.about(key, call.context), url, result});
  return result;
}

ROBOTS_INLINE void cache_controls::note(std::string_view url, const decision& made,
                                        const call_options& call) {
  count(made);
  engine_->parts.tell(decision_event{engine_->parts.about(site_of(url), call.context), url, made});
}

ROBOTS_INLINE void cache_controls::invalidate(std::string_view host_or_url) {
  if (const auto where = parse_site(host_or_url)) {
    engine_->invalidate(*where);
  }
}

ROBOTS_INLINE std::shared_ptr<const policy> cache_controls::refresh(std::string_view host_or_url,
                                                                    const call_options& call) {
  const std::size_t agent = agent_of(call);
  const auto where = parse_site(host_or_url);
  if (cache_detail::found ruled = engine_->sites.ruling_on(where); ruled.policy) {
    note_exclusion(host_or_url, ruled, call);
    return std::move(ruled.policy);
  }
  return cache_detail::selected(engine_->runner.load(*where, where->key(), call, true), agent)
      .policy;
}

ROBOTS_INLINE void cache_controls::set_excluded(std::span<const std::string> entries) {
  engine_->excluded.replace(entries);
  engine_->parts.tell(exclusions_event{engine_->parts.about({}), entries});
}

ROBOTS_INLINE void cache_controls::set_override(std::string_view host_or_url, site_override what) {
  engine_->rulings.set_override(cache_detail::named(host_or_url, "set_override"), what);
}

ROBOTS_INLINE std::vector<std::pair<std::string, site_override>> cache_controls::overrides() const {
  return engine_->rulings.overrides();
}

ROBOTS_INLINE void cache_controls::halt(std::string_view host_or_url, const call_options& call) {
  engine_->rulings.halt(cache_detail::named(host_or_url, "halt").key(), halt_reason::by_hand,
                        call.context);
}

ROBOTS_INLINE bool cache_controls::resume(std::string_view host_or_url) {
  const auto where = parse_site(host_or_url);
  const auto was = where ? engine_->rulings.resume(where->key()) : std::nullopt;
  if (was == halt_reason::hostile) {
    // Else what a shared store has of the site would halt it again.
    engine_->invalidate({{}, where->host, where->port});
  }
  return was.has_value();
}

ROBOTS_INLINE bool cache_controls::is_halted(std::string_view host_or_url) const {
  const auto where = parse_site(host_or_url);
  return where && engine_->rulings.is_halted(where->key());
}

ROBOTS_INLINE std::vector<std::pair<std::string, halt_reason>> cache_controls::halted() const {
  return engine_->rulings.halted();
}

ROBOTS_INLINE std::shared_ptr<const void> cache_controls::on_denial(
    std::function<void(std::string_view site)> told) {
  return engine_->rulings.on_denial(std::move(told));
}

ROBOTS_INLINE bool cache_controls::is_denied(std::string_view url) const {
  const auto where = parse_site(url);
  const auto by = where ? engine_->rulings.find(*where) : nullptr;
  return by && !by->allows(url);
}

ROBOTS_INLINE bool cache_controls::report_response(std::string_view url, int status,
                                                   bool is_challenge, const call_options& call) {
  constexpr int unauthorized = 401;
  constexpr int forbidden = 403;
  constexpr int client_error = 400;
  constexpr int too_many_requests = 429;  // about the pace, not about the rules
  const auto where = parse_site(url);
  const bool is_refusal = status == unauthorized || status == forbidden || is_challenge;
  if (!where || (!is_refusal && (status < client_error || status == too_many_requests))) {
    return false;
  }
  const std::string key = where->key();
  auto by = engine_->rulings.find(*where);
  const bool is_ruled = by != nullptr;
  if (!is_ruled) {
    by = cache_detail::look_ups{engine_->sites}.kept_policy(*where);
    by = cache_detail::selected({.policy = std::move(by)}, agent_of(call)).policy;
  }
  if (by && !by->allows(target_for(*by, url))) {
    return false;
  }
  if (by && !is_ruled) {
    engine_->sites.kept.suspect(*where, engine_->options.min_ttl);
  }
  if (!is_refusal) {
    return false;
  }
  if (engine_->refusals.is_news(url, status, engine_->parts.now())) {
    engine_->parts.tell(access_revoked_event{engine_->parts.about(key, call.context), url, status});
  }
  if (engine_->options.halt_revoked) {
    engine_->rulings.halt(key, halt_reason::access_revoked, call.context);
  }
  return true;
}

ROBOTS_INLINE void cache_controls::sign_off(std::string_view host_or_url, bool given) {
  engine_->rulings.sign_off(cache_detail::named(host_or_url, "sign_off").key(), given);
}

ROBOTS_INLINE std::vector<std::string> cache_controls::awaiting_sign_off() const {
  return engine_->rulings.awaiting_sign_off();
}

ROBOTS_INLINE void cache_controls::clear() { engine_->sites.clear(); }

ROBOTS_INLINE void cache_controls::release(std::string_view host_or_url) {
  if (const auto where = parse_site(host_or_url)) {
    engine_->sites.release(*where);
    engine_->runner.deliver();
  }
}

ROBOTS_INLINE bool cache_controls::is_quarantined(std::string_view host_or_url) const {
  const auto where = parse_site(host_or_url);
  return where && engine_->rulings.quarantined(*where) != nullptr;
}

ROBOTS_INLINE std::vector<std::string> cache_controls::quarantined() const {
  std::vector<std::string> keys = engine_->rulings.all_quarantined().sites();
  std::sort(keys.begin(), keys.end());
  return keys;
}

ROBOTS_INLINE std::optional<time_point> cache_controls::breaker_open_until(
    std::string_view host_or_url) {
  const auto where = parse_site(host_or_url);
  return where ? engine_->sites.retrieval.breakers->open_until(to_string(where->origins().front()),
                                                               engine_->parts.now())
               : std::nullopt;
}

ROBOTS_INLINE const cache_options& cache_controls::options() const noexcept {
  return engine_->options;
}

ROBOTS_INLINE std::string_view cache_controls::first_key(std::string_view host_or_url) const {
  const std::string_view key = possible_site_key(host_or_url);
  return engine_->rulings.may_hold_for(key) ? std::string_view{} : key;
}

ROBOTS_INLINE std::size_t cache_controls::agent_named(std::string_view user_agent) const {
  const auto is_same = [](std::string_view a, std::string_view b) {
    return base::equal_ignoring_case(product_token(a), product_token(b)) &&
           a.starts_with('*') == b.starts_with('*');
  };
  if (is_same(engine_->options.user_agent, user_agent)) {
    return 0;
  }
  const auto& others = engine_->options.other_agents;
  const auto found = std::find_if(others.begin(), others.end(), [&](const std::string& each) {
    return is_same(each, user_agent);
  });
  if (found == others.end()) {
    throw std::invalid_argument{"call_options::user_agent: \"" + std::string{user_agent} +
                                "\" is not listed: add it to cache_options::other_agents"};
  }
  return static_cast<std::size_t>(found - others.begin()) + 1;
}

ROBOTS_INLINE std::string_view cache_controls::agent_name(std::size_t agent) const noexcept {
  return agent == 0 ? std::string_view{} : engine_->options.other_agents[agent - 1];
}

ROBOTS_INLINE cache_detail::found cache_controls::load(std::string_view host_or_url,
                                                       std::string_view tried,
                                                       const call_options& call) {
  const auto where = parse_site(host_or_url);
  if (where && engine_->rulings.may_be_signed_off_elsewhere(*where)) {
    engine_->runner.learn_rulings({std::string{without_scheme(where->key())}});
  }
  if (cache_detail::found ruled = engine_->sites.ruling_on(where); ruled.policy) {
    return ruled;
  }
  const std::string key = where->key();
  if (key != tried) {
    if (cache_detail::found kept = engine_->parts.find_fresh(key, call.context); kept.policy) {
      return kept;
    }
  }
  return engine_->runner.load(*where, key, call);
}

ROBOTS_INLINE cache_detail::found cache_controls::load_for_user(std::string_view host_or_url,
                                                                std::string_view tried,
                                                                const call_options& call) {
  cache_detail::found loaded = load(host_or_url, tried, call);
  note_exclusion(host_or_url, loaded, call);
  return loaded;
}

ROBOTS_INLINE look_up cache_controls::begin(std::string_view host_or_url, std::string_view tried,
                                            cache_detail::found kept, const call_options& call) {
  const std::size_t agent = agent_of(call);
  if (kept.policy) {
    return {{.key = std::string{tried},
             .context = call.context,
             .answer = cache_detail::selected(std::move(kept), agent),
             .agent = agent},
            nullptr};
  }
  const auto where = parse_site(host_or_url);
  std::string key = where ? where->key() : std::string{};
  if (cache_detail::found ruled = engine_->sites.ruling_on(where); ruled.policy) {
    cache_detail::look_up_state refused{
        .key = std::move(key), .context = call.context, .answer = std::move(ruled), .agent = agent};
    if (note_exclusion(host_or_url, refused.answer, call)) {
      refused.counted_url = host_or_url;
    }
    return {std::move(refused), nullptr};
  }
  cache_detail::look_up_state begun{.key = std::move(key), .context = call.context, .agent = agent};
  engine_->runner.begin(begun, *where);
  return {std::move(begun), &engine_->runner};
}

ROBOTS_INLINE decision cache_controls::uncounted_decision(std::string_view target,
                                                          cache_detail::found at) const {
  const time_point now = at.from_cache ? at.now : engine_->parts.now();
  decision result = robots::decide(std::move(at.policy), target, now);
  if (!at.from_cache) {
    const policy& made = *result.policy;
    result.revalidated = !is_failure(made.outcome()) && made.source().not_modified;
  }
  result.from_cache = at.from_cache || result.revalidated;
  result.stale = at.stale;
  return result;
}

ROBOTS_INLINE decision cache_controls::decide(std::string_view target,
                                              cache_detail::found at) const {
  decision result = uncounted_decision(target, std::move(at));
  count(result);
  return result;
}

ROBOTS_INLINE std::string cache_controls::site_of(std::string_view url) const {
  const auto where = engine_->parts.is_observed() ? parse_site(url) : std::nullopt;
  return where ? where->key() : std::string{};
}

ROBOTS_INLINE cache_stats cache_controls::counted() const {
  using enum cache_detail::cache_event;
  const cache_detail::cache_counters& counters = engine_->parts.counters;
  cache_stats result{{.hits = counters.sum(hits),
                      .stale_hits = counters.sum(stale_hits),
                      .misses = counters.sum(misses),
                      .joined = counters.sum(joined),
                      .retrievals = counters.sum(retrievals),
                      .not_modified = counters.sum(not_modified),
                      .failures = counters.sum(failures),
                      .allowed = counters.sum(cache_detail::cache_event::allowed),
                      .denied = counters.sum(denied),
                      .excluded = counters.sum(excluded),
                      .far_hits = counters.sum(far_hits)}};
  result.far_misses = counters.sum(far_misses);
  result.far_rejected = counters.sum(far_rejected);
  result.far_failures = counters.sum(far_failures);
  result.pending_invalidations = engine_->store ? engine_->store->owed() : 0;
  result.quarantined = engine_->rulings.all_quarantined().size();
  result.open_breakers = engine_->sites.retrieval.breakers->open();
  return result;
}

ROBOTS_INLINE void cache_controls::count(const decision& made) const {
  using enum cache_detail::cache_event;
  cache_detail::cache_counters& counters = engine_->parts.counters;
  if (made.reason == decision_reason::excluded) {
    counters.add(excluded);
  }
  counters.add(made.allowed ? allowed : denied);
}

ROBOTS_INLINE bool cache_controls::note_exclusion(std::string_view host_or_url,
                                                  const cache_detail::found& given,
                                                  const call_options& call) {
  if (given.policy->refused() != decision_reason::excluded) {
    return false;
  }
  note(host_or_url, uncounted_decision(host_or_url, given), call);
  return true;
}

}  // namespace robots

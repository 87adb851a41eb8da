#pragma once

#include <robots/base/ascii.hpp>
#include <robots/base/config.hpp>
#include <robots/base/printable.hpp>
#include <robots/cache/basic_robots_cache.hpp>
#include <robots/cache/detail/cache_engine.hpp>
#include <robots/http/site_key.hpp>
#include <robots/usage/license_link.hpp>

#include <algorithm>
#include <array>
#include <stdexcept>

namespace robots {

ROBOTS_INLINE look_up::look_up(cache_detail::cache_engine& engine,
                               std::unique_ptr<cache_detail::site_look_up> begun)
    : engine_(&engine), work_(std::move(begun)) {}

ROBOTS_INLINE look_up::look_up(look_up&&) noexcept = default;
ROBOTS_INLINE look_up& look_up::operator=(look_up&&) noexcept = default;
ROBOTS_INLINE look_up::~look_up() = default;

ROBOTS_INLINE detail::retrieval* look_up::fetch() const noexcept {
  const auto* const work = work_ ? work_->work().get() : nullptr;
  return work != nullptr && work->next() == cache_detail::work_step::fetch ? &work_->work()->fetch()
                                                                           : nullptr;
}

ROBOTS_INLINE look_up::step look_up::next() const {
  using enum cache_detail::look_up_step;
  const detail::retrieval* const fetched = fetch();
  if (fetched == nullptr) {
    const bool is_over = !work_ || work_->next() == answered || work_->next() == left;
    return is_over ? step{policy()} : news_wait{};
  }
  const stop_token stop = work_->work()->own_flight().stop.get_token();
  if (const auto* const pause = std::get_if<detail::retry_wait>(&fetched->next())) {
    return detail::retry_wait{pause->until, stop};
  }
  auto request = std::get<fetch_request>(fetched->next());
  request.stop = stop;
  return request;
}

ROBOTS_INLINE const std::shared_ptr<const robots::policy>& look_up::policy() const noexcept {
  static const std::shared_ptr<const robots::policy> none;
  return work_ ? work_->answer().policy : none;
}

ROBOTS_INLINE bool look_up::from_cache() const noexcept {
  return work_ && work_->answer().from_cache;
}

ROBOTS_INLINE bool look_up::led() const noexcept { return work_ && work_->has_fetched(); }

ROBOTS_INLINE void look_up::report(
    const std::function<void(detail::retrieval& fetch, const wall_anchor& now)>& handle) {
  if (detail::retrieval* const fetched = fetch()) {
    try {
      handle(*fetched, engine_->parts.moment());
    } catch (...) {
      work_->drop_work();
      throw;
    }
    resume();
  }
}

ROBOTS_INLINE void look_up::on_response(fetch_response response) {
  report([&](detail::retrieval& fetched, const wall_anchor& now) {
    if (!work_->work()->own_flight().stop.stop_requested()) {
      detail::be_no_cancellation(response);
    }
    fetched.on_response(std::move(response), now.steady, now.wall);
  });
}

ROBOTS_INLINE void look_up::on_wait_over() {
  if (fetch() != nullptr && work_->work()->own_flight().stop.stop_requested()) {
    return cut_short();
  }
  report(
      [](detail::retrieval& fetched, const wall_anchor& now) { fetched.on_wait_over(now.steady); });
}

ROBOTS_INLINE void look_up::cut_short() {
  report([](detail::retrieval& fetched, const wall_anchor& now) {
    if (std::holds_alternative<detail::retry_wait>(fetched.next())) {
      fetched.cancel({}, now.steady);
    }
  });
}

ROBOTS_INLINE void look_up::resume() {
  if (work_ && !policy()) {
    engine_->proceed(*work_);
  }
}

ROBOTS_INLINE void look_up::call_on_news(std::function<void()> wake) {
  if (work_) {
    work_->on_news(std::move(wake));
  } else {
    wake();
  }
}

ROBOTS_INLINE bool look_up::leave() noexcept {
  if (work_) {
    work_->caller_left();
  }
  return fetch() != nullptr;
}

ROBOTS_INLINE cache_controls::cache_controls(cache_options&& options,
                                             cache_detail::cache_parts& parts,
                                             const cache_detail::shared_part& shared)
    : engine_(std::make_unique<cache_detail::cache_engine>(std::move(options), parts, shared)) {}

ROBOTS_INLINE cache_controls::~cache_controls() {
  if (!engine_->is_here()) {
    // Its locks and condition variables may wait for threads of the parent. Its leases in the store
    // are the parent's.
    base::leave_to_parent(engine_.release());
    return;
  }
  engine_->end();  // the threads of the engine can still use this object
}

ROBOTS_INLINE decision cache_controls::check(std::string_view url, const look_up& ended) {
  if (!ended.policy()) {
    throw std::logic_error{
        "basic_robots_cache::check: the look-up has no policy yet; drive it until there is one"};
  }
  const cache_detail::site_look_up& work = *ended.work_;
  const auto asked = parse_site(url);
  if (!policy_detail::is_answer_for(asked, work.key(), *ended.policy())) {
    throw std::invalid_argument{"basic_robots_cache::check: the look-up is for " +
                                (work.key().empty() ? "a text that names no site" : work.key()) +
                                ", not for the site of \"" + base::printable(url) +
                                "\": begin a look-up for that site"};
  }
  cache_detail::found used = cache_detail::selected(engine_->ruling_on(asked, url), work.agent());
  if (!used.policy) {
    used = work.answer();
  }
  decision result = decide(url, std::move(used));
  // If the caller passed this URL to `begin`, `begin` has already counted the exclusion.
  if (ended.counted_url_.empty() || ended.counted_url_ != url ||
      result.policy->refused() != decision_reason::excluded) {
    report(result, url, work.key(), work.context(), work.agent());
  }
  return result;
}

ROBOTS_INLINE decision cache_controls::check(std::string_view url,
                                             const std::shared_ptr<const policy>& used,
                                             const call_options& call) {
  if (!used) {
    throw std::invalid_argument{
        "basic_robots_cache::check: the policy is null; give one that `get` returned"};
  }
  std::size_t agent = agent_of(call);
  const auto asked = parse_site(url.starts_with('/') ? used->source().url : url);
  cache_detail::found known;
  if (asked || !used->given_reason()) {
    known = engine_->ruling_on(asked, url);
    if (agent == 0 && known.policy && !known.policy->others().empty()) {
      agent = engine_->agent_with(used, *known.policy, *asked);
    }
    known = cache_detail::selected(std::move(known), agent);
  }
  if (!known.policy) {
    known = {.policy = used, .from_cache = true, .now = engine_->parts.now()};
  }
  decision result = decide(url, std::move(known));
  report(result, url, asked ? asked->key() : std::string{}, call.context, agent);
  return result;
}

ROBOTS_INLINE void cache_controls::note(std::string_view url, const decision& decided,
                                        const call_options& call) {
  report(decided, url, {}, call.context);
}

ROBOTS_INLINE void cache_controls::wait_for_rulings(const call_options& limits) {
  engine_->wait_for_rulings(limits);
}

ROBOTS_INLINE void cache_controls::invalidate(std::string_view host_or_url) {
  if (const auto asked = parse_site(host_or_url)) {
    engine_->invalidate_with_targets(*asked);
  }
}

ROBOTS_INLINE void cache_controls::set_excluded(std::span<const std::string> entries) {
  engine_->rulings.set_excluded(entries);
  engine_->parts.tell(exclusions_event{engine_->parts.about({}), entries});
}

ROBOTS_INLINE std::shared_ptr<const void> cache_controls::on_denial(
    std::function<void(std::string_view site)> on_denied) {
  return engine_->rulings.on_denial(std::move(on_denied));
}

ROBOTS_INLINE bool cache_controls::is_denied(std::string_view url, const call_options& call) const {
  const auto asked = parse_site(url);
  auto ruled = asked ? engine_->rulings.find(*asked) : nullptr;
  const auto used = cache_detail::selected({.policy = std::move(ruled)}, agent_of(call)).policy;
  return used && !used->allows(url);
}

ROBOTS_INLINE bool cache_controls::report_response(std::string_view url, int status,
                                                   bool is_challenge, const call_options& call) {
  const auto asked = parse_site(url);
  const bool is_refusal = status == 401 || status == 403 || is_challenge;
  if (!asked || (!is_refusal && (status < 400 || status == 429))) {
    return false;  // a 429 is about the pace, not the rules
  }
  const std::string key = asked->key();
  auto used = engine_->rulings.find(*asked);
  const bool is_ruled = used != nullptr;
  if (!is_ruled) {
    used = engine_->kept_policy(*asked);
  }
  used = cache_detail::selected({.policy = std::move(used)}, agent_of(call)).policy;
  if (used && !used->allows(detail::target_for(*used, url))) {
    return false;
  }
  if (used && !is_ruled) {
    engine_->policies.suspect(*asked, engine_->options.min_ttl);
    for (const site& target : engine_->stored_targets(*asked)) {
      engine_->policies.suspect(target, engine_->options.min_ttl);
    }
  }
  if (!is_refusal) {
    return false;
  }
  if (engine_->refusals.take(std::to_string(status).append(" ").append(url),
                             engine_->parts.now())) {
    engine_->parts.tell(access_revoked_event{engine_->parts.about(key, call.context), url, status});
  }
  if (engine_->view) {
    engine_->view->on_access_revoked(key, call.context);
  }
  return true;
}

ROBOTS_INLINE page_outcome cache_controls::report_response(std::string_view url, int status,
                                                           std::span<const http_header> headers,
                                                           bool is_challenge,
                                                           const call_options& call) {
  const licence_demand_result demand = licence_demand(status, headers);
  if (!demand) {
    const bool is_revoked = report_response(url, status, is_challenge, call);
    return is_revoked ? page_outcome::access_revoked : page_outcome::noted;
  }
  const auto asked = parse_site(url);
  const std::string key = asked ? asked->key() : std::string{};
  if (engine_->refusals.take(std::to_string(status).append(" licence ").append(url),
                             engine_->parts.now())) {
    engine_->parts.tell(
        licence_demanded_event{engine_->parts.about(key, call.context), url, status, demand});
  }
  return page_outcome::licence_demanded;
}

ROBOTS_INLINE const crawler_names& cache_controls::names(const call_options& call) const {
  const std::size_t agent = agent_of(call);
  const cache_options& options = engine_->options;
  return agent == 0 ? options.names : options.other_agents[agent - 1];
}

ROBOTS_INLINE void cache_controls::clear() { engine_->clear(); }

ROBOTS_INLINE const cache_options& cache_controls::options() const noexcept {
  return engine_->options;
}

ROBOTS_INLINE std::string_view cache_controls::first_key(std::string_view host_or_url) const {
  const std::string_view key = detail::possible_site_key(host_or_url);
  return engine_->rulings.may_hold_for(key) ? std::string_view{} : key;
}

ROBOTS_INLINE std::size_t cache_controls::agent_of(const call_options& call) const {
  if (call.user_agent.empty()) {
    return 0;
  }
  const dialect reading = engine_->options.parse.dialect;
  const std::string_view token = product_token(call.user_agent, reading);
  const auto is_called = [&](const crawler_names& agent) {
    return agent.header() == call.user_agent ||
           (!token.empty() && base::equal_ignoring_case(agent.token(reading), token));
  };
  if (is_called(engine_->options.names)) {
    return 0;
  }
  const auto& others = engine_->options.other_agents;
  const auto found = std::find_if(others.begin(), others.end(), is_called);
  if (found == others.end()) {
    const char* const problem = is_target(call.user_agent)
                                    ? "\" is a path or a URL, not a user agent"
                                    : "\" is not listed: add it to cache_options::other_agents";
    throw std::invalid_argument{"call_options::user_agent: \"" + base::printable(call.user_agent) +
                                problem};
  }
  return static_cast<std::size_t>(found - others.begin()) + 1;
}

ROBOTS_INLINE std::shared_ptr<const policy> cache_controls::look_up_policy(
    std::string_view host_or_url, const call_options& call, bool refreshes) {
  const std::size_t agent = agent_of(call);
  const std::string_view key = refreshes ? std::string_view{} : first_key(host_or_url);
  cache_detail::found known = engine_->parts.find_fresh(key, call.context);
  if (!known.policy) {
    known = engine_->load(cache_detail::keys_of(host_or_url), host_or_url, call, refreshes);
    note_exclusion(host_or_url, known, call);
  }
  return cache_detail::selected(std::move(known), agent).policy;
}

ROBOTS_INLINE decision cache_controls::check(std::string_view url, const call_options& call) {
  const std::size_t agent = agent_of(call);
  const std::string_view key = first_key(url);
  cache_detail::found known = engine_->parts.find_fresh(key, call.context);
  if (!known.policy) {
    return check_after_load(url, call, agent);
  }
  decision result =
      decide(detail::target_behind_key(url, key), cache_detail::selected(std::move(known), agent));
  report(result, url, key, call.context, agent);
  return result;
}

ROBOTS_INLINE decision cache_controls::check_after_load(std::string_view url,
                                                        const call_options& call,
                                                        std::size_t agent) {
  const auto asked = cache_detail::keys_of(url);
  decision result = decide(url, cache_detail::selected(engine_->load(asked, url, call), agent));
  report(result, url, asked ? asked->key() : std::string_view{}, call.context, agent);
  return result;
}

ROBOTS_INLINE bool cache_controls::allowed(std::string_view url, const call_options& call) {
  using enum cache_detail::fresh_answer;
  cache_detail::cache_parts& parts = engine_->parts;
  const bool is_simple = call.user_agent.empty() && !parts.is_observed;
  const auto answer = is_simple ? parts.decide_fresh(first_key(url), url) : undecided;
  if (answer == undecided) {
    return check(url, call).allowed;
  }
  if (answer == missing) {
    return check_after_load(url, call, 0).allowed;
  }
  const bool is_allowed = answer == cache_detail::fresh_answer::allowed;
  parts.counters.add(is_allowed ? cache_detail::cache_event::allowed
                                : cache_detail::cache_event::denied);
  return is_allowed;
}

ROBOTS_INLINE look_up cache_controls::begin(std::string_view host_or_url,
                                            const call_options& call) {
  using cache_detail::site_look_up;
  site_look_up::call asked_by{.context = call.context, .agent = agent_of(call)};
  const std::string_view likely_key = first_key(host_or_url);
  std::unique_ptr<site_look_up> work;
  if (cache_detail::found fresh = engine_->parts.find_fresh(likely_key, call.context);
      fresh.policy) {
    work = std::make_unique<site_look_up>(*engine_, std::string{likely_key}, std::move(asked_by),
                                          std::move(fresh));
  } else if (auto asked = cache_detail::keys_of(host_or_url)) {
    work = std::make_unique<site_look_up>(*engine_, std::move(asked), std::move(asked_by));
    engine_->proceed(*work);
  } else {
    work = std::make_unique<site_look_up>(*engine_, std::string{}, std::move(asked_by),
                                          engine_->ruling_on({}, host_or_url));
  }
  look_up begun{*engine_, std::move(work)};
  if (note_exclusion(host_or_url, begun.work_->answer(), call)) {
    begun.counted_url_ = host_or_url;
  }
  return begun;
}

ROBOTS_INLINE decision cache_controls::decide(std::string_view target,
                                              cache_detail::found known) const {
  const time_point now = known.from_cache ? known.now : engine_->parts.now();
  decision result = robots::decide(std::move(known.policy), target, now);
  if (!known.from_cache) {
    const policy& decided = *result.policy;
    result.revalidated = !is_failure(decided.outcome()) && decided.source().not_modified;
  }
  result.from_cache = known.from_cache || result.revalidated;
  result.stale = known.stale;
  return result;
}

ROBOTS_INLINE void cache_controls::report(const decision& decided, std::string_view url,
                                          std::string_view key,
                                          const std::shared_ptr<const call_context>& context,
                                          std::size_t agent) const {
  using enum cache_detail::cache_event;
  cache_detail::cache_parts& parts = engine_->parts;
  if (decided.reason == decision_reason::excluded) {
    parts.counters.add(excluded);
  }
  parts.counters.add(decided.allowed ? cache_detail::cache_event::allowed : denied);
  if (parts.is_observed) {
    const std::string_view name =
        agent == 0 ? std::string_view{}
                   : engine_->options.other_agents[agent - 1].token(engine_->options.parse.dialect);
    const auto asked = key.empty() ? parse_site(url) : std::nullopt;
    const std::string parsed = asked ? asked->key() : std::string{};
    parts.tell(decision_event{
        parts.about(key.empty() ? std::string_view{parsed} : key, context, name), url, decided});
  }
}

ROBOTS_INLINE cache_stats cache_controls::counted() const {
  using enum cache_detail::cache_event;
  const auto now = engine_->parts.counters.read();
  static_assert(now.size == 16, "name each event below");
  cache_stats result;
  result.hits = now[hits];
  result.stale_hits = now[stale_hits];
  result.misses = now[misses];
  result.joined = now[joined];
  result.retrievals = now[retrievals];
  result.not_modified = now[not_modified];
  result.failures = now[failures];
  result.allowed = now[allowed];
  result.denied = now[denied];
  result.excluded = now[excluded];
  result.far_hits = now[far_hits];
  result.far_misses = now[far_misses];
  result.far_rejected = now[far_rejected];
  result.far_failures = now[far_failures];
  result.storage_failures = now[storage_failures];
  result.observer_failures = now[observer_failures];
  result.pending_invalidations = engine_->store ? engine_->store->owed() : 0;
  result.quarantined = engine_->rulings.quarantined_count();
  result.open_breakers = engine_->retrieval.breakers->open();
  return result;
}

ROBOTS_INLINE bool cache_controls::note_exclusion(std::string_view host_or_url,
                                                  const cache_detail::found& ended,
                                                  const call_options& call) {
  if (!ended.policy || ended.policy->refused() != decision_reason::excluded) {
    return false;
  }
  note(host_or_url, decide(host_or_url, ended), call);
  return true;
}

}  // namespace robots

#pragma once

#include <robots/base/ascii.hpp>
#include <robots/base/config.hpp>
#include <robots/base/printable.hpp>
#include <robots/cache/basic_robots_cache.hpp>
#include <robots/cache/detail/blocking_driver.hpp>
#include <robots/cache/detail/cache_threads.hpp>
#include <robots/cache/detail/look_up_environment.hpp>
#include <robots/cache/detail/site_look_up.hpp>
#include <robots/fetch/retrieval.hpp>
#include <robots/fetch/retry_wait.hpp>
#include <robots/http/message.hpp>
#include <robots/http/site_key.hpp>
#include <robots/usage/license_link.hpp>

#include <algorithm>
#include <stdexcept>

namespace robots {

ROBOTS_INLINE look_up::look_up(cache_detail::cache_threads& threads,
                               std::unique_ptr<cache_detail::site_look_up> begun)
    : threads_(&threads), machine_(std::move(begun)) {}

ROBOTS_INLINE look_up::look_up(look_up&&) noexcept = default;
ROBOTS_INLINE look_up& look_up::operator=(look_up&&) noexcept = default;
ROBOTS_INLINE look_up::~look_up() = default;

ROBOTS_INLINE look_up::step look_up::next() const {
  using enum cache_detail::look_up_step;
  const detail::retrieval* const fetch = machine_ ? machine_->fetch() : nullptr;
  if (fetch == nullptr) {
    const bool is_over = !machine_ || machine_->next() == answered || machine_->next() == left;
    return is_over ? step{policy()} : news_wait{};
  }
  const stop_token stop = machine_->work()->own_flight().stop.get_token();
  if (const auto* const pause = std::get_if<detail::retry_wait>(&fetch->next())) {
    return detail::retry_wait{pause->until, stop};
  }
  auto request = std::get<fetch_request>(fetch->next());
  request.stop = stop;
  return request;
}

ROBOTS_INLINE const std::shared_ptr<const robots::policy>& look_up::policy() const noexcept {
  static const std::shared_ptr<const robots::policy> none;
  return machine_ ? machine_->answer().policy : none;
}

ROBOTS_INLINE bool look_up::from_cache() const noexcept {
  return machine_ && machine_->answer().from_cache;
}

ROBOTS_INLINE bool look_up::has_fetched() const noexcept {
  return machine_ && machine_->has_fetched();
}

ROBOTS_INLINE void look_up::on_response(fetch_response response) {
  if (machine_ && machine_->on_response(std::move(response))) {
    resume();
  }
}

ROBOTS_INLINE void look_up::on_wait_over() {
  if (machine_ && machine_->on_wait_over()) {
    resume();
  }
}

ROBOTS_INLINE void look_up::cut_short() {
  if (machine_ && machine_->cut_short()) {
    resume();
  }
}

ROBOTS_INLINE void look_up::resume() {
  if (machine_ && !policy()) {
    threads_->proceed(*machine_);
  }
}

ROBOTS_INLINE void look_up::call_on_news(std::function<void()> wake) {
  if (machine_) {
    machine_->on_news(std::move(wake));
  } else {
    wake();
  }
}

ROBOTS_INLINE bool look_up::leave() noexcept {
  if (!machine_) {
    return false;
  }
  machine_->caller_left();
  return machine_->fetch() != nullptr;
}

ROBOTS_INLINE any_robots_cache::any_robots_cache(cache_options&& options,
                                                 std::unique_ptr<cache_detail::cache_parts> parts)
    : parts_(std::move(parts)),
      environment_(
          std::make_unique<cache_detail::look_up_environment>(std::move(options), *parts_)),
      threads_(std::make_unique<cache_detail::cache_threads>(*environment_)) {}

ROBOTS_INLINE any_robots_cache::~any_robots_cache() {
  if (!threads_->is_here()) {
    // Their locks and condition variables may wait for threads of the parent. The leases in the
    // store are the parent's.
    base::leave_to_parent(threads_.release());
    base::leave_to_parent(environment_.release());
    return;
  }
  threads_->end();  // the threads can still use this object
}

ROBOTS_INLINE decision any_robots_cache::check(std::string_view url, const look_up& ended) {
  if (!ended.policy()) {
    throw std::logic_error{
        "basic_robots_cache::check: the look-up has no policy yet; drive it until there is one"};
  }
  const cache_detail::site_look_up& machine = *ended.machine_;
  cache_detail::found_policy answer;
  if (const std::string_view key = first_key(url); key.empty() || key != machine.key()) {
    const auto asked = parse_site(url);
    if (!policy_detail::is_answer_for(asked, machine.key(), *ended.policy())) {
      throw std::invalid_argument{
          "basic_robots_cache::check: the look-up is for " +
          (machine.key().empty() ? "a text that names no site" : machine.key()) +
          ", not for the site of \"" + base::printable(url) + "\": begin a look-up for that site"};
    }
    answer = cache_detail::selected(environment_->ruling_on(asked, url), machine.agent());
  }
  if (!answer.policy) {
    answer = machine.answer();
  }
  decision result = decide(url, std::move(answer));
  // If the caller passed this URL to `begin`, `begin` has already counted the exclusion.
  if (ended.counted_url_.empty() || ended.counted_url_ != url ||
      result.policy->refusal_reason() != decision_reason::excluded) {
    report(result, url, machine.key(), machine.context(), machine.agent());
  }
  return result;
}

ROBOTS_INLINE decision any_robots_cache::check(std::string_view url,
                                               const std::shared_ptr<const policy>& given,
                                               const call_options& call) {
  if (!given) {
    throw std::invalid_argument{
        "basic_robots_cache::check: the policy is null; give one that `get` returned"};
  }
  std::size_t agent = agent_of(call);
  const auto asked = parse_site(url.starts_with('/') ? given->last_retrieval().url : url);
  cache_detail::found_policy answer;
  if (asked || !given->reason_for_all_urls()) {
    answer = environment_->ruling_on(asked, url);
    if (agent == 0 && answer.policy && !answer.policy->others().empty()) {
      agent = environment_->agent_with(given, *answer.policy, *asked);
    }
    answer = cache_detail::selected(std::move(answer), agent);
  }
  if (!answer.policy) {
    answer = {.policy = given, .from_cache = true, .now = parts_->now()};
  }
  decision result = decide(url, std::move(answer));
  report(result, url, asked ? asked->key() : std::string{}, call.context, agent);
  return result;
}

ROBOTS_INLINE void any_robots_cache::report_decision(std::string_view url, const decision& decided,
                                                     const call_options& call) {
  const auto asked = parts_->is_observed ? parse_site(url) : std::nullopt;
  report(decided, url, asked ? asked->key() : std::string{}, call.context);
}

ROBOTS_INLINE cache_detail::blocking_driver any_robots_cache::driver() const noexcept {
  return {*environment_, *threads_};
}

ROBOTS_INLINE void any_robots_cache::wait_for_rulings(const call_options& limits) {
  driver().wait_for_rulings(limits);
}

ROBOTS_INLINE void any_robots_cache::invalidate(std::string_view host_or_url) {
  if (const auto asked = parse_site(host_or_url)) {
    environment_->invalidate_with_targets(*asked);
  }
}

ROBOTS_INLINE void any_robots_cache::set_excluded(std::span<const std::string> entries) {
  environment_->rulings.set_excluded(entries);
  parts_->tell(exclusions_event{parts_->about({}), entries});
}

ROBOTS_INLINE std::shared_ptr<const void> any_robots_cache::on_denial(
    std::function<void(std::string_view site)> on_denied) {
  return environment_->rulings.on_denial(std::move(on_denied));
}

ROBOTS_INLINE bool any_robots_cache::is_denied(std::string_view url,
                                               const call_options& call) const {
  const auto asked = parse_site(url);
  auto family = asked ? environment_->rulings.find(*asked) : nullptr;
  const auto ruling = cache_detail::selected({.policy = std::move(family)}, agent_of(call)).policy;
  return ruling && !ruling->allows(url);
}

ROBOTS_INLINE bool any_robots_cache::report_response(std::string_view url, int status,
                                                     bool is_challenge, const call_options& call) {
  const auto asked = parse_site(url);
  const bool is_refusal = status == 401 || status == 403 || is_challenge;
  if (!asked || (!is_refusal && (status < 400 || status == 429))) {
    return false;  // a 429 is about the pace, not the rules
  }
  const std::string key = asked->key();
  auto rules = environment_->rulings.find(*asked);
  const bool is_ruled = rules != nullptr;
  if (!is_ruled) {
    rules = environment_->kept_policy(*asked);
  }
  rules = cache_detail::selected({.policy = std::move(rules)}, agent_of(call)).policy;
  if (rules && !rules->allows(detail::target_for(*rules, url))) {
    return false;
  }
  if (rules && !is_ruled) {
    environment_->policies.suspect(*asked, environment_->options.min_ttl);
    for (const site& target : environment_->stored_targets(*asked)) {
      environment_->policies.suspect(target, environment_->options.min_ttl);
    }
  }
  if (!is_refusal) {
    return false;
  }
  if (environment_->refusals.take(std::to_string(status).append(" ").append(url), parts_->now())) {
    parts_->tell(access_revoked_event{parts_->about(key, call.context), url, status});
  }
  if (environment_->view) {
    environment_->view->on_access_revoked(key, call.context);
  }
  return true;
}

ROBOTS_INLINE page_outcome any_robots_cache::report_response(std::string_view url, int status,
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
  if (environment_->refusals.take(std::to_string(status).append(" licence ").append(url),
                                  parts_->now())) {
    parts_->tell(licence_demanded_event{parts_->about(key, call.context), url, status, demand});
  }
  return page_outcome::licence_demanded;
}

ROBOTS_INLINE const crawler_names& any_robots_cache::names(const call_options& call) const {
  const std::size_t agent = agent_of(call);
  const cache_options& options = environment_->options;
  return agent == 0 ? options.names : options.other_agents[agent - 1];
}

ROBOTS_INLINE void any_robots_cache::clear() { environment_->clear(); }

ROBOTS_INLINE const cache_options& any_robots_cache::options() const noexcept {
  return environment_->options;
}

ROBOTS_INLINE std::string_view any_robots_cache::first_key(std::string_view host_or_url) const {
  const std::string_view key = detail::possible_site_key(host_or_url);
  return environment_->rulings.may_hold_for(key) ? std::string_view{} : key;
}

ROBOTS_INLINE std::size_t any_robots_cache::agent_of(const call_options& call) const {
  if (call.user_agent.empty()) {
    return 0;
  }
  const dialect reading = environment_->options.parse.dialect;
  const std::string_view token = product_token(call.user_agent, reading);
  const auto is_called = [&](const crawler_names& agent) {
    return agent.header() == call.user_agent ||
           (!token.empty() && base::equal_ignoring_case(agent.token(reading), token));
  };
  if (is_called(environment_->options.names)) {
    return 0;
  }
  const auto& others = environment_->options.other_agents;
  const auto other = std::find_if(others.begin(), others.end(), is_called);
  if (other == others.end()) {
    const char* const problem = is_target(call.user_agent)
                                    ? "\" is a path or a URL, not a user agent"
                                    : "\" is not listed: add it to cache_options::other_agents";
    throw std::invalid_argument{"call_options::user_agent: \"" + base::printable(call.user_agent) +
                                problem};
  }
  return static_cast<std::size_t>(other - others.begin()) + 1;
}

ROBOTS_INLINE std::shared_ptr<const policy> any_robots_cache::look_up_policy(
    std::string_view host_or_url, const call_options& call, bool refreshes) {
  const std::size_t agent = agent_of(call);
  const std::string_view key = refreshes ? std::string_view{} : first_key(host_or_url);
  cache_detail::found_policy answer = parts_->find_fresh(key, call.context);
  if (!answer.policy) {
    const auto asked = cache_detail::keys_of(host_or_url);
    answer = driver().load(asked, host_or_url, call, refreshes);
    note_exclusion(host_or_url, asked ? asked->key() : std::string_view{}, answer, call);
  }
  return cache_detail::selected(std::move(answer), agent).policy;
}

ROBOTS_INLINE decision any_robots_cache::check(std::string_view url, const call_options& call) {
  const std::size_t agent = agent_of(call);
  const std::string_view key = first_key(url);
  cache_detail::found_policy fresh = parts_->find_fresh(key, call.context);
  if (!fresh.policy) {
    return check_after_load(url, call, agent);
  }
  decision result =
      decide(detail::target_behind_key(url, key), cache_detail::selected(std::move(fresh), agent));
  report(result, url, key, call.context, agent);
  return result;
}

ROBOTS_INLINE decision any_robots_cache::check_after_load(std::string_view url,
                                                          const call_options& call,
                                                          std::size_t agent) {
  const auto asked = cache_detail::keys_of(url);
  decision result = decide(url, cache_detail::selected(driver().load(asked, url, call), agent));
  report(result, url, asked ? asked->key() : std::string_view{}, call.context, agent);
  return result;
}

ROBOTS_INLINE bool any_robots_cache::allowed(std::string_view url, const call_options& call) {
  using enum cache_detail::fresh_answer;
  cache_detail::cache_parts& parts = *parts_;
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

ROBOTS_INLINE look_up any_robots_cache::begin(std::string_view host_or_url,
                                              const call_options& call) {
  using cache_detail::site_look_up;
  site_look_up::call asked_by{.context = call.context, .agent = agent_of(call)};
  const std::string_view likely_key = first_key(host_or_url);
  std::unique_ptr<site_look_up> machine;
  if (cache_detail::found_policy fresh = parts_->find_fresh(likely_key, call.context);
      fresh.policy) {
    machine = std::make_unique<site_look_up>(*environment_, std::string{likely_key},
                                             std::move(asked_by), std::move(fresh));
  } else if (auto asked = cache_detail::keys_of(host_or_url)) {
    machine = std::make_unique<site_look_up>(*environment_, std::move(asked), std::move(asked_by));
    threads_->proceed(*machine);
  } else {
    machine = std::make_unique<site_look_up>(*environment_, std::string{}, std::move(asked_by),
                                             environment_->ruling_on({}, host_or_url));
  }
  look_up begun{*threads_, std::move(machine)};
  if (note_exclusion(host_or_url, begun.machine_->key(), begun.machine_->answer(), call)) {
    begun.counted_url_ = host_or_url;
  }
  return begun;
}

ROBOTS_INLINE decision any_robots_cache::decide(std::string_view target,
                                                cache_detail::found_policy answer) const {
  const time_point now = answer.from_cache ? answer.now : parts_->now();
  decision result = robots::decide(std::move(answer.policy), target, now);
  if (!answer.from_cache) {
    const policy& decided = *result.policy;
    result.revalidated = !is_failure(decided.outcome()) && decided.last_retrieval().not_modified;
  }
  result.from_cache = answer.from_cache || result.revalidated;
  result.stale = answer.stale;
  return result;
}

ROBOTS_INLINE void any_robots_cache::report(const decision& decided, std::string_view url,
                                            std::string_view key,
                                            const std::shared_ptr<const call_context>& context,
                                            std::size_t agent) const {
  using enum cache_detail::cache_event;
  cache_detail::cache_parts& parts = *parts_;
  if (decided.reason == decision_reason::excluded) {
    parts.counters.add(excluded);
  }
  parts.counters.add(decided.allowed ? cache_detail::cache_event::allowed : denied);
  if (parts.is_observed) {
    const std::string_view name = agent == 0 ? std::string_view{}
                                             : environment_->options.other_agents[agent - 1].token(
                                                   environment_->options.parse.dialect);
    parts.tell(decision_event{parts.about(key, context, name), url, decided});
  }
}

ROBOTS_INLINE cache_stats any_robots_cache::counted() const {
  using enum cache_detail::cache_event;
  const auto now = parts_->counters.read();
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
  result.pending_invalidations = environment_->far_tier ? environment_->far_tier->owed() : 0;
  result.quarantined = environment_->rulings.quarantined_count();
  result.open_breakers = environment_->retrieval.unchecked().breakers->open();
  return result;
}

ROBOTS_INLINE bool any_robots_cache::note_exclusion(std::string_view host_or_url,
                                                    std::string_view key,
                                                    const cache_detail::found_policy& ended,
                                                    const call_options& call) {
  if (!ended.policy || ended.policy->refusal_reason() != decision_reason::excluded) {
    return false;
  }
  report(decide(host_or_url, ended), host_or_url, key, call.context);
  return true;
}

}  // namespace robots

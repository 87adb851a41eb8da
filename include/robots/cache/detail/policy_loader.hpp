#pragma once

#include <robots/cache/cache_options.hpp>
#include <robots/cache/detail/cache_parts.hpp>
#include <robots/cache/detail/exclusion_list.hpp>
#include <robots/cache/detail/flight.hpp>
#include <robots/cache/detail/guarded_store.hpp>
#include <robots/cache/detail/kept_sites.hpp>
#include <robots/cache/detail/look_up_state.hpp>
#include <robots/cache/detail/policy_maker.hpp>
#include <robots/cache/detail/retrieval_job.hpp>
#include <robots/cache/detail/shared_names.hpp>
#include <robots/cache/detail/shared_records.hpp>
#include <robots/cache/detail/single_flight.hpp>
#include <robots/cache/detail/site_rulings.hpp>
#include <robots/fetch/call_options.hpp>
#include <robots/fetch/circuit_breaker.hpp>
#include <robots/fetch/origin_breakers.hpp>
#include <robots/fetch/retrieval.hpp>
#include <robots/fetch/retrieval_options.hpp>
#include <robots/fetch/retrieval_result.hpp>
#include <robots/http/site.hpp>
#include <robots/observe/events.hpp>
#include <robots/policy/decision_reason.hpp>
#include <robots/policy/judge.hpp>
#include <robots/policy/lifetime.hpp>
#include <robots/policy/policy.hpp>
#include <robots/policy/record.hpp>
#include <robots/policy/site_records.hpp>
#include <robots/store/storage.hpp>
#include <robots/time/clock.hpp>
#include <robots/time/wall_time.hpp>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace robots::cache_detail {

/// Why the site that another one redirects to was not asked.
struct refusal {
  robots::outcome outcome = outcome::refused;
  std::string why{};  ///< empty: it was asked
};

/// Looks policies up: in the storage, in a flight under way, or over the network. It decides and
/// does no work: what is to be fetched, a look-up has as a job. `job_runner` runs those of calls
/// that block; those who drive the network themselves run theirs.
///
/// Where a site redirects to the robots.txt of another one, a look-up goes on with that site: by
/// its own entry, its own flight, its own breaker. So a redirect causes no request that the other
/// site's own visitors would not cause, and nothing is kept for a site but what it was asked for.
///
/// With a shared store, whoever leads a flight asks that first: see `store_asker`. What has no
/// answer there is asked for as without one, and what comes of it is told to the store before the
/// flight ends. A site that redirects is there as one that redirects.
class policy_loader {
 public:
  /// All outlive it; `store` is null when nothing is shared.
  policy_loader(const cache_options& options, const exclusion_list& excluded, cache_parts& parts,
                site_rulings& rulings, guarded_store* store)
      : options_(options),
        retrieval_(retrieval_options_of(options)),
        excluded_(excluded),
        parts_(parts),
        rulings_(rulings),
        store_(store),
        invalid_policy_(policy::refusal(options.user_agent, decision_reason::invalid_url)),
        maker_(options, parts, rulings),
        kept_(parts, options, maker_.judging()) {
    retrieval_.breakers = std::make_shared<origin_breakers>(
        options.breaker, [this](std::string_view origin, breaker_state now) {
          parts_.tell(breaker_event{parts_.about(origin), now});
        });
    retrieval_.leave_to_other_sites = true;
    retrieval_.may_ask = [this](const origin& target) {
      const auto where = parse_site(to_string(target));
      return where && rulings_.may_ask(*where);
    };
  }

  [[nodiscard]] policy_maker& maker() noexcept { return maker_; }
  [[nodiscard]] kept_sites& kept() noexcept { return kept_; }
  [[nodiscard]] const origin_breakers& breakers() const noexcept { return *retrieval_.breakers; }

  /// What holds for a site without its robots.txt; nothing for one that may be asked.
  [[nodiscard]] found ruling_on(const std::optional<site>& where) {
    if (!where) {
      return {.policy = invalid_policy_};
    }
    auto ruled = rulings_.find(*where);
    const bool is_known = ruled && ruled->given_reason() != decision_reason::excluded;
    return {.policy = std::move(ruled), .from_cache = is_known, .now = parts_.now()};
  }

  /// Begins a look-up, of which this may already be the end.
  [[nodiscard]] look_up_state begin(const site& where, const std::string& key,
                                    std::shared_ptr<const call_context> context,
                                    bool refresh = false, std::size_t agent = 0) {
    look_up_state at{.key = key, .context = std::move(context), .agent = agent};
    at.refreshes = refresh;
    at.asked.push_back({where, key});
    proceed(at, ask(at));
    return at;
  }

  /// The look-up of a job of which nobody waits for the policy, to go on with where it leads to
  /// another site.
  [[nodiscard]] look_up_state follow_up(const retrieval_job& job) {
    const auto led = job.lead.share();
    look_up_state rest{.key = led->site(), .context = led->context()};
    rest.asked.push_back(
        {.where = led->where(), .key = led->site(), .place = {flights_, led}, .began = true});
    return rest;
  }

  /// Goes on with a look-up until there is a policy for the site asked first, something to be done
  /// from outside, or somebody to wait for. `known` holds for the site asked last.
  void proceed(look_up_state& at, found known = {}) {
    for (;;) {
      if (known.policy && at.asked.size() == 1) {
        found ruled = ruling_on(at.asked.front().where);  // its answer may have halted it
        at.answer = selected(std::move(ruled.policy ? ruled : known), at.agent);
        at.asked.clear();
        return;
      }
      if (known.policy) {
        at.asked.pop_back();
        at.to_do.news = end_redirected(at.asked.back(), known);
        known = {};
      }
      if (at.job && !at.job->is_done()) {
        return;
      }
      if (const auto job = std::move(at.job)) {
        at.to_do.news = complete(*job, std::get<retrieval_result>(std::move(job->work).next()),
                                 job->stop.stop_requested());
      }
      if (at.asked.empty()) {
        return;  // it was left
      }
      switch (at.asked.back().place->now()) {
        case flight::state::led:
          return;
        case flight::state::offered:
          if (leader lead = at.asked.back().place.take_lead(flight::state::offered)) {
            give_job(at, std::move(lead));  // unless another waiter has taken it on
          }
          break;
        case flight::state::redirected:
          known = follow(at);
          break;
        case flight::state::ended:
          known = take(at);
          break;
      }
    }
  }

  /// The job of bringing the policy of a site.
  [[nodiscard]] std::shared_ptr<retrieval_job> make_job(single_flight::leader lead) {
    const time_point now = parts_.now();
    retrieval_options how = retrieval_;
    how.seed = maker_.seed();
    how.excluded = excluded_.hosts();
    const flight& led = lead.led();
    // A 304 is of no use to the other processes while none of them has the file.
    const bool needs_file = led.known().shared && !led.known().good;
    retrieval work{led.where(), std::move(how), now,
                   needs_file ? known_copy{} : known_copy_of(led.known().last)};
    std::stop_token stop = led.stop();
    return std::make_shared<retrieval_job>(
        retrieval_job{std::move(lead), std::move(work), std::move(stop), now});
  }

  /// Has a look-up bring the policy of the site itself.
  void give_job(look_up_state& at, single_flight::leader lead) {
    at.job = make_job(std::move(lead));
    at.led = true;
  }

  /// Takes the result of a job. One that was cut short by a stop is no answer, and not kept. What
  /// comes of it is the end of the flight, or yet to be told to the shared store.
  [[nodiscard]] std::shared_ptr<publication> complete(retrieval_job& job, retrieval_result result,
                                                      bool is_stopped) {
    flight& led = job.lead.led();
    const auto exchanges = maker_.exchanges_of(led, result);
    for (const exchange_event& each : exchanges) {
      parts_.tell(each);
    }
    if (result.left_to_other_site) {
      const auto target = parse_site(result.final_url);
      job.lead.redirect({std::move(result), *target, job.began});
      return nullptr;
    }
    const earlier_policies before{led.last(), policy::good(led.known().last)};
    const wall_anchor now = parts_.moment();
    const bool is_hasty = result.cut_short;
    record brought = maker_.recorded(std::move(result), before, now);
    const auto made = maker_.judged(brought, before, now, &led);
    if (!keep(led, made, brought, job.began, now.steady, exchanges, is_hasty && is_stopped)) {
      return end(std::move(job.lead), nullptr);
    }
    auto records = is_hasty || store_ == nullptr
                       ? std::nullopt
                       : records_to_share(std::move(brought), made, std::move(led.known().good));
    if (records && !led.known().shared && is_failure(records->latest.outcome)) {
      records.reset();  // the store may have a last good copy that is not known here
    }
    if (records) {
      records->turned_hostile = led.known().turned_hostile;
    }
    return end(std::move(job.lead), made, records, now.steady);
  }

  /// Notes that another process has changed what the shared store has under `key`. "" means that
  /// changes of any key may have been missed. The next look-up asks the store again. If the store
  /// has nothing newer, a fresh answer stays, unless a message said that its site was erased. So
  /// neither a wiped store nor a flood of messages causes requests to sites. This function never
  /// calls the store.
  void be_told(std::string_view key) noexcept {
    try {
      if (key.empty()) {
        ++parts_.store_epoch;
      } else if (const auto where = parse_site(key)) {
        for (const site& name : names_of(*where)) {
          flights_.tell(flight_key(name));  // first: see `kept_sites::keep`
          kept_.doubt(name.key());
        }
      }
    } catch (...) {
      parts_.counters.add(cache_event::failures);  // no memory, or the storage threw
    }
  }

  /// Drops the rules of a site under all of its names, in this process alone: also those that a
  /// fetch under way brings.
  void forget(const site& where) {
    const std::vector<site> names = names_of(where);
    detach(names);
    for (const site& name : names) {
      kept_.try_forget(name.key());
    }
    detach(names);
  }

  /// What is kept of a site, fresh or to be served stale, for a call that has no time to ask.
  [[nodiscard]] found find_stale(const site& where, const std::string& key,
                                 const std::shared_ptr<const call_context>& context) {
    const time_point now = parts_.now();
    const kept_entry kept = kept_.find(where, key, now);
    const bool stale = kept_.may_serve_stale(kept, now);
    if (!kept.policy || (now >= kept.fresh_until && !stale) || kept_.quarantined(where, key)) {
      return {};
    }
    maker_.note_look_up(stale ? look_up_result::stale_hit : look_up_result::hit, key, context,
                        kept.policy);
    return {.policy = kept.policy, .from_cache = true, .stale = stale, .now = now};
  }

  /// What holds for a caller that would not wait any longer.
  [[nodiscard]] found given_up(const site& where, const std::string& key) {
    if (found ruled = ruling_on(where); ruled.policy) {
      return ruled;
    }
    if (auto quarantined = kept_.quarantined(where, key)) {
      return {.policy = std::move(quarantined)};
    }
    const wall_anchor now = parts_.moment();
    return {.policy = maker_.cancelled(where, kept_.find(where, key, now.steady).policy, now)};
  }

  /// Forgets a site under all of its names. The shared store is told by its next call.
  void invalidate(const site& where) {
    // Before, so that no result is kept that was asked for earlier; after, since a flight that
    // began in between may have seen what was still kept, or still shared.
    const std::vector<site> names = names_of(where);
    if (store_ != nullptr) {
      for (const site& name : names) {
        store_->erase_later(name.key());
      }
    }
    detach(names);
    for (const site& name : names) {
      kept_.forget(name.key());
    }
    detach(names);
  }

  /// Lets a site out of quarantine, under all of its names, and forgets it.
  void release(const site& where) {
    invalidate(where);  // first, so that no file counts that was asked for earlier
    for (const site& name : names_of(where)) {
      kept_.release(name.key());
    }
  }

  /// Forgets every site, in this process.
  void clear() {
    flights_.detach_all();
    kept_.forget_all();
    flights_.detach_all();
  }

 private:
  using leader = single_flight::leader;

  /// Asks for the site asked last: gives what is known of it, or joins its flight.
  [[nodiscard]] found ask(look_up_state& at) {
    asked_site& last = at.asked.back();
    const bool counts = at.asked.size() == 1;
    if (auto quarantined = kept_.quarantined(last.where, last.key)) {
      return {.policy = std::move(quarantined), .from_cache = true, .now = parts_.now()};
    }
    const time_point now = parts_.now();
    const std::uint32_t epoch = parts_.store_epoch;
    kept_entry kept;
    bool renewal = false;
    const bool refreshes = at.refreshes && counts;
    if (options_.stale_while_revalidate.count() > 0 && !refreshes) {
      // Settled before the flight begins: a renewal goes on though nobody waits for it.
      kept = kept_.find(last.where, last.key, now);
      renewal = may_renew(kept, now);
    }
    if (refreshes) {
      detach(names_of(last.where));  // their answers may be older than this call
    }
    auto [place, lead] = flights_.join(flight_key(last.where), last.where,
                                       renewal || options_.finish_abandoned, at.context);
    if (lead) {
      kept = kept_.find(last.where, last.key, now);  // another flight may have ended since
      renewal = renewal && may_renew(kept, now);
    }
    const bool asks_site = refreshes || kept.is_suspect;
    const bool is_fresh = kept.policy && !asks_site && now < kept.fresh_until;
    const bool answers =
        is_fresh && (!kept_.is_in_doubt(kept) || (lead && !kept_.may_ask_store(last.key, now)));
    renewal = renewal && !answers;
    known_site known{.last = kept.policy,
                     .refreshes = refreshes,
                     .is_suspect = kept.is_suspect,
                     .fresh = is_fresh ? kept.policy : nullptr,
                     .told = kept.is_told && !refreshes,
                     .epoch = epoch};
    if (renewal || answers) {
      const bool is_stale = now >= kept.fresh_until;
      if (counts) {
        maker_.note_look_up(is_stale ? look_up_result::stale_hit : look_up_result::hit, last.key,
                            at.context, kept.policy);
      }
      if (lead && renewal) {
        lead.led().known() = std::move(known);
        bring(at, std::move(lead), true);
      } else if (lead) {
        lead.end(kept.policy);
      }
      return {.policy = kept.policy, .from_cache = true, .stale = is_stale, .now = now};
    }
    last.place = std::move(place);
    last.began = static_cast<bool>(lead);
    if (lead) {
      if (counts) {
        maker_.note_look_up(look_up_result::miss, last.key, at.context);
      }
      lead.led().known() = std::move(known);
      bring(at, std::move(lead), false);
    }
    return {};
  }

  /// Returns true if an entry may answer while it is renewed, or while the shared store is asked
  /// whether it has a newer one. An entry that another process told to be out of date may not.
  [[nodiscard]] bool may_renew(const kept_entry& kept, time_point now) const {
    return kept.policy && !kept.is_told && !kept.is_suspect &&
           (now < kept.fresh_until ? kept_.is_in_doubt(kept) : kept_.may_serve_stale(kept, now));
  }

  /// Has the policy of the site asked last brought: by the look-up itself, or renewed by others
  /// while it is served stale; in any case, after the shared store was asked.
  void bring(look_up_state& at, leader lead, bool renews) {
    if (store_ != nullptr) {
      const time_point now = parts_.now();
      const bool refreshes = lead.led().known().refreshes || at.asks_sites;
      at.to_do.question =
          std::make_unique<store_job>(store_job{std::move(lead), now, now, refreshes, renews});
    } else if (renews) {
      at.to_do.renewal = make_job(std::move(lead));
    } else {
      give_job(at, std::move(lead));
    }
  }

  /// Takes what the flight of the site asked last ended with, or asks anew.
  [[nodiscard]] found take(look_up_state& at) {
    asked_site& last = at.asked.back();
    auto result = last.place->result();
    const bool from_store = last.place->from_store();
    const bool is_wanted_anew = from_store && at.refreshes && at.asked.size() == 1;
    if (!result || last.place->site() != last.key || is_wanted_anew) {
      last.place = {};
      return ask(at);
    }
    if (at.asked.size() == 1 && !last.began) {
      maker_.note_look_up(look_up_result::joined, last.key, at.context, result);
    }
    found known{.policy = std::move(result)};
    if (from_store) {
      known.stale = parts_.now() >= validity_of(*known.policy, maker_.judging()).fresh_until;
    }
    return known;
  }

  /// Asks for the site that the one asked last redirects to.
  [[nodiscard]] found follow(look_up_state& at) {
    const site target = at.asked.back().place->redirected().target;
    const std::string key = flight_key(target);
    const std::string url = target.robots_urls().front();
    int redirects = 0;
    bool loop = false;
    bool own_flight = false;
    bool other_origin = false;
    bool from_store = false;
    for (const asked_site& each : at.asked) {
      const retrieval_result& begun = each.place->redirected().result;
      redirects += begun.redirects;
      loop = loop || begun.url == url;
      own_flight = own_flight || each.place->key() == key;
      from_store = from_store || each.place->redirected().from_store;
      other_origin =
          other_origin || (each.where.scheme && begun.url != each.where.robots_urls().front());
    }
    if (loop && from_store && !at.asks_sites) {
      // What the shared store says of redirects may be out of date.
      at.asks_sites = true;
      at.asked.erase(at.asked.begin() + 1, at.asked.end());
      if (leader lead = at.asked.front().place.take_lead(flight::state::redirected)) {
        lead.end(nullptr);
      }
      at.asked.front().place = {};
      return ask(at);
    }
    refusal refused;
    if (!rulings_.may_ask(target)) {
      refused = {outcome::refused, "redirect to a site that must not be asked: " + target.key()};
    } else if ((loop && other_origin) || (own_flight && !loop)) {
      // A bare host shares its flight with its https origin, and answered by its http one.
      refused = {outcome::unreachable, "the redirects lead to an origin that could not be reached"};
    } else if (loop) {
      refused = {outcome::too_many_redirects, "the redirects go round in a loop"};
    } else if (redirects > options_.max_redirects) {
      refused = too_many(redirects);
    }
    if (!refused.why.empty()) {
      at.asked.erase(at.asked.begin() + 1, at.asked.end());
      at.to_do.news = end_redirected(at.asked.front(), {}, std::move(refused));
      return {};
    }
    at.asked.push_back({target, target.key()});
    return ask(at);
  }

  /// RFC 9309, section 2.3.1.2: behind five or fewer there may be a file that must be obeyed.
  [[nodiscard]] refusal too_many(int redirects) const {
    return {
        redirects > 5 ? outcome::too_many_redirects : outcome::server_error,
        "more than " + std::to_string(options_.max_redirects) + " redirects, from site to site"};
  }

  /// Ends the flight of a site by what holds for the one that it redirects to or, where that was
  /// not asked, by why; unless another waiter does. As `complete` does.
  [[nodiscard]] std::shared_ptr<publication> end_redirected(const asked_site& from,
                                                            const found& target,
                                                            refusal refused = {}) {
    leader lead = from.place.take_lead(flight::state::redirected);
    if (!lead) {
      return nullptr;
    }
    flight& led = lead.led();
    const redirected_retrieval& begun = led.redirected();
    auto last = led.last();
    if (!last && begun.from_store) {
      last = policy::good(target.policy);  // this process never had it under the site's own name
    }
    const policy* theirs = target.policy.get();
    retrieval_result result = begun.result;
    result.headers = {};
    if (theirs != nullptr) {
      result.redirects += theirs->source().redirects;
      if (result.redirects > options_.max_redirects) {
        refused = too_many(result.redirects);
      }
    }
    if (!refused.why.empty()) {
      result.outcome = refused.outcome;
      result.error_text = std::move(refused.why);
      if (result.outcome == outcome::unreachable) {
        result.status = 0;
        result.error = fetch_error::other;
      }
      theirs = nullptr;
    } else {
      const record_head& source = theirs->source();
      result.outcome = source.outcome;
      result.status = source.status;
      result.error = source.error;
      result.error_text = source.error_text;
      result.final_url = source.final_url;
      result.truncated = source.truncated;
      if (!target.from_cache) {
        result.exchanges.insert(result.exchanges.end(), source.exchanges.begin(),
                                source.exchanges.end());
      }
    }
    const wall_anchor now = parts_.moment();
    record brought = maker_.recorded(std::move(result), {.last = last}, now);
    const auto made = theirs != nullptr && policy_detail::has_text(brought.outcome)
                          ? maker_.judged_redirected(brought, target.policy, last)
                          : maker_.judged(brought, {.last = last}, now, &led);
    if (begun.from_store) {
      parts_.tell(far_hit_event{maker_.about(led), *made, brought});
      maker_.note_change(led, made);
      maker_.halt_if_due(led, made, now.steady);
      kept_.keep(led, made, now.steady);
      lead.end(made, true);
      return nullptr;
    }
    if (!keep(led, made, brought, begun.began, now.steady,
              maker_.exchanges_of(led, begun.result))) {
      return end(std::move(lead), nullptr);
    }
    std::optional<site_records> records;
    if (theirs != nullptr && is_answer_of_site(made->source())) {
      records.emplace().redirects = true;
      static_cast<retrieval_facts&>(records->latest) =
          static_cast<const retrieval_facts&>(begun.result);
      records->latest.fetched_at = made->source().fetched_at;
      records->latest.lifetime = made->source().lifetime;
    }
    return end(std::move(lead), made, records, now.steady);
  }

  /// Tells of a retrieval and keeps what it brought: in this order, and before anybody goes by it,
  /// so that no decision that rests on it is told of before it. False when it is no answer.
  [[nodiscard]] bool keep(flight& led, const std::shared_ptr<const policy>& made,
                          const record& brought, time_point began, time_point now,
                          const std::vector<exchange_event>& exchanges, bool cut_short = false) {
    if (!maker_.note_retrieval(led, *made, brought, now - began, exchanges, cut_short)) {
      return false;
    }
    if (!led.detached()) {
      maker_.note_change(led, made);
      led.known().turned_hostile = maker_.halt_if_due(led, made, now);
      kept_.watch(led, *made);
      kept_.keep(led, made, now);
    }
    return true;
  }

  /// Hands what came of a flight to all that wait; after `records` of it were told to the shared
  /// store, if there are any and the flight's result is still wanted.
  [[nodiscard]] std::shared_ptr<publication> end(
      leader lead, std::shared_ptr<const policy> made,
      const std::optional<site_records>& records = std::nullopt, time_point now = {}) {
    // Without a lease, nobody could tell whether the site was invalidated since it was asked.
    const known_site& known = lead.led().known();
    const bool is_shared = store_ != nullptr && records && !lead.led().detached() &&
                           (known.lease || known.announces());
    if (!is_shared && !known.lease) {
      lead.end(std::move(made));
      return nullptr;
    }
    auto news = std::make_shared<publication>();
    news->lead = std::move(lead);
    news->made = std::move(made);
    if (is_shared) {
      news->value = encode(*records);
      news->lifetime = std::chrono::floor<std::chrono::milliseconds>(
          validity_of(*news->made, maker_.judging()).keep_until - now);
    }
    return news;
  }

  void detach(const std::vector<site>& names) {
    for (const site& name : names) {
      flights_.detach(flight_key(name));
    }
  }

  const cache_options& options_;
  retrieval_options retrieval_;
  const exclusion_list& excluded_;
  cache_parts& parts_;
  site_rulings& rulings_;
  guarded_store* const store_;
  const std::shared_ptr<const policy> invalid_policy_;
  policy_maker maker_;
  kept_sites kept_;
  single_flight flights_;
};

}  // namespace robots::cache_detail

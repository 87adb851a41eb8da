#pragma once

#include <robots/base/saturating_add.hpp>
#include <robots/cache/detail/cache_parts.hpp>
#include <robots/cache/detail/kept_sites.hpp>
#include <robots/cache/detail/look_up_environment.hpp>
#include <robots/cache/detail/look_up_state.hpp>
#include <robots/cache/detail/policy_maker.hpp>
#include <robots/cache/detail/site_work.hpp>
#include <robots/fetch/outcome.hpp>
#include <robots/http/site.hpp>
#include <robots/observe/events.hpp>
#include <robots/policy/decide.hpp>
#include <robots/policy/lifetime.hpp>
#include <robots/policy/policy.hpp>
#include <robots/policy/record.hpp>
#include <robots/policy/site_names.hpp>
#include <robots/time/clock.hpp>
#include <robots/time/wall_time.hpp>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

namespace robots::cache_detail {

/// Looks policies up: what is kept, what a flight under way brings, or what work on the site
/// brings. It decides what comes next, and does no work itself: see `look_up_runner`.
///
/// A site may answer that another site has its robots.txt. That answer is kept and shared like any
/// other. The look-up then goes on with the other site, as a visitor of that site would. So a
/// redirect causes no request that the other site's own visitors would not cause.
class look_ups {
 public:
  /// `cache` outlives it.
  explicit look_ups(look_up_environment& cache) noexcept : cache_(cache) {}

  /// Begins a look-up, of which this may be the end already.
  void begin(look_up_state& at, const site& where) {
    at.where = where;
    go_on(at, ask(at));
  }

  /// Goes on with a look-up until it has an answer, has work to do, or waits for a flight.
  void proceed(look_up_state& at) { go_on(at, {}); }

  /// Ends a look-up whose caller waits no longer, with what is kept or with what the fallback
  /// policy says of a call that ended too soon.
  void give_up(look_up_state& at) {
    at.has_no_time = true;
    go_on(at, at.where ? find_kept(at) : found{});
  }

  /// Returns the policy that is kept of a site, fresh or not, or of the site that it redirects to.
  /// Null if there is none.
  [[nodiscard]] std::shared_ptr<const policy> kept_policy(site where) {
    const time_point now = cache_.parts.now();
    for (int hops = 0;; ++hops) {
      auto kept = cache_.kept.find(where, where.key(), now).policy;
      const auto url = kept ? kept->leads_to() : std::nullopt;
      const auto target = url ? parse_site(*url) : std::nullopt;
      if (!target || hops == cache_.options.max_redirects) {
        return url ? nullptr : kept;
      }
      where = *target;
    }
  }

 private:
  void go_on(look_up_state& at, found known) {
    while (at.where) {
      if (known.policy) {
        known = arrive(at, std::move(known));
      } else if (at.work) {
        at.work->settle();
        if (!at.work->has_ended()) {
          return;
        }
        at.left.push_back(std::exchange(at.work, nullptr));
      } else if (at.place && at.place->has_ended()) {
        known = take(at);
      } else {
        at.work = at.place ? at.place->take_work() : nullptr;  // no place: the caller has left
        if (!at.work) {
          return;
        }
        at.led = true;
      }
    }
  }

  /// Asks for the site: returns what is known of it, or joins its flight.
  [[nodiscard]] found ask(look_up_state& at) {
    const site& where = *at.where;
    const std::string key = where.key();
    kept_sites& kept_sites = cache_.kept;
    if (at.behind.empty()) {
      if (found ruled = cache_.ruling_on(where); ruled.policy) {
        return ruled;
      }
    } else if (auto held = cache_.rulings.quarantined(where)) {
      return {.policy = std::move(held), .from_cache = true, .now = cache_.parts.now()};
    } else if (!cache_.rulings.may_ask(where)) {
      return fail(at, outcome::refused, "redirect to a site that must not be asked: " + key);
    }
    if (at.has_no_time) {
      return find_kept(at);
    }
    const bool refreshes = at.refreshes && at.behind.empty();
    const time_point now = cache_.parts.now();
    const std::uint32_t epoch = cache_.parts.store_epoch;
    kept_entry kept;
    bool renewal = false;
    if (cache_.options.stale_while_revalidate.count() > 0 && !refreshes) {
      // Settled before the flight begins: a renewal goes on though nobody waits for it.
      kept = kept_sites.find(where, key, now);
      renewal = may_renew(kept, now);
    }
    if (refreshes) {
      cache_.detach(policy_detail::names_of(where));  // their answers may be older than this call
    }
    auto [place, lead] =
        cache_.flights.join(policy_detail::flight_key(where), where,
                            renewal || cache_.options.finish_abandoned, at.context);
    if (lead) {
      kept = kept_sites.find(where, key, now);  // another flight may have ended since
      kept.is_suspect = kept.is_suspect || (at.asks_anew && kept.policy &&
                                            kept.policy->leads_to() && is_old(*kept.policy, now));
      renewal = renewal && may_renew(kept, now);
    }
    const bool is_fresh = kept.policy && !refreshes && !kept.is_suspect && now < kept.fresh_until;
    const bool answers = is_fresh && (!kept_sites.is_in_doubt(kept) ||
                                      (lead && !kept_sites.may_ask_store(key, now)));
    if (renewal || answers) {
      const found known{
          .policy = kept.policy, .from_cache = true, .stale = now >= kept.fresh_until, .now = now};
      count(at, known.stale ? look_up_result::stale_hit : look_up_result::hit, kept.policy);
      if (lead && !answers) {
        at.left.push_back(make_work(std::move(lead), kept, false, is_fresh, epoch));
      } else if (lead) {
        lead.end(kept.policy);
      }
      return known;
    }
    at.place = std::move(place);
    if (lead) {
      count(at, look_up_result::miss);
      at.work = make_work(std::move(lead), kept, refreshes, is_fresh, epoch);
      at.led = at.led || at.work->next() == work_step::fetch;
    }
    return {};
  }

  [[nodiscard]] std::shared_ptr<site_work> make_work(single_flight::leader lead,
                                                     const kept_entry& kept, bool refreshes,
                                                     bool is_fresh, std::uint32_t epoch) {
    return std::make_shared<site_work>(cache_, std::move(lead), kept, refreshes, is_fresh, epoch);
  }

  /// Returns true if an entry may answer while it is renewed, or while the shared store is asked
  /// whether it has a newer one. An entry that another process has changed may not.
  [[nodiscard]] bool may_renew(const kept_entry& kept, time_point now) const {
    return kept.policy && !kept.is_told && !kept.is_suspect &&
           (now < kept.fresh_until ? cache_.kept.is_in_doubt(kept)
                                   : cache_.kept.may_serve_stale(kept, now));
  }

  /// Returns true if a redirect was found out so long ago that the site may answer otherwise now.
  [[nodiscard]] bool is_old(const policy& redirect, time_point now) const {
    return now >= base::saturating_add(redirect.fetched_at(), cache_.options.failure_ttl);
  }

  /// Takes what the flight ended with, or asks anew.
  [[nodiscard]] found take(look_up_state& at) {
    auto result = at.place->result();
    const bool from_store = at.place->from_store();
    const bool is_wanted_anew = from_store && at.refreshes && at.behind.empty();
    const bool is_of_site = at.place->where() == *at.where;
    at.place = {};
    if (!result || !is_of_site || is_wanted_anew) {
      return ask(at);
    }
    count(at, look_up_result::joined, result);
    found known{.policy = std::move(result)};
    known.stale = from_store && cache_.parts.now() >=
                                    validity_of(*known.policy, cache_.maker.judging()).fresh_until;
    return known;
  }

  /// Takes the answer of the site: it is that of the look-up, or leads to the next site.
  [[nodiscard]] found arrive(look_up_state& at, found known) {
    const auto url = known.policy->leads_to();
    int redirects = known.policy->rules_source().redirects;
    for (const redirecting_site& earlier : at.behind) {
      redirects += earlier.answer.policy->rules_source().redirects;
    }
    const auto target = url ? parse_site(*url) : std::nullopt;
    if (url) {
      at.behind.push_back({*at.where, known});
    }
    if (!at.behind.empty() && redirects > cache_.options.max_redirects) {
      // RFC 9309, section 2.3.1.2: behind five or fewer there may be a file that must be obeyed.
      return fail(at, redirects > 5 ? outcome::too_many_redirects : outcome::server_error,
                  "more than " + std::to_string(cache_.options.max_redirects) +
                      " redirects, from site to site");
    }
    if (!url) {
      end(at, std::move(known));
      return {};
    }
    if (!target) {
      return fail(at, outcome::refused,
                  "redirect to a site that must not be asked: " + std::string{*url});
    }
    at.where = *target;
    at.place = {};
    return ask(at);
  }

  /// Ends a look-up whose redirects lead nowhere, after it has asked the sites once more that may
  /// answer otherwise by now.
  [[nodiscard]] found fail(look_up_state& at, outcome why, std::string text) {
    const time_point now = cache_.parts.now();
    const bool are_old = std::any_of(
        at.behind.begin(), at.behind.end(),
        [&](const redirecting_site& earlier) { return is_old(*earlier.answer.policy, now); });
    if (are_old && !at.asks_anew && !at.has_no_time) {
      at.asks_anew = true;
      at.where = at.behind.front().where;
      at.behind.clear();
      at.place = {};
      return ask(at);
    }
    record brought;
    static_cast<record_head&>(brought) = at.behind.front().answer.policy->rules_source();
    brought.outcome = why;
    brought.error_text = std::move(text);
    const bool is_news =
        std::none_of(at.behind.begin(), at.behind.end(),
                     [](const redirecting_site& earlier) { return earlier.answer.from_cache; });
    const auto own = policy::last_answer(at.behind.front().answer.policy);
    found failed{.policy =
                     cache_.maker.judged(brought, {.last = own}, cache_.parts.moment(), nullptr)};
    if (is_news) {
      cache_.parts.tell(fallback_event{cache_.parts.about(at.key, at.context), *failed.policy});
    }
    at.where = at.behind.front().where;
    at.behind.clear();
    end(at, std::move(failed));
    return {};
  }

  /// Ends a look-up by the answer of the site asked last.
  void end(look_up_state& at, found known) {
    const site& first = at.behind.empty() ? *at.where : at.behind.front().where;
    if (found ruled = cache_.ruling_on(first); ruled.policy) {
      known = std::move(ruled);  // an answer may have halted the site
    } else if (cache_.rulings.is_halted(at.where->key())) {
      known = cache_.ruling_on(at.where);  // or the site that it leads to
    } else if (!at.behind.empty()) {
      known = behind_redirects(at, std::move(known));
    }
    at.answer = selected(std::move(known), at.agent);
    at.where.reset();
    at.behind.clear();
    at.place = {};
  }

  /// The answer of the last site, as that of the first one.
  [[nodiscard]] found behind_redirects(const look_up_state& at, found known) {
    record_head source = known.policy->source();
    std::vector<exchange> exchanges;
    int redirects = source.redirects;
    const auto add = [&](const std::vector<exchange>& made) {
      exchanges.insert(exchanges.end(), made.begin(), made.end());
    };
    bool from_cache = known.from_cache;
    for (const redirecting_site& earlier : at.behind) {
      const record_head& led_on = earlier.answer.policy->rules_source();
      redirects += led_on.redirects;
      add(led_on.exchanges);
      from_cache = from_cache && earlier.answer.from_cache;
      known.stale = known.stale || earlier.answer.stale;
    }
    if (!known.from_cache) {
      add(source.exchanges);
    }
    source.url = at.behind.front().answer.policy->rules_source().url;
    source.redirects = redirects;
    source.exchanges = std::move(exchanges);
    source.validators = {};
    known.policy = cache_.maker.judged_redirected(
        source, known.policy, policy::last_answer(at.behind.front().answer.policy));
    known.from_cache = from_cache;
    return known;
  }

  /// What is kept of the site, fresh or to be served stale, else what the fallback policy says of a
  /// call that ended too soon.
  [[nodiscard]] found find_kept(look_up_state& at) {
    const site& where = *at.where;
    const std::string key = where.key();
    const wall_anchor now = cache_.parts.moment();
    const kept_entry kept = cache_.kept.find(where, key, now.steady);
    const bool is_stale = cache_.kept.may_serve_stale(kept, now.steady);
    const bool refreshes = at.refreshes && at.behind.empty();
    if (kept.policy && !refreshes && (now.steady < kept.fresh_until || is_stale)) {
      count(at, is_stale ? look_up_result::stale_hit : look_up_result::hit, kept.policy);
      return {.policy = kept.policy, .from_cache = true, .stale = is_stale, .now = now.steady};
    }
    return {.policy = cache_.maker.cancelled(where, kept.policy, now)};
  }

  /// Counts how a look-up gets its policy, once for each look-up: not by redirects that are kept.
  void count(look_up_state& at, look_up_result how,
             const std::shared_ptr<const policy>& got = nullptr) {
    if (!at.is_counted && !(got && got->leads_to())) {
      at.is_counted = true;
      cache_.maker.note_look_up(how, at.key, at.context, got);
    }
  }

  look_up_environment& cache_;
};

}  // namespace robots::cache_detail

#pragma once

#include <robots/base/saturating_add.hpp>
#include <robots/cache/detail/cache_parts.hpp>
#include <robots/cache/detail/kept_sites.hpp>
#include <robots/cache/detail/look_up_environment.hpp>
#include <robots/cache/detail/policy_maker.hpp>
#include <robots/cache/detail/single_flight.hpp>
#include <robots/cache/detail/site_work.hpp>
#include <robots/fetch/call_options.hpp>
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
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace robots::cache_detail {

/// A site that redirects to the next site.
struct redirecting_site {
  site asked;
  found answer;
};

struct look_up_state {
  std::string key;  ///< the key of the site; empty if the text names no site
  std::shared_ptr<const call_context> context{};
  found answer{};
  std::size_t agent = 0;      ///< the number of the crawler for `selected`
  bool refreshes = false;     ///< the site must be asked, even if its entry is fresh
  bool asks_anew = false;     ///< old redirects must be fetched again, too
  bool has_no_time = false;   ///< only a stored entry can answer
  bool has_no_entry = false;  ///< the caller has found no fresh entry under `key`
  bool must_ask = false;      ///< memory ran out, so the look-up must ask for the site again
  bool led = false;           ///< the look-up did at least a part of the work
  bool is_counted = false;    ///< the look-up was counted as a hit, a miss or joined
  std::string counted_url{};  ///< the text given to `cache_controls::begin`, if its exclusion was
                              ///< counted as a decision

  std::vector<redirecting_site> behind{};  ///< the sites that redirected to the site asked now
  std::optional<site> asked{};             ///< the site asked now; empty after the answer
  single_flight::waiter place{};      ///< the place among the waiters for the flight of `asked`
  std::shared_ptr<site_work> work{};  ///< the work on `asked`, if this look-up does it
  std::vector<std::shared_ptr<site_work>> left{};  ///< work for threads of the cache

  /// Returns true if a stored answer of `asked` is not enough.
  [[nodiscard]] bool needs_new_answer() const noexcept { return refreshes && behind.empty(); }
};

/// Looks up policies in the storage, through a running flight, or by work on the site. This class
/// only decides on the next step; `look_up_runner` does the work.
///
/// The answer of a site can be a redirect of its robots.txt to another site. The cache keeps and
/// shares this answer like any other. Then the look-up goes on with the other site, with no more
/// requests than a direct look-up of the other site.
class look_ups {
 public:
  /// `cache` must outlive this object.
  explicit look_ups(look_up_environment& cache) noexcept : cache_(cache) {}

  /// Begins a look-up, which can have its answer at once.
  void begin(look_up_state& state, const site& asked) {
    state.asked = asked;
    go_on(state, ask(state));
  }

  /// Continues a look-up until it has an answer, needs work, or must wait for a flight.
  void proceed(look_up_state& state) { go_on(state, {}); }

  /// Ends a look-up whose call was stopped or has no time left. The result is the stored policy, or
  /// the fallback policy for a cancelled call.
  void give_up(look_up_state& state) {
    state.has_no_time = true;
    go_on(state, state.asked ? find_kept(state) : found{});
  }

 private:
  void go_on(look_up_state& state, found known) {
    try {
      while (state.asked && can_go_on(state, known)) {
      }
    } catch (...) {
      state.must_ask = state.asked && !state.work && !state.place;
      throw;
    }
  }

  /// Takes the next step of a look-up. Returns false if the look-up must wait.
  [[nodiscard]] bool can_go_on(look_up_state& state, found& known) {
    if (!known.policy && !state.must_ask && !state.work && !state.place) {
      return false;  // the caller has left
    }
    if (known.policy) {
      known = arrive(state, std::move(known));
    } else if (std::exchange(state.must_ask, false)) {
      known = ask(state);
    } else if (state.work) {
      state.work->settle();
      if (!state.work->has_ended()) {
        return false;
      }
      state.left.push_back(std::exchange(state.work, nullptr));
    } else if (auto ended = state.place->ended()) {
      known = take(state, *std::move(ended));
    } else if (auto work = state.place->take_work()) {
      state.work = std::move(work);
      state.led = true;
    } else {
      return false;
    }
    return true;
  }

  /// Looks for the policy of `state.asked`. Returns the ruling or the entry of this site, or joins
  /// its flight.
  [[nodiscard]] found ask(look_up_state& state) {
    const site& asked = *state.asked;
    if (state.behind.empty()) {
      if (found ruled = cache_.ruling_on(asked); ruled.policy) {
        return ruled;
      }
      if (!state.refreshes && !state.has_no_entry && !state.is_counted) {
        if (found fresh = cache_.parts.find_fresh(state.key, state.context); fresh.policy) {
          state.is_counted = true;
          return fresh;
        }
      }
    } else if (auto held = cache_.rulings.quarantined(asked)) {
      return {.policy = std::move(held), .from_cache = true, .now = cache_.parts.now()};
    } else if (!cache_.rulings.may_ask(asked)) {
      return fail(state, outcome::refused,
                  "redirect to a site that must not be asked: " + asked.key());
    }
    return state.has_no_time ? find_kept(state) : join(state);
  }

  /// Joins the flight of the site, unless an entry answers.
  [[nodiscard]] found join(look_up_state& state) {
    const site& asked = *state.asked;
    const std::string key = asked.key();
    kept_sites& kept_sites = cache_.entries;
    const bool refreshes = state.needs_new_answer();
    const time_point now = cache_.parts.now();
    const std::uint32_t epoch = cache_.parts.store_epoch;
    kept_entry entry;
    bool renewal = false;
    if (cache_.options.stale_while_revalidate.count() > 0 && !refreshes) {
      // The flight of a renewal goes on even if nobody waits for its result. So `renewal` must be
      // known before the flight begins.
      entry = kept_sites.find(asked, key, now);
      renewal = kept_sites.may_renew(entry, now);
    }
    if (refreshes) {
      // Running flights can have answers that are older than this call.
      cache_.detach(policy_detail::names_of(asked));
    }
    auto [place, lead] =
        cache_.flights.join(policy_detail::flight_key(asked), asked,
                            renewal || cache_.options.finish_abandoned, state.context);
    if (lead) {
      entry = kept_sites.find(asked, key, now);  // another flight may have ended meanwhile
      entry.is_suspect =
          entry.is_suspect || (state.asks_anew && entry.policy && entry.policy->leads_to() &&
                               is_old(*entry.policy, now));
      renewal = renewal && kept_sites.may_renew(entry, now);
    }
    const bool is_fresh =
        entry.policy && !refreshes && !entry.is_suspect && now < entry.fresh_until;
    const bool answers = is_fresh && (!kept_sites.is_in_doubt(entry) ||
                                      (lead && !kept_sites.may_ask_store(key, now)));
    if (renewal || answers) {
      const found known{.policy = entry.policy,
                        .from_cache = true,
                        .stale = now >= entry.fresh_until,
                        .now = now};
      count(state, known.stale ? look_up_result::stale_hit : look_up_result::hit, entry.policy);
      if (lead && !answers) {
        state.left.push_back(make_work(std::move(lead), entry, false, is_fresh, epoch));
      } else if (lead) {
        lead.end({entry.policy, true});
      }
      return known;
    }
    state.place = std::move(place);
    if (lead) {
      count(state, look_up_result::miss);
      state.work = make_work(std::move(lead), entry, refreshes, is_fresh, epoch);
      state.led = state.led || state.work->next() == work_step::fetch;
    }
    return {};
  }

  [[nodiscard]] std::shared_ptr<site_work> make_work(single_flight::leader lead,
                                                     const kept_entry& entry, bool refreshes,
                                                     bool is_fresh, std::uint32_t epoch) {
    return std::make_shared<site_work>(cache_, std::move(lead), entry, refreshes, is_fresh, epoch);
  }

  /// Returns true if a redirect is so old that the site may have another answer now.
  [[nodiscard]] bool is_old(const policy& redirect, time_point now) const {
    return now >= base::saturating_add(redirect.fetched_at(), cache_.options.failure_ttl);
  }

  /// Returns the result of the flight, or asks again if the result is not usable.
  [[nodiscard]] found take(look_up_state& state, flight::ending ended) {
    const bool is_of_site = state.place->asked == *state.asked;
    state.place = {};
    if (!ended.result || !is_of_site || (ended.from_store && state.needs_new_answer())) {
      return ask(state);
    }
    count(state, look_up_result::joined, ended.result);
    found known{.policy = std::move(ended.result)};
    known.stale = ended.from_store &&
                  cache_.parts.now() >=
                      detail::validity_of(*known.policy, cache_.maker.judging()).fresh_until;
    return known;
  }

  /// Handles the answer of `state.asked`. Ends the look-up, or asks the site to which the answer
  /// redirects.
  [[nodiscard]] found arrive(look_up_state& state, found known) {
    const auto url = known.policy->leads_to();
    int redirects = known.policy->rules_source().redirects;
    for (const redirecting_site& earlier : state.behind) {
      redirects += earlier.answer.policy->rules_source().redirects;
    }
    const auto target = url ? parse_site(*url) : std::nullopt;
    if (url) {
      state.behind.push_back({*state.asked, known});
    }
    if (!state.behind.empty() && redirects > cache_.options.max_redirects) {
      // RFC 9309, section 2.3.1.2: a crawler may act as if there were no file only after more than
      // five redirects.
      return fail(state, redirects > 5 ? outcome::too_many_redirects : outcome::server_error,
                  "more than " + std::to_string(cache_.options.max_redirects) +
                      " redirects, from site to site");
    }
    if (!url) {
      end(state, std::move(known));
      return {};
    }
    if (!target) {
      return fail(state, outcome::refused,
                  "redirect to a site that must not be asked: " + std::string{*url});
    }
    state.asked = *target;
    state.place = {};
    return ask(state);
  }

  /// Ends a look-up whose redirects lead to no policy. If one of the redirects is old, first asks
  /// the sites again, but only once.
  [[nodiscard]] found fail(look_up_state& state, outcome why, std::string text) {
    const time_point now = cache_.parts.now();
    const bool are_old = std::any_of(
        state.behind.begin(), state.behind.end(),
        [&](const redirecting_site& earlier) { return is_old(*earlier.answer.policy, now); });
    if (are_old && !state.asks_anew && !state.has_no_time) {
      state.asks_anew = true;
      state.asked = state.behind.front().asked;
      state.behind.clear();
      state.place = {};
      return ask(state);
    }
    record retrieved;
    static_cast<record_head&>(retrieved) = state.behind.front().answer.policy->rules_source();
    retrieved.outcome = why;
    retrieved.error_text = std::move(text);
    const bool is_new =
        std::none_of(state.behind.begin(), state.behind.end(),
                     [](const redirecting_site& earlier) { return earlier.answer.from_cache; });
    const auto own = policy::last_answer(state.behind.front().answer.policy);
    found failed{.policy =
                     cache_.maker.judged(retrieved, {.last = own}, cache_.parts.moment(), nullptr)};
    if (is_new) {
      cache_.parts.tell(
          fallback_event{cache_.parts.about(state.key, state.context), *failed.policy});
    }
    state.asked = state.behind.front().asked;
    state.behind.clear();
    end(state, std::move(failed));
    return {};
  }

  /// Ends a look-up with the answer of the site asked last.
  void end(look_up_state& state, found known) {
    const site& first = state.behind.empty() ? *state.asked : state.behind.front().asked;
    if (found ruled = cache_.ruling_on(first); ruled.policy) {
      known = std::move(ruled);  // a ruling was made meanwhile, such as a halt
    } else if (cache_.rulings.is_halted(state.asked->key())) {
      known = cache_.ruling_on(state.asked);  // an answer has halted the last site
    } else if (!state.behind.empty()) {
      known = behind_redirects(state, std::move(known));
    }
    state.answer = selected(std::move(known), state.agent);
    state.asked.reset();
    state.behind.clear();
    state.place = {};
  }

  /// Turns the answer of the last site of the redirects into an answer for the first site.
  [[nodiscard]] found behind_redirects(const look_up_state& state, found known) {
    record_head source = known.policy->source();
    std::vector<detail::exchange> exchanges;
    int redirects = source.redirects;
    const auto add = [&](const std::vector<detail::exchange>& made_there) {
      exchanges.insert(exchanges.end(), made_there.begin(), made_there.end());
    };
    bool from_cache = known.from_cache;
    for (const redirecting_site& earlier : state.behind) {
      const record_head& led_on = earlier.answer.policy->rules_source();
      redirects += led_on.redirects;
      add(led_on.exchanges);
      from_cache = from_cache && earlier.answer.from_cache;
      known.stale = known.stale || earlier.answer.stale;
    }
    if (!known.from_cache) {
      add(source.exchanges);
    }
    source.url = state.behind.front().answer.policy->rules_source().url;
    source.redirects = redirects;
    source.exchanges = std::move(exchanges);
    source.validators = {};
    known.policy = cache_.maker.judged_redirected(
        source, known.policy, policy::last_answer(state.behind.front().answer.policy));
    known.from_cache = from_cache;
    return known;
  }

  /// Returns the entry of the site if the entry may answer without a fetch. Otherwise, returns the
  /// fallback policy for a cancelled call.
  [[nodiscard]] found find_kept(look_up_state& state) {
    const site& asked = *state.asked;
    const wall_anchor now = cache_.parts.moment();
    const kept_entry entry = cache_.entries.find(asked, asked.key(), now.steady);
    if (state.needs_new_answer()) {
      return {.policy = cache_.maker.cancelled(asked, entry.policy, now)};
    }
    found known{.policy = cache_.maker.without_fetch(asked, entry.policy, now)};
    if (known.policy == entry.policy) {
      known.from_cache = true;
      known.stale = now.steady >= entry.fresh_until;
      known.now = now.steady;
      count(state, known.stale ? look_up_result::stale_hit : look_up_result::hit, entry.policy);
    }
    return known;
  }

  /// Counts and reports, once per look-up, how it found its policy. Does not count a policy that
  /// only leads to another site, since the policy of that other site is counted.
  void count(look_up_state& state, look_up_result result,
             const std::shared_ptr<const policy>& got = nullptr) {
    using enum cache_event;
    // These counters have the order of `look_up_result`.
    constexpr std::array counts{hits, stale_hits, misses, joined};
    if (!state.is_counted && !(got && got->leads_to())) {
      state.is_counted = true;
      cache_.parts.counters.add(counts.at(static_cast<std::size_t>(result)));
      cache_.parts.tell(
          look_up_event{cache_.parts.about(state.key, state.context), result, got.get()});
    }
  }

  look_up_environment& cache_;
};

}  // namespace robots::cache_detail

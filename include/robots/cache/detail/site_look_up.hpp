#pragma once

#include <robots/cache/detail/entry_use.hpp>
#include <robots/cache/detail/site_work.hpp>
#include <robots/policy/failing_time.hpp>

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

/// Looks up the policy of a site. Takes the policy from the storage or from a running flight, or
/// lets `site_work` get it. This class only chooses the next step, and `cache_engine` does this
/// step. If the answer redirects to another site, the cache stores the answer, and the look-up
/// continues with that site.
class site_look_up {
 public:
  /// `cache` must outlive this object. `agent_number` is 0, or 1 plus an index into
  /// `cache_options::other_agents`.
  site_look_up(look_up_environment& cache, std::shared_ptr<const call_context> caller,
               std::size_t agent_number)
      : context(std::move(caller)), agent(agent_number), cache_(cache) {}

  void start(const site& first) {
    first_ = first;
    asked = first;
    key = first.key();
  }

  /// Continues until there is an answer, `work` needs a step, or the look-up must wait for a
  /// flight. If memory runs out, the next call looks up the present site again.
  void proceed() {
    try {
      while (asked && take_step()) {
      }
    } catch (...) {
      work = nullptr;
      throw;
    }
  }

  /// Lets the next `proceed` answer at once, with the stored policy or the fallback policy.
  void give_up() {
    has_no_time = true;
    timed_out_tries_ = place ? place->timed_out_tries.load() : 0;
    place = {};
  }

  std::string key{};  ///< the key of the site; empty if the text names no site
  const std::shared_ptr<const call_context> context;
  found answer{};
  const std::size_t agent;
  /// The site must be asked, even if its entry is fresh. So must the sites to which it redirects,
  /// but each of these at most once in `cache_options::min_ttl`.
  bool refreshes = false;
  bool has_no_time = false;   ///< the look-up must answer without a fetch
  bool has_left = false;      ///< the caller does not want the answer any more
  bool led = false;           ///< the look-up did at least a part of the work
  std::string counted_url{};  ///< the text whose exclusion `cache_controls::begin` has counted

  std::optional<site> asked{};        ///< the site asked now; empty after the answer
  single_flight::waiter place{};      ///< the place among the waiters for the flight of `asked`
  std::shared_ptr<site_work> work{};  ///< the work on `asked`, if this look-up does it
  std::vector<std::shared_ptr<site_work>> left{};  ///< further work; no look-up waits for it

 private:
  /// Does one step. Returns false if the look-up must wait.
  [[nodiscard]] bool take_step() {
    if (has_left && !work) {
      return false;
    }
    found known;
    if (work) {
      work->settle();
      if (!work->has_ended()) {
        return false;
      }
      left.push_back(std::exchange(work, nullptr));
    } else if (!place) {
      known = ask();
    } else if (auto ended = place->ended()) {
      known = take(*std::move(ended));
    } else if (auto offered = place->take_work()) {
      work = std::move(offered);
      led = true;
    } else {
      return false;
    }
    if (known.policy) {
      arrive(std::move(known));
    }
    return true;
  }

  [[nodiscard]] found ask() {
    if (redirects_.empty()) {
      if (found ruled = cache_.ruling_on(asked); ruled.policy) {
        return ruled;
      }
    } else if (auto held = cache_.rulings.quarantined(*asked)) {
      return {.policy = std::move(held), .from_cache = true, .now = cache_.parts.now()};
    } else if (!cache_.rulings.may_ask(*asked)) {
      fail(outcome::refused, "redirect to a site that must not be asked: " + asked->key());
      return {};
    }
    return has_no_time ? find_kept() : join();
  }

  /// Returns the site's entry if this look-up may use it. Otherwise, joins the site's flight.
  [[nodiscard]] found join() {
    const std::string site_key = asked->key();
    const bool needs_fetch = needs_new_answer();
    const time_point now = cache_.parts.now();
    const std::uint32_t epoch = cache_.parts.store_epoch;
    if (needs_fetch) {
      // The answer of a running flight can be older than this call, so begin a new flight.
      cache_.detach(policy_detail::names_of(*asked));
    }
    auto [joined, lead] = cache_.flights.join(policy_detail::flight_key(*asked), *asked,
                                              cache_.options.finish_abandoned, context);
    kept_entry entry = cache_.policies.find(*asked, site_key, now);
    entry.is_suspect = entry.is_suspect || (asks_anew_ && entry.policy &&
                                            entry.policy->leads_to() && is_old(*entry.policy));
    entry_use use = use_of(facts_of(entry, needs_fetch, now));
    const bool needs_store = use == entry_use::answer_and_confirm || use == entry_use::confirm;
    if (needs_store && lead && !may_ask_store(entry, now)) {
      use = entry_use::answer;
    }
    switch (use) {
      case entry_use::answer:
        if (lead) {
          cache_.flights.end(*lead, {entry.policy, true});
        }
        return answered_by(entry, now);
      case entry_use::answer_and_renew:
      case entry_use::answer_and_confirm:
        if (lead) {
          lead->finishes_alone = true;
          const bool is_fresh = use == entry_use::answer_and_confirm;
          left.push_back(
              std::make_shared<site_work>(cache_, std::move(lead), entry, false, is_fresh, epoch));
        }
        return answered_by(entry, now);
      case entry_use::confirm:
      case entry_use::wait:
        break;
    }
    place = std::move(joined);
    is_outdated_ = !lead && (place->is_changed_elsewhere || place->missed_store);
    if (lead) {
      count(look_up_result::miss);
      work = std::make_shared<site_work>(cache_, std::move(lead), entry, needs_fetch,
                                         use == entry_use::confirm, epoch);
      led = led || work->next() == work_step::fetch;
    }
    return {};
  }

  [[nodiscard]] entry_facts facts_of(const kept_entry& entry, bool needs_fetch,
                                     time_point now) const {
    return {.age = cache_.policies.age_of(entry, now),
            .doubt = cache_.policies.doubt_about(entry),
            .is_rejected = needs_fetch || entry.is_suspect,
            .renews_in_background = cache_.options.stale_while_revalidate.count() > 0};
  }

  /// Makes an entry the answer of this look-up, and counts and reports it.
  [[nodiscard]] found answered_by(const kept_entry& entry, time_point now) {
    const bool is_stale = now >= entry.fresh_until;
    count(is_stale ? look_up_result::stale_hit : look_up_result::hit, entry.policy);
    return {.policy = entry.policy, .from_cache = true, .stale = is_stale, .now = now};
  }

  /// Returns true if the shared store may be asked about an entry in doubt.
  [[nodiscard]] bool may_ask_store(const kept_entry& entry, time_point now) const {
    site_policies& policies = cache_.policies;
    rate_limit& limit =
        entry.is_changed_elsewhere ? policies.questions_about_changes : policies.questions;
    return cache_.store != nullptr && cache_.store->is_in_use(now) && limit.take(asked->key(), now);
  }

  [[nodiscard]] bool needs_new_answer() const noexcept { return refreshes && renews_; }

  [[nodiscard]] bool is_old(const policy& redirect) const {
    return cache_.parts.now() >=
           base::saturating_add(redirect.fetched_at(), cache_.options.failure_ttl);
  }

  [[nodiscard]] found take(flight::ending ended) {
    const bool is_of_site = place->asked == *asked;
    place = {};
    if (!ended.result || !is_of_site || (ended.from_store && needs_new_answer()) ||
        std::exchange(is_outdated_, false)) {
      return {};
    }
    count(look_up_result::joined, ended.result);
    const bool is_stale =
        ended.from_store &&
        cache_.parts.now() >=
            detail::validity_of(*ended.result, cache_.policies.judging).fresh_until;
    return {.policy = std::move(ended.result), .stale = is_stale};
  }

  /// Ends the look-up with the answer `known`, or continues with the site to which it redirects.
  void arrive(found known) {
    const auto url = known.policy->leads_to();
    int redirects = known.policy->rules_source().redirects;
    for (const found& earlier : redirects_) {
      redirects += earlier.policy->rules_source().redirects;
    }
    if (url) {
      if (refreshes && redirects_.empty()) {
        static_cast<void>(cache_.may_renew_target(*first_));  // it is new now
      }
      redirects_.push_back(known);
    }
    if (!redirects_.empty() && redirects > cache_.options.max_redirects) {
      // RFC 9309, section 2.3.1.2: only after more than five redirects may a crawler assume that
      // there is no file.
      return fail(redirects > 5 ? outcome::too_many_redirects : outcome::server_error,
                  "more than " + std::to_string(cache_.options.max_redirects) +
                      " redirects, from site to site");
    }
    if (!url) {
      return end(std::move(known));
    }
    const auto target = parse_site(*url);
    if (!target) {
      return fail(outcome::refused,
                  "redirect to a site that must not be asked: " + std::string{*url});
    }
    // The redirect may come from the shared store, whose other users can have other limits.
    const auto from = detail::parse_origin(redirects_.back().policy->rules_source().url);
    const auto to = detail::parse_origin(*url);
    if (std::string why =
            from && to ? detail::refusal_by(cache_.options.redirects, *from, *to) : std::string{};
        !why.empty()) {
      return fail(outcome::refused, std::move(why));
    }
    renews_ = refreshes && cache_.may_renew_target(*target);
    asked = *target;
    place = {};
  }

  /// Repeats the look-up once if an old redirect can be fetched again. If not, the look-up fails.
  void fail(outcome why, std::string text) {
    const auto redirects = std::exchange(redirects_, {});
    asked = first_;
    renews_ = true;
    const auto any = [&](const auto& holds) {
      return std::any_of(redirects.begin(), redirects.end(), holds);
    };
    if (!asks_anew_ && !has_no_time &&
        any([&](const found& earlier) { return is_old(*earlier.policy); })) {
      asks_anew_ = true;
      place = {};
      return;
    }
    const auto& first = redirects.front().policy;
    record retrieved;
    static_cast<record_head&>(retrieved) = first->rules_source();
    retrieved.outcome = why;
    retrieved.error_text = std::move(text);
    found failed{.policy = cache_.policies.judged(retrieved, {.last = own_answer(first)},
                                                  cache_.parts.moment(), nullptr)};
    if (!any([](const found& earlier) { return earlier.from_cache; })) {
      cache_.parts.tell(fallback_event{cache_.parts.about(key, context), *failed.policy});
    }
    end(std::move(failed));
  }

  void end(found known) {
    found ruled = cache_.ruling_on(first_);  // a ruling may have been made meanwhile
    if (!ruled.policy && cache_.rulings.is_halted(*asked)) {
      ruled = cache_.ruling_on(asked);  // an answer has halted the last site
    }
    if (ruled.policy) {
      known = std::move(ruled);
    } else if (!redirects_.empty()) {
      known = redirected_to(std::move(known));
    }
    answer = selected(std::move(known), agent);
    asked.reset();
    redirects_.clear();
    place = {};
  }

  /// Returns the last answer of the first site before its redirect. Returns null if this answer
  /// came from another origin of the host: the redirect can be stored under the name of the host.
  [[nodiscard]] std::shared_ptr<const policy> own_answer(
      const std::shared_ptr<const policy>& redirect) const {
    auto last = policy::before_redirects(redirect);
    const bool is_own =
        last && (!first_->scheme || policy_detail::answers_for(*first_, last->source()));
    return is_own ? std::move(last) : nullptr;
  }

  /// Turns `known`, the answer at the end of the redirects, into an answer for the first site.
  [[nodiscard]] found redirected_to(found known) {
    const auto& first = redirects_.front().policy;
    record_head source = known.policy->source();
    auto& exchanges = source.exchanges;
    auto last = std::exchange(exchanges, {});
    if (known.from_cache) {
      last.clear();
    }
    for (const found& earlier : redirects_) {
      const record_head& redirect = earlier.policy->rules_source();
      source.redirects += redirect.redirects;
      exchanges.insert(exchanges.end(), redirect.exchanges.begin(), redirect.exchanges.end());
      known.from_cache = known.from_cache && earlier.from_cache;
      known.stale = known.stale || earlier.stale;
    }
    exchanges.insert(exchanges.end(), last.begin(), last.end());
    source.url = first->rules_source().url;
    source.validators = {};
    known.policy = cache_.policies.judged_redirected(source, known.policy, own_answer(first));
    return known;
  }

  /// Returns the entry if it may be used without a fetch, else the policy for a cancelled call.
  [[nodiscard]] found find_kept() {
    const wall_anchor now = cache_.parts.moment();
    const kept_entry entry = cache_.policies.find(*asked, asked->key(), now.steady);
    found known{
        .policy = needs_new_answer()
                      ? cache_.policies.cancelled(*asked, entry.policy, now, timed_out_tries_)
                      : cache_.policies.without_fetch(*asked, entry.policy, now, timed_out_tries_)};
    if (known.policy == entry.policy) {
      return answered_by(entry, now.steady);
    }
    return known;
  }

  /// Counts and reports the result, once per look-up. A redirect to another site does not count.
  void count(look_up_result result, const std::shared_ptr<const policy>& got = nullptr) {
    using enum cache_event;
    constexpr std::array counts{hits, stale_hits, misses, joined};  // as in `look_up_result`
    if (!is_counted_ && !(got && got->leads_to())) {
      is_counted_ = true;
      cache_.parts.counters.add(counts.at(static_cast<std::size_t>(result)));
      cache_.parts.tell(look_up_event{cache_.parts.about(key, context), result, got.get()});
    }
  }

  look_up_environment& cache_;
  int timed_out_tries_ = 0;         // of the fetch for which the look-up waited until `give_up`
  std::optional<site> first_{};     // the site of the first `asked`
  std::vector<found> redirects_{};  // the answers that led from `first_` to `asked`
  bool renews_ = true;              // with `refreshes`, `asked` must be asked, too
  bool is_outdated_ = false;        // the result of `place` can be older than this look-up
  bool asks_anew_ = false;          // old redirects must be fetched again, too
  bool is_counted_ = false;
};

}  // namespace robots::cache_detail

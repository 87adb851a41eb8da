#pragma once

#include <robots/cache/detail/entry_use.hpp>
#include <robots/cache/detail/site_work.hpp>
#include <robots/policy/failing_time.hpp>
#include <robots/policy/order_reference.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace robots::cache_detail {

/// The next step of a look-up, for the code that drives it.
enum class look_up_step : std::uint8_t {
  proceed,   ///< there is something to look at: call `proceed`
  wait,      ///< somebody else works on the site: after `wait` or `on_news`, call `proceed`
  work,      ///< do the next step of `work()`, or pass the work on; then call `proceed`
  answered,  ///< `answer()` has the policy
  left,      ///< the caller has left, and nothing remains to be done
};

/// Looks up the policy of a site: in the storage, in a running flight, or by a `site_work` that it
/// leads. If the answer redirects to another site, the cache stores the answer, and the look-up
/// continues with that site. This class only chooses the next step. A driver does it, and reports
/// the events: `blocking_driver` for calls that block, `look_up_driver` for event loops.
///
///                +--------------------- the site redirects, or the flight was abandoned -----+
///                v                                                                           |
///     --> asking near --> waiting for a flight --------------- its result ------------------>+
///           |    |          ^  |                                                             |
///           |    |  passed  |  | the work is offered                                         |
///           |    |  on      |  v                                                             |
///           |    +-------> working: the steps of `site_work` -- ended: waits for its flight  |
///           |                |                                                               v
///           |                | the caller leaves                                          answered
///           |                +--> finishing --> left                                         ^
///           +--- a ruling, or an entry that may be used (`use_of`) --------------------------+
///
/// The state is exactly one of these, in one variant, and each state owns what only it needs: its
/// place among the waiters of a flight, its work, or its answer. Besides the next step, a look-up
/// makes works that nobody waits for: renewals, and ended works that must still be published. The
/// driver takes them with `take_other_works`.
class site_look_up {
 public:
  /// All that is fixed when a look-up begins.
  struct call {
    std::shared_ptr<const call_context> context{};
    std::size_t agent = 0;  ///< 0, or 1 plus an index into `cache_options::other_agents`
    /// The site must be asked, even if its entry is fresh. So must the sites to which it redirects,
    /// but each of these at most once in `cache_options::min_ttl`.
    bool refreshes = false;
    bool has_no_time = false;  ///< the look-up must answer without a fetch
  };

  /// Begins a look-up. `cache` must outlive this object.
  site_look_up(look_up_environment& cache, std::shared_ptr<const site_keys> first, call asked_by)
      : cache_(cache),
        call_(std::move(asked_by)),
        first_(first),
        asked_(std::move(first)),
        has_no_time_(call_.has_no_time) {}

  /// Makes a look-up that has its answer. `key` is the key of the site, or empty if the text names
  /// no site.
  site_look_up(look_up_environment& cache, std::string key, call asked_by, found_policy answer)
      : cache_(cache),
        call_(std::move(asked_by)),
        key_(std::move(key)),
        state_(answered{selected(std::move(answer), call_.agent)}) {}

  site_look_up(const site_look_up&) = delete;
  site_look_up& operator=(const site_look_up&) = delete;
  ~site_look_up() = default;

  [[nodiscard]] look_up_step next() const noexcept {
    constexpr std::array steps{look_up_step::proceed,  look_up_step::wait, look_up_step::work,
                               look_up_step::answered, look_up_step::work, look_up_step::left};
    static_assert(steps.size() == std::variant_size_v<state>);
    return steps.at(state_.index());
  }

  /// Continues until there is an answer, `work()` needs a step, or the look-up must wait for a
  /// flight. If memory runs out, the next call looks up the present site again.
  void proceed() {
    try {
      while (take_step()) {
      }
    } catch (...) {
      drop_work();
      throw;
    }
  }

  /// Gives up the wait or the work, since the call has ended. The next `proceed` answers at once,
  /// with the stored policy or the fallback policy.
  void give_up() {
    if (const waiting* const place = place_or_null()) {
      timed_out_tries_ = place->flight->timed_out_tries.load();
    }
    if (auto* const busy = std::get_if<working>(&state_)) {
      other_works_.push_back(std::move(busy->work));
    }
    has_no_time_ = true;
    become(asking{});
  }

  /// The caller does not want the answer any more. The work of this look-up goes on if somebody
  /// does it until its end.
  void caller_left() noexcept {
    if (auto* const busy = std::get_if<working>(&state_)) {
      become(finishing{std::move(busy->work)});
    } else if (!std::holds_alternative<answered>(state_) &&
               !std::holds_alternative<finishing>(state_)) {
      become(left{});
    }
  }

  /// Drops the work, since its step has failed for lack of memory. The waiters of its flight, and
  /// this look-up, begin again.
  void drop_work() noexcept {
    if (std::holds_alternative<finishing>(state_)) {
      become(left{});
    } else if (!std::holds_alternative<answered>(state_) && !std::holds_alternative<left>(state_)) {
      become(asking{});
    }
  }

  /// The work that this look-up does, or null.
  [[nodiscard]] const std::shared_ptr<site_work>& work() const noexcept {
    static const std::shared_ptr<site_work> none;
    if (const auto* const busy = std::get_if<working>(&state_)) {
      return busy->work;
    }
    const auto* const last = std::get_if<finishing>(&state_);
    return last != nullptr ? last->work : none;
  }

  /// The fetch that this look-up does, for a driver that sends the requests itself. Null if the
  /// next step is another one.
  [[nodiscard]] detail::retrieval* fetch() const noexcept {
    const bool is_fetch = work() && work()->next() == work_step::fetch;
    return is_fetch ? &work()->fetch() : nullptr;
  }

  // The events of `fetch()`. Each has no effect, and returns false, if there is no fetch.

  /// Handles the response to the request of `fetch()`.
  [[nodiscard]] bool on_response(fetch_response response) {
    return report([&](detail::retrieval& fetched, const wall_anchor& now) {
      if (!is_stop_requested()) {
        detail::be_no_cancellation(response);
      }
      fetched.on_response(std::move(response), now.steady, now.wall);
    });
  }

  /// Ends the wait before a retry if its time has come, or if nobody needs the fetch.
  [[nodiscard]] bool on_wait_over() {
    if (fetch() != nullptr && is_stop_requested()) {
      return cut_short();
    }
    return report([](detail::retrieval& fetched, const wall_anchor& now) {
      fetched.on_wait_over(now.steady);
    });
  }

  /// Ends the wait before a retry, without the retry.
  [[nodiscard]] bool cut_short() {
    return report([](detail::retrieval& fetched, const wall_anchor& now) {
      if (std::holds_alternative<detail::retry_wait>(fetched.next())) {
        fetched.cancel({}, now.steady);
      }
    });
  }

  /// Passes the work on to the driver, which lets somebody else do it. The look-up then waits for
  /// its result. There must be a work.
  [[nodiscard]] std::shared_ptr<site_work> pass_work_on() noexcept {
    if (auto* const busy = std::get_if<working>(&state_)) {
      std::shared_ptr<site_work> passed_on = std::move(busy->work);
      state_ = waiting{std::move(busy->place)};
      return passed_on;
    }
    std::shared_ptr<site_work> passed_on = std::move(std::get<finishing>(state_).work);
    state_ = left{};
    return passed_on;
  }

  /// The works that this look-up has begun or ended and that nobody waits for. The driver must do
  /// them.
  [[nodiscard]] std::vector<std::shared_ptr<site_work>> take_other_works() noexcept {
    return std::exchange(other_works_, {});
  }

  /// Waits for news of the flight. Returns false if `limits` ended the wait. The step must be
  /// `wait`.
  [[nodiscard]] bool wait(const call_options& limits) {
    return std::get<waiting>(state_).flight->wait(cache_.parts, limits);
  }

  /// Calls `wake` when there is news: see `flight::on_news`. If this look-up waits for nobody,
  /// calls `wake` at once.
  void on_news(std::function<void()> wake) const {
    if (const waiting* const place = place_or_null()) {
      place->flight.on_news(std::move(wake));
    } else {
      wake();
    }
  }

  /// Returns the answer. It has no policy unless the step is `answered`.
  [[nodiscard]] const found_policy& answer() const noexcept {
    static const found_policy none{};
    const auto* const ended = std::get_if<answered>(&state_);
    return ended != nullptr ? ended->answer : none;
  }
  [[nodiscard]] found_policy take_answer() { return std::move(std::get<answered>(state_).answer); }

  /// The key of the site; empty if the text names no site.
  [[nodiscard]] const std::string& key() const noexcept { return first_ ? first_->key() : key_; }
  [[nodiscard]] const std::shared_ptr<const call_context>& context() const noexcept {
    return call_.context;
  }
  [[nodiscard]] std::size_t agent() const noexcept { return call_.agent; }
  [[nodiscard]] bool refreshes() const noexcept { return call_.refreshes; }

  /// Returns true if this look-up did at least a part of a fetch.
  [[nodiscard]] bool has_fetched() const noexcept { return has_fetched_; }

 private:
  /// The present site has not been looked at yet.
  struct asking {};
  /// Somebody else works on the present site.
  struct waiting {
    single_flight::waiter flight;
    bool is_outdated = false;  // the result of the flight can be older than this look-up
  };
  /// This look-up works on the present site. It also waits for the flight that it leads.
  struct working {
    waiting place;
    std::shared_ptr<site_work> work;  // destroyed first, so that the flight ends before it is left
  };
  struct answered {
    found_policy answer;
  };
  /// The caller has left, but this look-up does the work until its end.
  struct finishing {
    std::shared_ptr<site_work> work;
  };
  struct left {};

  using state = std::variant<asking, waiting, working, answered, finishing, left>;

  /// Changes the state, and then destroys the earlier one. This can request a stop, and the stop's
  /// callback can report the end of the request to this look-up, which must be in its new state.
  void become(state next) noexcept {
    [[maybe_unused]] const state earlier = std::exchange(state_, std::move(next));
  }

  [[nodiscard]] bool is_stop_requested() const {
    return work()->own_flight().stop.stop_requested();
  }

  /// If this look-up does a fetch, calls `handle(fetch, now)`. If `handle` throws, drops the work.
  template <class Handle>
  [[nodiscard]] bool report(const Handle& handle) {
    detail::retrieval* const fetched = fetch();
    if (fetched == nullptr) {
      return false;
    }
    try {
      handle(*fetched, cache_.parts.moment());
    } catch (...) {
      drop_work();
      throw;
    }
    return true;
  }

  /// Does one transition. Returns false if the look-up needs its driver.
  [[nodiscard]] bool take_step() {
    if (std::holds_alternative<asking>(state_)) {
      if (found_policy result = ask(); result.policy) {
        arrive(std::move(result));
      }
      return true;
    }
    if (site_work* const own = work().get()) {
      if (own->has_result()) {
        own->settle(cache_.parts.moment());
      }
      if (!own->has_ended()) {
        return false;
      }
      other_works_.reserve(other_works_.size() + 1);
      other_works_.push_back(pass_work_on());
      return true;
    }
    auto* const place = std::get_if<waiting>(&state_);
    if (place == nullptr) {
      return false;
    }
    if (auto ended = place->flight->ended()) {
      const waiting last_place = std::move(*place);
      state_ = asking{};
      if (found_policy result = result_of(last_place, *std::move(ended)); result.policy) {
        arrive(std::move(result));
      }
      return true;
    }
    if (auto offered = place->flight->take_work()) {
      state_ = working{std::move(*place), std::move(offered)};
      has_fetched_ = true;
      return true;
    }
    return false;
  }

  [[nodiscard]] const waiting* place_or_null() const noexcept {
    const auto* const busy = std::get_if<working>(&state_);
    return busy != nullptr ? &busy->place : std::get_if<waiting>(&state_);
  }

  [[nodiscard]] found_policy ask() {
    const site& asked = asked_->named_site();
    if (redirects_.empty()) {
      if (found_policy ruled = cache_.ruling_on(asked); ruled.policy) {
        return ruled;
      }
    } else if (auto held = cache_.rulings.quarantined(asked)) {
      return {.policy = std::move(held), .from_cache = true, .now = cache_.parts.now()};
    } else if (!cache_.rulings.may_ask(asked)) {
      fail(outcome::refused, "redirect to a site that must not be asked: " + asked_->key());
      return {};
    }
    return has_no_time_ ? find_stored() : join();
  }

  /// Returns the site's entry if this look-up may use it. Otherwise, joins the site's flight.
  [[nodiscard]] found_policy join() {
    const bool needs_fetch = needs_new_answer();
    const time_point now = cache_.parts.now();
    work_start start{.refreshes = needs_fetch, .epoch = cache_.parts.store_epoch, .began = now};
    if (needs_fetch) {
      // The answer of a running flight can be older than this call, so begin a new flight.
      cache_.detach(policy_detail::names_of(asked_->named_site()));
    }
    auto [joined, lead] = cache_.flights.join(asked_->flight_key(), asked_,
                                              cache_.options.finish_abandoned, call_.context);
    kept_entry entry = cache_.policies.find(*asked_, now);
    entry.is_suspect = entry.is_suspect || (asks_anew_ && entry.policy &&
                                            entry.policy->leads_to() && is_old(*entry.policy));
    entry_use use = use_of(facts_of(entry, needs_fetch, now));
    const bool needs_store = use == entry_use::answer_and_confirm || use == entry_use::confirm;
    if (needs_store && lead && !may_confirm(entry, now)) {
      use = entry_use::answer;
    }
    switch (use) {
      case entry_use::answer: {
        found_policy result = answered_by(entry, now);
        if (lead) {
          cache_.flights.end(*lead, {entry.policy, true});
        }
        return result;
      }
      case entry_use::answer_and_renew:
      case entry_use::answer_and_confirm: {
        found_policy result = answered_by(entry, now);
        if (lead) {
          lead->finishes_alone = true;
          start.is_fresh = use == entry_use::answer_and_confirm;
          start.known = std::move(entry);
          other_works_.push_back(std::make_shared<site_work>(cache_, std::move(lead), start));
        }
        return result;
      }
      case entry_use::confirm:
      case entry_use::wait:
        break;
    }
    waiting place{std::move(joined)};
    place.is_outdated = !lead && (place.flight->is_changed_elsewhere || place.flight->missed_store);
    if (!lead) {
      state_ = std::move(place);
      return {};
    }
    count(look_up_result::miss);
    start.is_fresh = use == entry_use::confirm;
    start.known = std::move(entry);
    auto begun = std::make_shared<site_work>(cache_, std::move(lead), start);
    has_fetched_ = has_fetched_ || begun->next() == work_step::fetch;
    state_ = working{std::move(place), std::move(begun)};
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
  [[nodiscard]] found_policy answered_by(const kept_entry& entry, time_point now) {
    const bool is_stale = now >= entry.fresh_until;
    count(is_stale ? look_up_result::stale_hit : look_up_result::hit, entry.policy);
    return {.policy = entry.policy, .from_cache = true, .stale = is_stale, .now = now};
  }

  /// Returns true if the shared store may be asked about an entry in doubt.
  [[nodiscard]] bool may_confirm(const kept_entry& entry, time_point now) const {
    return cache_.far_tier &&
           cache_.far_tier->may_ask(asked_->key(), entry.is_changed_elsewhere, now);
  }

  [[nodiscard]] bool needs_new_answer() const noexcept { return call_.refreshes && renews_; }

  [[nodiscard]] bool is_old(const policy& redirect) const {
    return cache_.parts.now() >=
           base::saturating_add(redirect.fetched_at(), cache_.options.failure_ttl);
  }

  /// Returns the result of the flight at `last_place`, or no policy if the site must be looked up
  /// again.
  [[nodiscard]] found_policy result_of(const waiting& last_place, flight::ending ended) {
    const bool is_of_site = last_place.flight->asked() == asked_->named_site();
    if (!ended.result || !is_of_site || (ended.from_store && needs_new_answer()) ||
        last_place.is_outdated) {
      return {};
    }
    count(look_up_result::joined, ended.result);
    const bool is_stale =
        ended.from_store &&
        cache_.parts.now() >=
            detail::validity_of(*ended.result, cache_.policies.judging).fresh_until;
    return {.policy = std::move(ended.result), .stale = is_stale};
  }

  /// Ends the look-up with the answer `result`, or continues with the site to which it redirects.
  void arrive(found_policy result) {
    const auto url = result.policy->leads_to();
    int redirects = result.policy->rules_source_view().redirects;
    for (const found_policy& earlier : redirects_) {
      redirects += earlier.policy->rules_source_view().redirects;
    }
    if (url) {
      if (call_.refreshes && redirects_.empty()) {
        static_cast<void>(cache_.may_renew_target(first_->named_site()));  // it is new now
      }
      redirects_.push_back(result);
    }
    if (!redirects_.empty() && redirects > cache_.options.max_redirects) {
      // RFC 9309, section 2.3.1.2: only after more than five redirects may a crawler assume that
      // there is no file.
      return fail(redirects > 5 ? outcome::too_many_redirects : outcome::server_error,
                  "more than " + std::to_string(cache_.options.max_redirects) +
                      " redirects, from site to site");
    }
    if (!url) {
      return end(std::move(result));
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
    renews_ = call_.refreshes && cache_.may_renew_target(*target);
    ask_next(std::make_shared<const site_keys>(*target));
  }

  /// Lets the look-up continue with a site.
  void ask_next(std::shared_ptr<const site_keys> next) noexcept {
    asked_ = std::move(next);
    state_ = asking{};
  }

  /// Repeats the look-up once if an old redirect can be fetched again. If not, the look-up fails.
  void fail(outcome why, std::string text) {
    const auto redirects = std::exchange(redirects_, {});
    ask_next(first_);
    renews_ = true;
    const auto any = [&](const auto& holds) {
      return std::any_of(redirects.begin(), redirects.end(), holds);
    };
    if (!asks_anew_ && !has_no_time_ &&
        any([&](const found_policy& earlier) { return is_old(*earlier.policy); })) {
      asks_anew_ = true;
      return;
    }
    const auto& first = redirects.front().policy;
    record retrieved;
    static_cast<record_head&>(retrieved) = first->rules_source();
    retrieved.outcome = why;
    retrieved.error_text = std::move(text);
    found_policy failed{.policy = cache_.policies.judged(retrieved, {.last = own_answer(first)},
                                                         cache_.parts.moment(), nullptr)};
    if (!any([](const found_policy& earlier) { return earlier.from_cache; })) {
      cache_.parts.tell(fallback_event{cache_.parts.about(key(), call_.context), *failed.policy});
    }
    end(std::move(failed));
  }

  void end(found_policy result) {
    found_policy ruled =
        cache_.ruling_on(first_->named_site());  // a ruling may have been made meanwhile
    if (!ruled.policy && cache_.rulings.is_halted(asked_->named_site())) {
      ruled = cache_.ruling_on(asked_->named_site());  // an answer has halted the last site
    }
    if (ruled.policy) {
      result = std::move(ruled);
    } else if (!redirects_.empty()) {
      result = redirected_to(std::move(result));
    }
    redirects_.clear();
    state_ = answered{selected(std::move(result), call_.agent)};
  }

  /// Returns the last answer of the first site before its redirect. Returns null if this answer
  /// came from another origin of the host: the redirect can be stored under the name of the host.
  [[nodiscard]] std::shared_ptr<const policy> own_answer(
      const std::shared_ptr<const policy>& redirect) const {
    auto last = policy::before_redirects(redirect);
    const bool is_own =
        last && (!first_->named_site().scheme ||
                 policy_detail::answers_for(first_->named_site(), last->source_view()));
    return is_own ? std::move(last) : nullptr;
  }

  /// Turns `result`, the answer at the end of the redirects, into an answer for the first site.
  [[nodiscard]] found_policy redirected_to(found_policy result) {
    const auto& first = redirects_.front().policy;
    record_head source = result.policy->last_retrieval();
    auto& exchanges = source.exchanges;
    auto last = std::exchange(exchanges, {});
    if (result.from_cache) {
      last.clear();
    }
    for (const found_policy& earlier : redirects_) {
      const record_head& redirect = earlier.policy->rules_source();
      source.redirects += redirect.redirects;
      exchanges.insert(exchanges.end(), redirect.exchanges.begin(), redirect.exchanges.end());
      result.from_cache = result.from_cache && earlier.from_cache;
      result.stale = result.stale || earlier.stale;
    }
    exchanges.insert(exchanges.end(), last.begin(), last.end());
    source.url = first->rules_source().url;
    source.validators = {};
    const order_reference* const order = result.policy->order();
    const auto ruled_by = order ? std::make_shared<const order_reference>(*order) : nullptr;
    result.policy = cache_.policies.judged_redirected(source, result.policy, own_answer(first));
    if (ruled_by) {  // a quarantine of the last site
      result.policy = policy::by_order(*result.policy, ruled_by);
    }
    return result;
  }

  /// Returns the entry if it may be used without a fetch, else the policy for a cancelled call.
  [[nodiscard]] found_policy find_stored() {
    const wall_anchor now = cache_.parts.moment();
    const kept_entry entry = cache_.policies.find(*asked_, now.steady);
    found_policy result{.policy =
                            needs_new_answer()
                                ? cache_.policies.cancelled(asked_->named_site(), entry.policy, now,
                                                            timed_out_tries_)
                                : cache_.policies.without_fetch(asked_->named_site(), entry.policy,
                                                                now, timed_out_tries_)};
    if (result.policy == entry.policy) {
      return answered_by(entry, now.steady);
    }
    return result;
  }

  /// Counts and reports the result, once per look-up. A redirect to another site does not count.
  void count(look_up_result result, const std::shared_ptr<const policy>& got = nullptr) {
    using enum cache_event;
    constexpr std::array counts{hits, stale_hits, misses, joined};  // as in `look_up_result`
    if (!is_counted_ && !(got && got->leads_to())) {
      is_counted_ = true;
      cache_.parts.counters.add(counts.at(static_cast<std::size_t>(result)));
      cache_.parts.tell(look_up_event{cache_.parts.about(key(), call_.context), result, got.get()});
    }
  }

  look_up_environment& cache_;
  const call call_;
  const std::string key_{};                   // if there is no `first_`
  std::shared_ptr<const site_keys> first_{};  // the site of the call; null if it needs no work
  std::shared_ptr<const site_keys> asked_{};  // the present site: `first_`, or a redirect's target
  state state_{};
  std::vector<std::shared_ptr<site_work>> other_works_{};
  std::vector<found_policy> redirects_{};  // the answers that led from `first_` to `asked_`
  bool has_no_time_ = false;               // answer without a fetch
  int timed_out_tries_ = 0;  // of the fetch for which the look-up waited until `give_up`
  bool renews_ = true;       // with `refreshes`, `asked_` must be asked, too
  bool asks_anew_ = false;   // old redirects must be fetched again, too
  bool is_counted_ = false;
  bool has_fetched_ = false;
};

}  // namespace robots::cache_detail

#pragma once

#include <robots/cache/detail/look_up_environment.hpp>
#include <robots/cache/detail/publication.hpp>
#include <robots/fetch/retrieval.hpp>
#include <robots/fetch/retrieval_result.hpp>
#include <robots/policy/judge.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

// Where this file stands: one step below `site_look_up`, which makes a work if it leads a flight.
//
//     (shared store only)                           (any cache)
//     ask_store --> wait --> ask_store ...     +--> fetch: retrieval --> recorded --> judged
//        |                                     |                                        |
//        +-- no record, or no store: ----------+             rulings, observer <--------+
//        |                                                                              |
//        +-- a record, or the fresh entry --> the flight ends <----- keep: storage <----+
//                                                   |
//                                                   +--> publish (with a lease) --> done
//
// A driver does the steps: `blocking_driver`, `cache_threads`, or an event loop. The work owns its
// lease, its retrieval and the value that it publishes. It shares its flight with the waiters.

namespace robots::cache_detail {

/// The next step of a `site_work`, for the code that drives the work.
enum class work_step : std::uint8_t {
  ask_store,  ///< ask the shared store `question()`, then call `on_store_reply`
  wait,       ///< another process asks the site; at `next_look()`, call `on_wait_over`
  fetch,      ///< run `fetch()` to its end, then call `on_fetched`
  publish,    ///< the flight has ended; publish `value()`, then call `on_published`
  done,
};

/// Finds the policy of one site, but does no I/O and starts no threads. The caller does each step
/// and reports the result.
///
/// With a shared store, the first step asks the store. If the store has no answer, only the process
/// that holds the site's lease fetches the file. The other processes read the store again from time
/// to time. After `tiered_options::wait`, they use a stale entry or fetch. Without a store, or if
/// the store fails, each process fetches.
///
/// The flight ends as soon as the answer is known. After that, the record is published. If the work
/// is destroyed before the flight ends, the flight is abandoned, and waiting look-ups start again.
class site_work {
 public:
  /// `known` is the entry of the site in this process. `epoch` is the value that
  /// `cache_parts::store_epoch` had before the entry was read. If `refreshes` is true, the work
  /// always fetches, even if the store has a fresh record. If `is_fresh` is true, `known` is the
  /// answer unless the store has a newer answer.
  site_work(look_up_environment& cache, std::shared_ptr<flight> lead, const kept_entry& known,
            bool refreshes, bool is_fresh, std::uint32_t epoch)
      : cache_(cache),
        flight_(std::move(lead)),
        began_(cache.parts.now()),
        epoch_(epoch),
        refreshes_(refreshes),
        is_suspect_(known.is_suspect),
        is_changed_elsewhere_(known.is_changed_elsewhere),
        is_in_doubt_(known.policy && cache.policies.is_in_doubt(known)),
        fresh_(is_fresh ? known.policy : nullptr) {
    flight_->set_last(known.policy);
    if (cache.store == nullptr) {
      start_fetch();
    } else {
      wish_ = refreshes ? lease_wish::take : is_fresh ? lease_wish::none : lease_wish::if_missing;
    }
  }

  site_work(const site_work&) = delete;
  site_work& operator=(const site_work&) = delete;
  ~site_work() { release_lease(); }

  [[nodiscard]] work_step next() const noexcept { return step_; }
  /// The flight that this work ends, and whose waiters get the answer.
  [[nodiscard]] flight& own_flight() const noexcept { return *flight_; }

  void abandon() { end_with(nullptr, false); }

  /// Returns true if the flight has ended. After that, only the step `publish` can remain.
  [[nodiscard]] bool has_ended() const noexcept { return step_ >= work_step::publish; }

  [[nodiscard]] store_question question() {
    asked_store_at_ = cache_.parts.now();
    if (flight_->is_changed_elsewhere.exchange(false)) {
      is_changed_elsewhere_ = true;  // the reply is newer than the message
    }
    return {flight_->site_key(), flight_->target->counterpart().key, flight_->key, wish_};
  }

  void on_store_reply(store_reply reply) {
    if (reply.lease) {
      lease_ = std::move(reply.lease);
      lease_until_ = base::saturating_add(asked_store_at_, options().lease);
    }
    if (flight_->stop.stop_requested() || !cache_.rulings.may_ask(flight_->asked()) ||
        cache_.rulings.quarantined(flight_->asked())) {
      return abandon();
    }
    if (!reply.is_answered) {
      flight_->missed_store = is_in_doubt_ || is_changed_elsewhere_;
      if (!end_with_fresh()) {
        start_fetch();
      }
      return;
    }
    if (end_with_shared(reply) || end_with_confirmed()) {
      return;
    }
    if (lease_) {
      cache_.parts.counters.add(cache_event::far_misses);
      start_fetch();
    } else if (!was_leased(reply)) {
      wish_ = refreshes_ ? lease_wish::take : lease_wish::if_free;
    } else {
      wait_for_other_process();
    }
  }

  [[nodiscard]] time_point next_look() const noexcept { return next_look_; }
  void on_wait_over() noexcept { step_ = step_ == work_step::wait ? work_step::ask_store : step_; }

  [[nodiscard]] detail::retrieval& fetch() noexcept { return *fetch_; }

  void start_fetch() {
    asked_by_ = policy::good_copy(flight_->last());
    fetch_began_ = cache_.parts.now();
    orders_before_ = cache_.store != nullptr ? cache_.store->orders() : 0;
    detail::retrieval_options result = cache_.retrieval;
    result.seed = cache_.policies.seed();
    result.excluded = cache_.rulings.excluded();
    result.timed_out_tries = {flight_, &flight_->timed_out_tries};
    if (cache_.view) {
      // Asks about the site, not about its origins, as `site_look_up` does when it asks again.
      result.asks_before_tries = true;
      result.may_ask = [under_way = flight_, origins = flight_->asked().origins(),
                        any = std::move(result.may_ask),
                        &rulings = cache_.rulings](const origin& target) {
        const bool is_own = std::find(origins.begin(), origins.end(), target) != origins.end();
        return is_own ? rulings.may_ask(under_way->asked()) : any(target);
      };
    }
    // If the shared store lacks the file, a 304 is useless to other processes, so ask for the file.
    const bool needs_file = has_asked_store_ && (!shared_good_ || is_shared_good_older_);
    fetch_.emplace(flight_->asked(), std::move(result), fetch_began_,
                   needs_file ? detail::known_copy{} : detail::known_copy_of(asked_by_));
    step_ = work_step::fetch;
  }

  void settle() {
    if (step_ == work_step::fetch &&
        std::holds_alternative<detail::retrieval_result>(fetch_->next())) {
      on_fetched(std::get<detail::retrieval_result>(std::move(*fetch_).next()),
                 flight_->stop.stop_requested());
    }
  }

  /// Abandons the flight if the fetch was cancelled, or was cut short and `is_stopped` is true.
  void on_fetched(detail::retrieval_result result, bool is_stopped) {
    fetch_.reset();
    const auto exchanges = cache_.policies.note_exchanges(*flight_, result);
    const detail::earlier_policies before{flight_->last(), asked_by_};
    const wall_anchor now = cache_.parts.moment();
    const bool is_hasty = result.cut_short;
    record retrieved = cache_.policies.recorded(std::move(result), before, now);
    const auto policy_now = cache_.policies.judged(retrieved, before, now, flight_.get());
    if (!cache_.policies.note_retrieval(*flight_, *policy_now, retrieved, now.steady - fetch_began_,
                                        exchanges, is_hasty && is_stopped)) {
      return abandon();
    }
    // The observer gets all events about the answer before any caller uses the answer.
    bool turned_hostile = false;
    // If this process could not ask the site, there is nothing to keep. The next look-up asks.
    const bool was_asked = retrieved.error != fetch_error::local;
    if (!flight_->detached && was_asked) {
      turned_hostile = cache_.on_answer(*flight_, policy_now, now.steady, false);
      // An answer that was not checked against the store gets another epoch, so that the next
      // look-up asks the store.
      const bool is_checked = cache_.store == nullptr || has_asked_store_;
      if (is_changed_elsewhere_ && rests_on_earlier(policy_now)) {
        flight_->is_changed_elsewhere = true;  // the next look-up asks what was changed
      }
      cache_.policies.keep(*flight_, policy_now, now.steady, is_checked ? epoch_ : epoch_ - 1,
                           announces());
    }
    if (cache_.store != nullptr && !is_hasty) {
      const bool is_new_answer = !is_failure(retrieved.outcome);
      set_publication(std::move(retrieved), policy_now, turned_hostile, now.steady);
      const bool outdates_all = announces() && (is_new_answer || !value().empty());
      publication_.prepare(replaced_by(policy_now->source()), outdates_all);
    }
    end_with(policy_now, false);
  }

  /// If the result is empty, the lease is released and nothing is published.
  [[nodiscard]] const std::string& value() const noexcept { return publication_.value(); }
  [[nodiscard]] std::chrono::milliseconds lifetime() const noexcept {
    return publication_.lifetime();
  }
  [[nodiscard]] const std::optional<store_lease>& lease() const noexcept { return lease_; }
  /// The value that `resilient_store::orders` had when the fetch began.
  [[nodiscard]] std::uint64_t orders_before() const noexcept { return orders_before_; }

  /// Returns true if the new answer makes all older copies outdated, also in other processes.
  [[nodiscard]] bool announces() const noexcept { return refreshes_ || is_suspect_; }

  void on_published(publish_answer answer) {
    step_ = work_step::done;
    if (answer == publish_answer::failed || answer == publish_answer::outdated) {
      release_lease();
    } else {
      lease_.reset();  // publishing has ended the lease
    }
    if (answer == publish_answer::lost) {
      // Before `lease_until_`, the lease cannot have expired. Another process may have taken or
      // erased the lease, so drop the answer. If the lease may have expired, keep the answer.
      if (cache_.parts.now() < lease_until_) {
        try {
          cache_.forget(flight_->asked());
        } catch (...) {
          cache_.parts.counters.add(cache_event::storage_failures);
        }
      }
    } else if (flight_->detached && answer == publish_answer::stored) {
      cache_.store->owe(flight_->site_key());
    }
    publication_.on_published(answer == publish_answer::stored, flight_->detached);
  }

 private:
  /// Returns the other names under which the store can have an older record of the origin that sent
  /// `answer`. Such a record must not answer again when the newer record is erased.
  [[nodiscard]] std::vector<site_keys::name> replaced_by(const record_head& answer) const {
    const std::vector<site_keys::name>& names = flight_->target->names();
    std::vector<site_keys::name> replaced;
    for (auto name = names.begin() + 1; name != names.end(); ++name) {
      const bool is_of_same_origin = policy_detail::answers_for(name->site, answer) ||
                                     (!is_failure(answer.outcome) && flight_->asked().scheme &&
                                      policy_detail::answers_for(flight_->asked(), answer));
      const bool is_counterpart = name == names.begin() + 1;
      if (is_of_same_origin && (has_other_record_ || !is_counterpart)) {
        replaced.push_back(*name);
      }
    }
    return replaced;
  }

  [[nodiscard]] const tiered_options& options() const { return cache_.store->options; }
  [[nodiscard]] const detail::judge_options& judging() const { return cache_.policies.judging; }

  void end_with(std::shared_ptr<const policy> policy_now, bool from_store) {
    step_ = value().empty() && !lease_ ? work_step::done : work_step::publish;
    cache_.flights.end(*flight_, {std::move(policy_now), from_store});
  }

  void release_lease() noexcept {
    if (auto lease = std::exchange(lease_, std::nullopt)) {
      cache_.store->release_later(*std::move(lease));
    }
  }

  /// Returns true if `reply` answers a question that asked for the lease.
  [[nodiscard]] bool was_leased(const store_reply& reply) const noexcept {
    return wish_ == lease_wish::if_free || wish_ == lease_wish::take ||
           (wish_ == lease_wish::if_missing && !reply.value && !reply.other_value);
  }

  /// Returns true if `answer` keeps an earlier answer, which can decide after a failure.
  [[nodiscard]] static bool rests_on_earlier(const std::shared_ptr<const policy>& answer) {
    return policy::last_successful(answer) != answer || answer->leads_to();
  }

  void wait_for_other_process() {
    const time_point now = cache_.parts.now();
    const time_point until = base::saturating_add(began_, options().wait);
    if (refreshes_ || now >= until) {
      if (!end_with_stale()) {
        start_fetch();
      }
      return;
    }
    wish_ = lease_wish::if_missing;
    next_look_ = (std::min)(until, (std::max)(base::saturating_add(now, options().poll),
                                              base::saturating_add(now, (now - began_) / 2)));
    step_ = work_step::wait;
  }

  /// Ends the flight with the record of the site or of its counterpart. Returns false if neither is
  /// a usable answer. A record that is not usable can still set `flight::last`.
  [[nodiscard]] bool end_with_shared(const store_reply& reply) {
    const wall_anchor now = cache_.parts.moment();
    const site& asked = flight_->asked();
    has_asked_store_ = true;
    shared_good_.reset();
    is_shared_good_older_ = false;
    auto records = reply.value ? read(*reply.value, asked, now) : std::nullopt;
    auto other_records = reply.other_value
                             ? read(*reply.other_value, flight_->target->counterpart().site, now)
                             : std::nullopt;
    if (other_records &&
        !policy_detail::answers_for(
            asked, other_records->last_good ? *other_records->last_good : other_records->latest)) {
      other_records.reset();
    }
    has_other_record_ = other_records.has_value();
    if (!records && !other_records && std::exchange(is_last_shared_, false)) {
      flight_->set_last(nullptr);  // the record of an earlier reply has been erased
    }
    if (records && other_records && records->latest.fetched_at < other_records->latest.fetched_at) {
      std::swap(records, other_records);
    }
    return (records && end_with_records(*std::move(records), now)) ||
           (other_records && end_with_records(*std::move(other_records), now));
  }

  [[nodiscard]] bool end_with_records(detail::site_records records, const wall_anchor& now) {
    auto last = last_before(records, now.steady);
    const auto last_fetched = last ? last->source().fetched_at : (std::chrono::sys_seconds::min)();
    const auto had = policy_detail::newest_answer(last);
    // The clock of another process can be behind, so its newer record can look older.
    const auto ahead = is_changed_elsewhere_ ? options().clock_skew : std::chrono::seconds{0};
    if (had && records.latest.fetched_at + ahead < had->source().fetched_at) {
      return false;  // the store has lost the newer record of this process
    }
    const bool was_replaced = is_last_shared_ && records.latest.fetched_at != last_fetched;
    const bool may_be_erased =
        std::exchange(is_changed_elsewhere_, false) || is_in_doubt_ || was_replaced;
    site_policies& policies = cache_.policies;
    std::optional<record> good;
    // An order would have erased the copy of the store, too. So no order has come since the answer
    // of this process if the copy is older.
    is_shared_good_older_ =
        had && records.last_good &&
        records.last_good->fetched_at + (may_be_erased ? options().clock_skew : ahead) <
            had->source().fetched_at;
    if (is_shared_good_older_) {
      good = std::move(records.last_good);
    } else if (records.last_good) {
      // Another process may have erased the copy that this process had before that record.
      auto earlier = policies.judged(*records.last_good, {.last = may_be_erased ? nullptr : last},
                                     now, nullptr);
      if (earlier->basis() == policy_basis::rules || earlier->leads_to()) {
        cache_.parts.tell(
            far_old_record_event{policies.about(*flight_), *earlier, *records.last_good});
        last = std::move(earlier);
        good = std::move(records.last_good);
      }
    }
    auto latest = policies.judged(records.latest, {.last = last}, now, flight_.get());
    if (may_be_erased && !good && rests_on_earlier(latest)) {
      // Another process may have erased the last good copy of this process. If not, the record
      // would have the copy.
      latest = policies.judged(records.latest, {}, now, nullptr);
    }
    const bool is_known = is_suspect_ && last_fetched >= records.latest.fetched_at;
    const bool is_over = now.steady >= detail::validity_of(*latest, judging()).fresh_until;
    if (refreshes_ || is_known || is_over) {
      // Two records can be of one second. Then they differ in what they say.
      const bool is_newer = !had || records.latest.fetched_at != had->source().fetched_at ||
                            latest->outcome() != had->outcome() ||
                            latest->fingerprint() != had->fingerprint();
      if (is_newer) {
        fresh_.reset();  // a newer answer existed, but has expired
      }
      if (!shared_good_) {
        cache_.parts.tell(far_old_record_event{policies.about(*flight_), *latest, records.latest});
        const bool is_good = latest->basis() == policy_basis::rules || latest->leads_to();
        shared_good_ = is_good ? std::move(records.latest) : std::move(good);
        flight_->set_last(std::move(latest));
        is_last_shared_ = true;
      }
      return false;
    }
    cache_.parts.counters.add(cache_event::far_hits);
    cache_.parts.tell(far_hit_event{policies.about(*flight_), *latest, records.latest});
    cache_.on_answer(*flight_, latest, now.steady, true, records.turned_hostile);
    policies.keep(*flight_, latest, now.steady, epoch_);
    end_with(std::move(latest), true);
    return true;
  }

  /// Returns the policy that the site had before the records of the store. If the records are about
  /// the http origin of a host, and the process has a newer answer of that origin, returns it.
  [[nodiscard]] std::shared_ptr<const policy> last_before(const detail::site_records& records,
                                                          time_point now) {
    auto last = flight_->last();
    const bool has_good = records.last_good && is_failure(records.latest.outcome);
    const record& shared = has_good ? *records.last_good : records.latest;
    const kept_entry known =
        cache_.policies.answer_of_http_origin(*flight_->target, shared.url, now);
    const auto ahead = known.is_changed_elsewhere ? options().clock_skew : std::chrono::seconds{0};
    const auto own = policy_detail::newest_answer(last);
    if (known.policy && !flight_->detached &&
        shared.fetched_at + ahead < known.policy->source().fetched_at &&
        (!own || own->fetched_at() < known.policy->fetched_at())) {
      last = known.policy;
      flight_->set_last(last);
      is_last_shared_ = false;
    }
    return last;
  }

  [[nodiscard]] std::optional<detail::site_records> read(std::string_view value, const site& asked,
                                                         const wall_anchor& now) {
    using std::chrono::floor, std::chrono::seconds;
    if (value == outdated_value) {
      return std::nullopt;
    }
    auto records =
        believed(value, asked, *cache_.rulings.excluded(),
                 floor<seconds>(now.wall) + options().clock_skew, judging().parse.max_bytes);
    if (!records) {
      cache_.parts.counters.add(cache_event::far_rejected);
    } else if (options().ignore_older && records->latest.fetched_at < cache_.made_at) {
      records.reset();
    }
    return records;
  }

  /// Does not change the entry, so that the next look-up can ask the store again.
  [[nodiscard]] bool end_with_fresh() {
    if (!fresh_ || flight_->detached ||
        cache_.parts.now() >= detail::validity_of(*fresh_, judging()).fresh_until) {
      return false;
    }
    end_with(fresh_, true);
    return true;
  }

  /// Handles a reply without a newer record. If a message reported a change, another process erased
  /// the site, so erases the entry. Otherwise, sets the epoch of a fresh entry to `epoch_`.
  [[nodiscard]] bool end_with_confirmed() {
    if (std::exchange(is_changed_elsewhere_, false)) {
      flight_->set_last(nullptr);
      fresh_ = nullptr;
      cache_.policies.forget_changed(*flight_->target);
    }
    if (fresh_) {
      cache_.policies.keep(*flight_, fresh_, cache_.parts.now(), epoch_);
    }
    return end_with_fresh();
  }

  /// Ends the flight with the stale entry if this entry may be used while another process fetches.
  /// See `cache_options::stale_while_revalidate` and `fallback_action::last_good_or_deny`.
  [[nodiscard]] bool end_with_stale() {
    const auto last = refreshes_ ? nullptr : flight_->last();
    if (!last) {
      return false;
    }
    const wall_anchor now = cache_.parts.moment();
    auto answer = cache_.policies.without_fetch(flight_->asked(), last, now);
    if (answer != last && answer->basis() != policy_basis::last_good) {
      return false;
    }
    if (!is_suspect_) {
      // An expired record of the store can be newer than the entry, so it replaces the entry.
      cache_.policies.keep(*flight_, last, now.steady, epoch_);
    }
    end_with(std::move(answer), true);
    return true;
  }

  void set_publication(record retrieved, const std::shared_ptr<const policy>& policy_now,
                       bool turned_hostile, time_point now) {
    // Without a lease, the record may be outdated: another process may have invalidated the site.
    if (flight_->detached || (!lease_ && !announces())) {
      return;
    }
    if (retrieved.not_modified && !asked_by_) {
      return;  // the site confirms a file that this process does not have
    }
    auto records = records_to_share(std::move(retrieved), policy_now, std::move(shared_good_));
    if (!records || (!has_asked_store_ && is_failure(records->latest.outcome))) {
      return;  // the record could replace a last good copy that only the store has
    }
    records->turned_hostile = turned_hostile;
    const time_point keep_until = detail::validity_of(*policy_now, judging()).keep_until;
    publication_.set_value(detail::encode(*records),
                           std::chrono::floor<std::chrono::milliseconds>(keep_until - now));
  }

  look_up_environment& cache_;
  const std::shared_ptr<flight> flight_;  // this object must end the flight
  work_step step_ = work_step::ask_store;

  const time_point began_;
  const std::uint32_t epoch_;
  const bool refreshes_;
  const bool is_suspect_;                // true if only a newer answer is used
  bool is_changed_elsewhere_;            // true after a message about the site
  const bool is_in_doubt_;               // true if messages about the site may have been missed
  std::shared_ptr<const policy> fresh_;  // the answer, unless the store has a newer answer

  lease_wish wish_ = lease_wish::none;
  std::optional<store_lease> lease_{};
  time_point asked_store_at_ = began_;
  time_point lease_until_{};  // the lease is valid at least until this time
  time_point next_look_{};
  bool has_asked_store_ = false;
  std::optional<record> shared_good_{};  // the last good record of the store
  bool is_shared_good_older_ = false;    // this process has a newer answer than `shared_good_`
  bool is_last_shared_ = false;          // `flight::last` is a record of the store

  std::optional<detail::retrieval> fetch_{};
  time_point fetch_began_{};
  std::uint64_t orders_before_ = 0;
  std::shared_ptr<const policy> asked_by_{};  // the policy that a 304 confirms

  bool has_other_record_ = false;  // the store has a record under the counterpart of the site
  publication publication_{cache_.store.get(), flight_->target};
};

/// Does the step `publish` of `work`, and then the pending calls of the store. Has no effect if
/// `work` has another step. Blocks.
inline void publish(look_up_environment& cache, site_work& work) {
  if (work.next() != work_step::publish) {
    return;
  }
  const flight& under_way = work.own_flight();
  const bool is_wanted = !work.value().empty() && !under_way.detached;
  publish_answer answer = publish_answer::failed;
  if (is_wanted && work.lease()) {
    answer = cache.store->publish(under_way.site_key(), work.value(), work.lifetime(),
                                  *work.lease(), work.orders_before());
  }
  work.on_published(answer);
  cache.store->release_and_catch_up(cache.parts.now());
  if (is_wanted && work.announces() && answer != publish_answer::lost && !under_way.detached) {
    cache.store->announce(under_way.site_key());
  }
}

}  // namespace robots::cache_detail

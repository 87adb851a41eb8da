#pragma once

#include <robots/base/saturating_add.hpp>
#include <robots/cache/detail/far_side.hpp>
#include <robots/cache/detail/look_up_environment.hpp>
#include <robots/cache/detail/publication.hpp>
#include <robots/cache/detail/resilient_store.hpp>
#include <robots/cache/detail/shared_records.hpp>
#include <robots/cache/detail/site_work.hpp>
#include <robots/store/shared_store.hpp>
#include <robots/store/tiered_options.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// Where this file stands: between a `site_work` and `store_worker`, which asks and publishes.
//
//     question --> store_worker --> on_reply --> far_decision: the answer, or the next step
//                                      |            a record is the answer       --> done
//                                      |            this process has the lease   --> fetch
//                                      |            the lease was not asked for  --> ask_store
//                                      |            another process has it       --> wait
//                                      |            the store fails              --> fetch
//                                      +--> flight::set_last: what a failure falls back on
//
//     begin_fetch, on_answer, prepare_publication (site_work) --> publication
//     must_publish --> store_worker --> on_published --> release, or forget, or owe an erasure
//
// This object owns the lease, the records of the store that it has read, and the value that it
// publishes. It reads no clock.

namespace robots::cache_detail {

/// The far half of a work over a `SharedStore`. Does no I/O.
///
/// Asks the store first. If the store has no answer, only the process that holds the site's lease
/// fetches the file. The other processes read the store again from time to time. After
/// `tiered_options::wait`, they use a stale entry or fetch. If the store fails, each process
/// fetches.
class store_work final : public far_work {
 public:
  /// All arguments but `start` must outlive this object.
  store_work(look_up_environment& cache, resilient_store& store, flight& under_way,
             const work_start& start)
      : cache_(cache),
        store_(store),
        flight_(under_way),
        began_(start.began),
        epoch_(start.epoch),
        refreshes_(start.refreshes),
        is_suspect_(start.known.is_suspect),
        announces_(start.announces()),
        is_changed_elsewhere_(start.known.is_changed_elsewhere),
        is_in_doubt_(start.known.policy && cache.policies.is_in_doubt(start.known)),
        fresh_(start.is_fresh ? start.known.policy : nullptr),
        wish_(first_wish(start)) {}

  ~store_work() override { release_lease(); }

  /// Returns the question for the step `ask_store`. After the reply, call `on_reply`.
  [[nodiscard]] store_question question(time_point now) {
    asked_store_at_ = now;
    if (flight_.is_changed_elsewhere.exchange(false)) {
      is_changed_elsewhere_ = true;  // the reply is newer than the message
    }
    return {flight_.site_key(), flight_.target->counterpart().key, flight_.key, wish_};
  }

  [[nodiscard]] far_decision on_reply(store_reply reply, const wall_anchor& now) {
    if (reply.lease) {
      lease_ = std::move(reply.lease);
      lease_until_ = base::saturating_add(asked_store_at_, options().lease);
    }
    if (flight_.stop.stop_requested() || !cache_.rulings.may_ask(flight_.asked()) ||
        cache_.rulings.quarantined(flight_.asked())) {
      return {work_step::done, nullptr};
    }
    if (!reply.is_answered) {
      flight_.missed_store = is_in_doubt_ || is_changed_elsewhere_;
      return answer_or_fetch(fresh_answer(now.steady));
    }
    auto answer = answer_of_store(reply, now);
    if (!answer) {
      answer = confirmed_answer(now.steady);
    }
    if (answer) {
      return {work_step::done, std::move(answer)};
    }
    if (lease_) {
      cache_.parts.counters.add(cache_event::far_misses);
      return {work_step::fetch};
    }
    if (!asked_for_lease(reply)) {
      wish_ = refreshes_ ? lease_wish::take : lease_wish::if_free;
      return {work_step::ask_store};
    }
    return wait_for_other_process(now);
  }

  /// The time at which the step `wait` ends.
  [[nodiscard]] time_point next_look() const noexcept { return next_look_; }

  [[nodiscard]] bool begin_fetch(bool has_copy) override {
    has_copy_ = has_copy;
    orders_before_ = store_.orders();
    return has_asked_store_ && (!shared_good_ || is_shared_good_older_);
  }

  [[nodiscard]] std::uint32_t on_answer(const std::shared_ptr<const policy>& answer) override {
    if (is_changed_elsewhere_ && rests_on_earlier(answer)) {
      flight_.is_changed_elsewhere = true;  // the next look-up asks what was changed
    }
    return has_asked_store_ ? epoch_ : unchecked_epoch();
  }

  void prepare_publication(record retrieved, const std::shared_ptr<const policy>& answer,
                           bool turned_hostile, time_point now) override {
    const bool is_new_answer = !is_failure(retrieved.outcome);
    set_value(std::move(retrieved), answer, turned_hostile, now);
    const bool outdates_all = announces() && (is_new_answer || !value().empty());
    publication_.prepare(replaced_by(answer->last_retrieval()), outdates_all);
  }

  [[nodiscard]] bool must_publish() const noexcept override { return !value().empty() || lease_; }

  /// The value to publish. If it is empty, the lease is released and nothing is published.
  [[nodiscard]] const std::string& value() const noexcept { return publication_.value(); }
  [[nodiscard]] std::chrono::milliseconds lifetime() const noexcept {
    return publication_.lifetime();
  }
  [[nodiscard]] const std::optional<store_lease>& lease() const noexcept { return lease_; }
  /// The value that `resilient_store::orders` had when the fetch began.
  [[nodiscard]] std::uint64_t orders_before() const noexcept { return orders_before_; }
  /// Returns true if a new answer makes all older copies outdated, also in other processes.
  [[nodiscard]] bool announces() const noexcept { return announces_; }

  /// Handles the end of the step `publish`.
  void on_published(publish_answer answer, time_point now) {
    if (answer == publish_answer::failed || answer == publish_answer::outdated) {
      release_lease();
    } else {
      lease_.reset();  // publishing has ended the lease
    }
    if (answer == publish_answer::lost) {
      // Before `lease_until_`, the lease cannot have expired. Another process may have taken or
      // erased the lease, so drop the answer. If the lease may have expired, keep the answer.
      if (now < lease_until_) {
        try {
          cache_.forget(flight_.asked());
        } catch (...) {
          cache_.parts.counters.add(cache_event::storage_failures);
        }
      }
    } else if (flight_.detached && answer == publish_answer::stored) {
      store_.owe(flight_.site_key());
    }
    publication_.on_published(answer == publish_answer::stored, flight_.detached);
  }

 private:
  [[nodiscard]] static lease_wish first_wish(const work_start& start) noexcept {
    if (start.refreshes) {
      return lease_wish::take;
    }
    return start.is_fresh ? lease_wish::none : lease_wish::if_missing;
  }

  [[nodiscard]] const tiered_options& options() const noexcept { return store_.options; }
  [[nodiscard]] const detail::judge_options& judging() const noexcept {
    return cache_.policies.judging;
  }

  /// An epoch that is over. An entry of this epoch is in doubt, so the next look-up asks the store.
  [[nodiscard]] std::uint32_t unchecked_epoch() const noexcept { return epoch_ - 1; }

  [[nodiscard]] static far_decision answer_or_fetch(std::shared_ptr<const policy> answer) {
    const work_step next = answer ? work_step::done : work_step::fetch;
    return {next, std::move(answer)};
  }

  void release_lease() noexcept {
    if (auto lease = std::exchange(lease_, std::nullopt)) {
      store_.release_later(*std::move(lease));
    }
  }

  /// Returns true if the question of `reply` has asked for the lease.
  [[nodiscard]] bool asked_for_lease(const store_reply& reply) const noexcept {
    return wish_ == lease_wish::if_free || wish_ == lease_wish::take ||
           (wish_ == lease_wish::if_missing && !reply.value && !reply.other_value);
  }

  /// Returns true if `answer` keeps an earlier answer, which can decide after a failure.
  [[nodiscard]] static bool rests_on_earlier(const std::shared_ptr<const policy>& answer) {
    return policy::last_successful(answer) != answer || answer->leads_to();
  }

  [[nodiscard]] far_decision wait_for_other_process(const wall_anchor& now) {
    const time_point until = base::saturating_add(began_, options().wait);
    if (refreshes_ || now.steady >= until) {
      return answer_or_fetch(stale_answer(now));
    }
    wish_ = lease_wish::if_missing;
    const auto waited = now.steady - began_;
    next_look_ = (std::min)(until, (std::max)(base::saturating_add(now.steady, options().poll),
                                              base::saturating_add(now.steady, waited / 2)));
    return {work_step::wait};
  }

  /// Returns the answer in the record of the site or of its counterpart, or null if neither is
  /// usable. A record that is not usable can still set `flight::last`.
  [[nodiscard]] std::shared_ptr<const policy> answer_of_store(const store_reply& reply,
                                                              const wall_anchor& now) {
    const site& asked = flight_.asked();
    has_asked_store_ = true;
    shared_good_.reset();
    is_shared_good_older_ = false;
    auto records = reply.value ? read(*reply.value, asked, now) : std::nullopt;
    auto other_records = reply.other_value
                             ? read(*reply.other_value, flight_.target->counterpart().site, now)
                             : std::nullopt;
    if (other_records &&
        !policy_detail::answers_for(
            asked, other_records->last_good ? *other_records->last_good : other_records->latest)) {
      other_records.reset();
    }
    has_other_record_ = other_records.has_value();
    if (!records && !other_records && std::exchange(is_last_shared_, false)) {
      flight_.set_last(nullptr);  // the record of an earlier reply has been erased
    }
    if (records && other_records && records->latest.fetched_at < other_records->latest.fetched_at) {
      std::swap(records, other_records);
    }
    if (records) {
      if (auto answer = answer_of(*std::move(records), now)) {
        return answer;
      }
    }
    return other_records ? answer_of(*std::move(other_records), now) : nullptr;
  }

  /// Returns the answer in one record, or null if it is not usable.
  [[nodiscard]] std::shared_ptr<const policy> answer_of(detail::site_records records,
                                                        const wall_anchor& now) {
    auto last = last_before(records, now.steady);
    const auto last_fetched =
        last ? last->last_retrieval().fetched_at : (std::chrono::sys_seconds::min)();
    const auto had = policy_detail::newest_answer(last);
    // The clock of another process can be behind, so its newer record can look older.
    const auto ahead = is_changed_elsewhere_ ? options().clock_skew : std::chrono::seconds{0};
    if (had && records.latest.fetched_at + ahead < had->last_retrieval().fetched_at) {
      return nullptr;  // the store has lost the newer record of this process
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
            had->last_retrieval().fetched_at;
    if (is_shared_good_older_) {
      good = std::move(records.last_good);
    } else if (records.last_good) {
      // Another process may have erased the copy that this process had before that record.
      auto earlier = policies.judged(*records.last_good, {.last = may_be_erased ? nullptr : last},
                                     now, nullptr);
      if (policy_detail::can_be_last_good(*earlier)) {
        cache_.parts.tell(
            far_old_record_event{policies.about(flight_), *earlier, *records.last_good});
        last = std::move(earlier);
        good = std::move(records.last_good);
      }
    }
    auto latest = policies.judged(records.latest, {.last = last}, now, &flight_);
    if (may_be_erased && !good && rests_on_earlier(latest)) {
      // Another process may have erased the last good copy of this process. If not, the record
      // would have the copy.
      latest = policies.judged(records.latest, {}, now, nullptr);
    }
    const bool is_known = is_suspect_ && last_fetched >= records.latest.fetched_at;
    const bool is_over = now.steady >= detail::validity_of(*latest, judging()).fresh_until;
    if (refreshes_ || is_known || is_over) {
      // Two records can be of one second. Then they differ in what they say.
      const bool is_newer = !had || records.latest.fetched_at != had->last_retrieval().fetched_at ||
                            latest->outcome() != had->outcome() ||
                            latest->fingerprint() != had->fingerprint();
      if (is_newer) {
        fresh_.reset();  // a newer answer existed, but has expired
      }
      if (!shared_good_) {
        cache_.parts.tell(far_old_record_event{policies.about(flight_), *latest, records.latest});
        shared_good_ =
            policy_detail::can_be_last_good(*latest) ? std::move(records.latest) : std::move(good);
        flight_.set_last(std::move(latest));
        is_last_shared_ = true;
      }
      return nullptr;
    }
    cache_.parts.counters.add(cache_event::far_hits);
    cache_.parts.tell(far_hit_event{policies.about(flight_), *latest, records.latest});
    cache_.on_answer(flight_, latest, now.steady, true, records.turned_hostile);
    policies.keep(flight_, latest, now.steady, epoch_);
    return latest;
  }

  /// Returns the policy that the site had before the records of the store. If the records are about
  /// the http origin of a host, and the process has a newer answer of that origin, returns it.
  [[nodiscard]] std::shared_ptr<const policy> last_before(const detail::site_records& records,
                                                          time_point now) {
    auto last = flight_.last();
    const bool has_good = records.last_good && is_failure(records.latest.outcome);
    const record& shared = has_good ? *records.last_good : records.latest;
    const kept_entry known = answer_of_http_origin(shared.url, now);
    const auto ahead = known.is_changed_elsewhere ? options().clock_skew : std::chrono::seconds{0};
    const auto own = policy_detail::newest_answer(last);
    if (known.policy && !flight_.detached &&
        shared.fetched_at + ahead < known.policy->last_retrieval().fetched_at &&
        (!own || own->fetched_at() < known.policy->fetched_at())) {
      last = known.policy;
      flight_.set_last(last);
      is_last_shared_ = false;
    }
    return last;
  }

  /// If the work is about a host, and `robots_url` is that of its http origin, returns the entry of
  /// that origin, with its newest answer as the policy. Otherwise, returns an entry without a
  /// policy: the https origin is the counterpart of the host, so `work_start::known` can be its
  /// entry.
  [[nodiscard]] kept_entry answer_of_http_origin(std::string_view robots_url, time_point now) {
    if (flight_.asked().scheme || !robots_url.starts_with("http://")) {
      return {};
    }
    kept_entry of_origin = cache_.policies.entry_of(flight_.target->names().back().key, now);
    of_origin.policy = policy_detail::newest_answer(of_origin.policy);
    if (of_origin.policy && !of_origin.policy->source_view().url.is(robots_url)) {
      return {};
    }
    return of_origin;
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
    } else if (records->latest.fetched_at < store_.ignored_before) {
      records.reset();
    }
    return records;
  }

  /// Returns the fresh entry, or null if there is none. Does not change the entry, so that the next
  /// look-up can ask the store again.
  [[nodiscard]] std::shared_ptr<const policy> fresh_answer(time_point now) const {
    const bool is_usable =
        fresh_ && !flight_.detached && now < detail::validity_of(*fresh_, judging()).fresh_until;
    return is_usable ? fresh_ : nullptr;
  }

  /// Handles a reply without a newer record, and returns the fresh entry if it remains valid. If a
  /// message reported a change, another process erased the site, so erases the entry. Otherwise,
  /// sets the epoch of a fresh entry to `epoch_`.
  [[nodiscard]] std::shared_ptr<const policy> confirmed_answer(time_point now) {
    if (std::exchange(is_changed_elsewhere_, false)) {
      flight_.set_last(nullptr);
      fresh_ = nullptr;
      cache_.policies.forget_changed(*flight_.target);
    }
    if (fresh_) {
      cache_.policies.keep(flight_, fresh_, now, epoch_);
    }
    return fresh_answer(now);
  }

  /// Returns the answer of the stale entry if this entry may be used while another process fetches.
  /// See `cache_options::stale_while_revalidate` and `fallback_action::last_good_or_deny`.
  [[nodiscard]] std::shared_ptr<const policy> stale_answer(const wall_anchor& now) {
    const auto last = refreshes_ ? nullptr : flight_.last();
    if (!last) {
      return nullptr;
    }
    auto answer = cache_.policies.without_fetch(flight_.asked(), last, now);
    if (answer != last && answer->basis() != policy_basis::last_good) {
      return nullptr;
    }
    if (!is_suspect_) {
      // An expired record of the store can be newer than the entry, so it replaces the entry.
      cache_.policies.keep(flight_, last, now.steady, epoch_);
    }
    return answer;
  }

  void set_value(record retrieved, const std::shared_ptr<const policy>& answer, bool turned_hostile,
                 time_point now) {
    // Without a lease, the record may be outdated: another process may have invalidated the site.
    if (flight_.detached || (!lease_ && !announces())) {
      return;
    }
    if (retrieved.not_modified && !has_copy_) {
      return;  // the site confirms a file that this process does not have
    }
    auto records = records_to_share(std::move(retrieved), answer, std::move(shared_good_));
    if (!records || (!has_asked_store_ && is_failure(records->latest.outcome))) {
      return;  // the record could replace a last good copy that only the store has
    }
    records->turned_hostile = turned_hostile;
    const time_point keep_until = detail::validity_of(*answer, judging()).keep_until;
    publication_.set_value(detail::encode(*records),
                           std::chrono::floor<std::chrono::milliseconds>(keep_until - now));
  }

  /// Returns the other names under which the store can have an older record of the origin that sent
  /// `answer`. Such a record must not answer again when the newer record is erased.
  [[nodiscard]] std::vector<site_keys::name> replaced_by(const record_head& answer) const {
    const std::vector<site_keys::name>& names = flight_.target->names();
    std::vector<site_keys::name> replaced;
    for (auto name = names.begin() + 1; name != names.end(); ++name) {
      const bool is_of_same_origin = policy_detail::answers_for(name->site, answer) ||
                                     (!is_failure(answer.outcome) && flight_.asked().scheme &&
                                      policy_detail::answers_for(flight_.asked(), answer));
      const bool is_counterpart = name == names.begin() + 1;
      if (is_of_same_origin && (has_other_record_ || !is_counterpart)) {
        replaced.push_back(*name);
      }
    }
    return replaced;
  }

  look_up_environment& cache_;
  resilient_store& store_;
  flight& flight_;

  const time_point began_;
  const std::uint32_t epoch_;
  const bool refreshes_;
  const bool is_suspect_;  // true if only a newer answer is used
  const bool announces_;
  bool is_changed_elsewhere_;            // true after a message about the site
  const bool is_in_doubt_;               // true if messages about the site may have been missed
  std::shared_ptr<const policy> fresh_;  // the answer, unless the store has a newer answer

  lease_wish wish_;
  std::optional<store_lease> lease_{};
  time_point asked_store_at_ = began_;
  time_point lease_until_{};  // the lease is valid at least until this time
  time_point next_look_{};
  bool has_asked_store_ = false;
  std::optional<record> shared_good_{};  // the last good record of the store
  bool is_shared_good_older_ = false;    // this process has a newer answer than `shared_good_`
  bool is_last_shared_ = false;          // `flight::last` is a record of the store
  bool has_other_record_ = false;        // the store has a record under the counterpart of the site

  bool has_copy_ = false;  // a 304 confirms a file of this process
  std::uint64_t orders_before_ = 0;
  publication publication_{store_, flight_.target};
};

/// Returns the far half of a work. The cache of the work must have a `store_side`.
[[nodiscard]] inline store_work& store_work_of(const site_work& work) noexcept {
  return static_cast<store_work&>(*work.far_half());
}

}  // namespace robots::cache_detail

#pragma once

#include <robots/base/text_table.hpp>
#include <robots/base/thrown_text.hpp>
#include <robots/cache/detail/cache_parts.hpp>
#include <robots/fetch/circuit_breaker.hpp>
#include <robots/http/site_key.hpp>
#include <robots/store/shared_store.hpp>
#include <robots/store/tiered_options.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// Where this file stands: between the works of a cache and the `SharedStore` of the user.
//
//     store_worker --ask, publish, announce--> breaker open? --yes--> no answer
//                                                | no
//     owe (any thread) --> owed erasures ------> the call --> ok, refused, part failed, failed
//                            ^   |                              |
//                            |   +-- deliver                    v
//                            +-- a call failed           counted; an event if it changes what
//                                                        the observer knows of the store
//
//     SharedStore::watch --> event(key) --> `store_side::on_message`
//
// This object owns the owed erasures, the hidden keys and the leases to release. While an erasure
// is owed or a key is hidden, the value of the store is replaced in each reply.

namespace robots::cache_detail {

/// Replaces a value in a reply while the erasure of this value is pending.
inline constexpr std::string_view outdated_value = "(outdated)";

enum class publish_answer : std::uint8_t {
  stored,
  lost,      // nothing was stored, since the lease was erased, was taken, or has expired
  failed,    // the call failed, so the result is unknown
  outdated,  // nothing was stored, since an erasure of the key was ordered after the request
};

/// A shared store whose failures are caught and counted. After several failures in a row, the store
/// is not used for a while, and the observer gets an event. If only a part of the store fails, the
/// other parts are still used. Any thread may call any member. The members other than `owe`, `owed`
/// and `release_later` can block.
///
/// A store that refuses some calls (`store_refusal`) or its watch is still used, since its other
/// answers are good. The observer gets an event about the first refusal. The refusals are over when
/// the store stores something a minute after the last refusal. Without this minute, a store that is
/// nearly full would cause an event at each call.
class resilient_store {
 public:
  /// All arguments must outlive this object.
  resilient_store(SharedStore& shared, const tiered_options& chosen, cache_parts& parts)
      : options(chosen),
        ignored_before(chosen.ignore_older ? std::chrono::floor<std::chrono::seconds>(parts.wall())
                                           : (std::chrono::sys_seconds::min)()),
        store_(shared),
        parts_(parts),
        breaker_(options.breaker) {}

  /// Releases all leases. Tries one last time to make the calls that `owe` noted.
  ~resilient_store() {
    breaker_ = detail::circuit_breaker{options.breaker};  // permits the last try
    owed_.for_each(
        [](std::string_view, owed_call& missed) { missed.next_try = (time_point::min)(); });
    deliver();
    owed_.for_each([this](std::string_view key, const owed_call&) { note_lost(key); });
  }

  const tiered_options& options;
  /// Records that were fetched before this time are ignored: see `tiered_options::ignore_older`.
  const std::chrono::sys_seconds ignored_before;

  /// Asks the store. Replaces a value by `outdated_value` if the value was hidden, or if its
  /// erasure was pending, when the call began or ended.
  [[nodiscard]] std::vector<store_reply> ask(std::span<const store_question> questions) {
    release_and_catch_up(parts_.now());
    std::vector<std::pair<bool, bool>> were_outdated;
    for (const store_question& question : questions) {
      were_outdated.emplace_back(is_outdated(question.key), is_outdated(question.other_key));
    }
    std::vector<store_reply> replies;
    call([&](SharedStore& store) {
      replies = store.load_or_lease(questions, options.lease);
      const auto refused =
          std::find_if(replies.begin(), replies.end(),
                       [](const store_reply& reply) { return !reply.refusal.empty(); });
      if (refused != replies.end()) {
        throw store_refusal{refused->refusal};
      }
      if (std::any_of(replies.begin(), replies.end(),
                      [](const store_reply& reply) { return reply.lease.has_value(); })) {
        note_stored();
      }
    });
    replies.resize(questions.size());
    const auto hide = [this](const std::string& key, bool was_outdated,
                             std::optional<std::string>& value) {
      if (value && (was_outdated || is_outdated(key))) {
        value = outdated_value;
      }
    };
    for (std::size_t i = 0; i < replies.size(); ++i) {
      hide(questions[i].key, were_outdated[i].first, replies[i].value);
      hide(questions[i].other_key, were_outdated[i].second, replies[i].other_value);
    }
    return replies;
  }

  /// Publishes `value`, which was requested from the site when `orders()` was `orders_before`. A
  /// pending erasure from before the request is counted as done. If an erasure was ordered after
  /// the request, `value` is outdated. Then nothing is published, and the erasure stays pending.
  [[nodiscard]] publish_answer publish(std::string_view key, std::string_view value,
                                       std::chrono::milliseconds lifetime, const store_lease& lease,
                                       std::uint64_t orders_before) {
    bool is_stored = false;
    const later_report report{*this};
    std::unique_lock lock{erasing_, std::defer_lock};
    if (must_be_erased(key)) {
      lock.lock();  // a late erasure must not delete the new value
    }
    const std::uint64_t missed = missed_erasure(key);
    if (missed > orders_before) {
      return publish_answer::outdated;
    }
    const call_end end = call_before(report, [&](SharedStore& store) {
      is_stored = store.publish(key, value, lifetime, lease);
    });
    if (is_stored) {
      note_stored();
    }
    if (is_stored && missed > 0) {
      settle(key, missed, call_end::done);
    }
    if (end != call_end::done) {
      return publish_answer::failed;
    }
    return is_stored ? publish_answer::stored : publish_answer::lost;
  }

  /// Adds a pending erasure of a key for all processes. A later `release_and_catch_up` or `deliver`
  /// erases the key. A new erasure replaces the pending erasure of the same key. While an erasure
  /// is pending, this process ignores the stored value. If 65,536 other keys have pending erasures,
  /// the new erasure is lost, and the observer gets an event.
  void owe(std::string_view key) {
    std::unique_lock lock{mutex_};
    if (owed_.size() >= most_owed && !owed_.contains(key)) {
      lock.unlock();
      return note_lost(key);
    }
    owed_call& noted = owed_[key];
    noted.number = ++orders_;
    if (on_owed_) {
      on_owed_();
    }
  }

  /// Until `show`, this process ignores the stored value of a key, since the process has a newer
  /// value that it has not published yet.
  void hide(const std::string& key) {
    const std::scoped_lock lock{mutex_};
    ++hidden_[key];
  }

  /// Ends the effect of one `hide`.
  void show(const std::string& key) noexcept {
    const std::scoped_lock lock{mutex_};
    if (std::size_t* const hidden = hidden_.find(key); hidden != nullptr && --*hidden == 0) {
      hidden_.erase(key);
    }
  }

  /// Returns how often `owe` has noted a call, for `publish`.
  [[nodiscard]] std::uint64_t orders() {
    const std::scoped_lock lock{mutex_};
    return orders_;
  }

  /// Returns false while the store is out of use. Then a question would get no answer.
  [[nodiscard]] bool is_in_use(time_point now) {
    const std::scoped_lock lock{mutex_};
    return breaker_.state() == breaker_state::closed || now >= breaker_.open_until();
  }

  [[nodiscard]] std::size_t owed() {
    const std::scoped_lock lock{mutex_};
    return owed_.size();
  }

  void announce(std::string_view key) {
    call([key](SharedStore& store) { store.announce(key); });
  }

  /// Lets the next `release_and_catch_up` release a lease.
  void release_later(store_lease lease) noexcept {
    try {
      const std::scoped_lock lock{mutex_};
      to_release_.push_back(std::move(lease));
    } catch (...) {
      return;  // no memory, so the lease expires by itself
    }
  }

  /// Releases the leases from `release_later`. Makes up to 64 due calls: pending calls (see `owe`)
  /// with a `next_try` not after `due`. Returns false if the store fails or no call is due.
  bool release_and_catch_up(time_point due) {
    std::vector<store_lease> leases;
    {
      const std::scoped_lock lock{mutex_};
      leases.swap(to_release_);
    }
    for (const store_lease& lease : leases) {
      call([&lease](SharedStore& store) { store.release(lease); });
    }
    constexpr std::size_t at_once = 64;  // limits the time for which a caller waits
    std::vector<std::string> missed;
    // Keys without a scheme are erased first. Leases are stored under these keys, so the erasure
    // also ends the leases. Without a lease, no other process can publish an older file.
    for (const bool is_bare : {true, false}) {
      const std::scoped_lock lock{mutex_};
      owed_.visit_while([&](std::string_view key, const owed_call& owed) {
        if (owed.next_try <= due && is_bare == (detail::without_scheme(key).size() == key.size()) &&
            missed.size() < at_once) {
          missed.emplace_back(key);
        }
        return missed.size() < at_once;
      });
    }
    for (const std::string& key : missed) {
      if (make_missed_call(key, due) == call_end::failed) {
        return false;
      }
    }
    return !missed.empty();
  }

  /// Like `release_and_catch_up`, but makes all due calls. Stops if the store fails.
  void deliver() {
    const time_point due = parts_.now();
    while (release_and_catch_up(due)) {
    }
  }

  /// Begins to call `event` with each key that another process changes, and with "" if changes may
  /// have been missed. If the store fails now, a later call to the store begins the watch. Calls
  /// `on_owed` when `owe` adds or replaces a pending call. `on_owed` must not call this object.
  void watch(std::function<void(std::string_view)> event, std::function<void()> on_owed) {
    {
      const std::scoped_lock lock{watching_, mutex_};
      event_ = std::move(event);
      on_owed_ = std::move(on_owed);
    }
    call([](SharedStore& /*store*/) {});
  }

  /// Ends a `watch`. After the return, no call of `event` or `on_owed` is running or begins.
  void unwatch() noexcept {
    try {
      const std::scoped_lock lock{watching_};
      event_ = {};
      {
        const std::scoped_lock own{mutex_};
        on_owed_ = {};
      }
      store_.watch({});
    } catch (...) {
      parts_.counters.add(cache_event::far_failures);
    }
  }

 private:
  static constexpr std::size_t most_owed = 65'536;

  using request = std::function<void(SharedStore&)>;

  enum class call_end : std::uint8_t {
    done,
    part_failed,  // calls for other keys can succeed
    failed,       // the store failed, or is not in use now
  };

  struct owed_call {
    std::uint64_t number = 0;  // the value of `orders_` when the call was noted
    time_point next_try = (time_point::min)();
  };

  /// Calls `report_changes` at the end of a scope. Declare it before the locks of the scope, so
  /// that it reports without them.
  class later_report {
   public:
    explicit later_report(resilient_store& reported) : store_(reported) {}
    later_report(const later_report&) = delete;
    later_report& operator=(const later_report&) = delete;
    ~later_report() {
      try {
        store_.report_changes();
      } catch (...) {
        store_.parts_.counters.add(cache_event::failures);  // there is no memory
      }
    }

   private:
    resilient_store& store_;
  };

  void call(const request& make) {
    const later_report report{*this};
    static_cast<void>(call_before(report, make));
  }

  /// Calls the store. This can change what must be reported, so a caller needs a `later_report`.
  [[nodiscard]] call_end call_before(const later_report& /*report*/, const request& make) {
    {
      const std::scoped_lock lock{mutex_};
      if (!breaker_.admits(parts_.now())) {
        return call_end::failed;
      }
    }
    call_end end = call_end::done;
    std::string why;
    try {
      if (!watches_) {  // without the lock, which `unwatch` holds while it waits for `event_`
        const std::scoped_lock lock{watching_};
        if (event_ && !watches_) {
          store_.watch(event_);
          watches_ = true;
        }
      }
      make(store_);
    } catch (const store_refusal& refused) {
      end = call_end::part_failed;
      note_refusal(refused.what());
    } catch (const store_part_error&) {
      end = call_end::part_failed;
    } catch (...) {
      end = call_end::failed;
      why = base::thrown_text("the shared store");
    }
    if (end != call_end::done) {
      parts_.counters.add(cache_event::far_failures);
    }
    note_watch();
    const std::scoped_lock lock{mutex_};
    if (end != call_end::failed) {
      breaker_.on_success();  // also if a part failed, since the other parts answer
      is_down_ = false;
      return end;
    }
    breaker_.on_failure(parts_.now());
    if (breaker_.state() != breaker_state::closed && !std::exchange(is_down_, true)) {
      failure_ = std::move(why);
    }
    return end;
  }

  void note_refusal(std::string_view why) {
    const std::scoped_lock lock{mutex_};
    refused_at_ = parts_.now();
    if (refusal_.empty()) {
      refusal_ = why;
    }
  }

  /// Ends the refusals if the last one was long ago.
  void note_stored() {
    constexpr std::chrono::minutes calm{1};
    const std::scoped_lock lock{mutex_};
    if (!refusal_.empty() && base::saturating_add(refused_at_, calm) <= parts_.now()) {
      refusal_.clear();
    }
  }

  /// Counts the refusals of the watch, which happen in a thread of the store.
  void note_watch() {
    watch_state now = store_.watching();
    const std::scoped_lock lock{mutex_};
    for (; counted_refusals_ < now.refusals; ++counted_refusals_) {
      parts_.counters.add(cache_event::far_failures);
    }
    watch_failure_ = std::move(now.failure);
  }

  /// Sends an event if the store has gone out of use or is in use again. The caller must not hold a
  /// lock, since observers can call the cache.
  void report_changes() {
    std::unique_lock lock{mutex_};
    const bool is_down = is_down_ || !refusal_.empty() || !watch_failure_.empty();
    if (std::exchange(is_reported_down_, is_down) != is_down) {
      std::string why = std::exchange(failure_, {});
      if (why.empty()) {
        why = refusal_.empty() ? watch_failure_ : refusal_;
      }
      lock.unlock();
      parts_.tell(far_store_event{parts_.about({}), !is_down, is_down ? why : std::string{}});
    }
  }

  /// Returns the number of the pending erasure of a key, or 0.
  [[nodiscard]] std::uint64_t missed_erasure(std::string_view key) {
    const std::scoped_lock lock{mutex_};
    const owed_call* const owed = owed_.find(key);
    return owed == nullptr ? 0 : owed->number;
  }

  [[nodiscard]] bool must_be_erased(std::string_view key) { return missed_erasure(key) > 0; }

  [[nodiscard]] bool is_outdated(std::string_view key) {
    const std::scoped_lock lock{mutex_};
    return hidden_.contains(key) || owed_.contains(key);
  }

  [[nodiscard]] call_end make_missed_call(const std::string& key, time_point due) {
    const later_report report{*this};
    const std::scoped_lock one_thread{erasing_};
    owed_call owed;
    {
      const std::scoped_lock lock{mutex_};
      const owed_call* const noted = owed_.find(key);
      if (noted == nullptr || noted->next_try > due) {
        return call_end::done;
      }
      owed = *noted;
    }
    const call_end end = call_before(report, [&](SharedStore& store) { store.erase(key); });
    settle(key, owed.number, end);
    return end;
  }

  /// If `end` is `done`, removes the pending call for `key`. A call with another number than
  /// `number` is newer and stays. If `end` is `part_failed`, the next try comes after a second.
  void settle(std::string_view key, std::uint64_t number, call_end end) {
    const std::scoped_lock lock{mutex_};
    owed_call* const owed = owed_.find(key);
    if (owed == nullptr) {
      return;
    }
    if (end == call_end::part_failed) {
      owed->next_try = base::saturating_add(parts_.now(), std::chrono::seconds{1});
    } else if (end == call_end::done && owed->number == number) {
      owed_.erase(key);
    }
  }

  void note_lost(std::string_view key) { parts_.tell(lost_invalidation_event{parts_.about(key)}); }

  SharedStore& store_;
  cache_parts& parts_;

  std::mutex watching_;  // guards `event_` and the changes of `watches_`
  std::function<void(std::string_view)> event_{};
  std::atomic<bool> watches_ = false;

  // Locked during `make_missed_call`, and during `publish` for a key whose erasure is pending.
  std::mutex erasing_;

  std::mutex mutex_;  // guards the members below
  std::function<void()> on_owed_{};
  detail::circuit_breaker breaker_;
  bool is_down_ = false;  // true until a call succeeds, even if `breaker_` permits a try
  bool is_reported_down_ = false;
  std::string failure_;                 // the message of the failure that took the store out of use
  std::string refusal_;                 // the first message of the refusals that have not ended
  time_point refused_at_{};             // the time of the last refusal
  std::string watch_failure_;           // the reason why the store does not report changes
  std::uint64_t counted_refusals_ = 0;  // refusals of the watch
  base::text_table<owed_call> owed_;
  std::uint64_t orders_ = 0;  // how often `owe` has noted a call
  // By key, how many newer values wait for their publication.
  base::text_table<std::size_t> hidden_;
  std::vector<store_lease> to_release_;
};

}  // namespace robots::cache_detail

#pragma once

#include <robots/base/saturating_add.hpp>
#include <robots/base/text_hash.hpp>
#include <robots/base/thrown_text.hpp>
#include <robots/cache/detail/cache_parts.hpp>
#include <robots/fetch/circuit_breaker.hpp>
#include <robots/http/site_key.hpp>
#include <robots/observe/events.hpp>
#include <robots/store/shared_store.hpp>
#include <robots/store/tiered_storage.hpp>
#include <robots/time/clock.hpp>

#include <boost/unordered/unordered_flat_map.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace robots::cache_detail {

/// The result of publishing a value.
enum class publish_answer : std::uint8_t {
  stored,
  lost,    // nothing was stored: the lease was erased, was taken, or has expired
  failed,  // unknown
};

/// Wraps a shared store and handles its failures. It counts them. After several failures in a row,
/// it does not use the store for a while. The observer gets an event when that begins and ends. If
/// only a part of the store fails, it still uses the other parts. Any thread may call it. Members
/// may block unless they say otherwise.
class resilient_store {
 public:
  /// The arguments, and the objects that they refer to, must outlive this object.
  resilient_store(const shared_part& shared, cache_parts& parts)
      : store_(shared.store),
        options_(*shared.options),
        parts_(parts),
        breaker_(options_.breaker) {}

  resilient_store(const resilient_store&) = delete;
  resilient_store& operator=(const resilient_store&) = delete;

  /// Releases leases, and tries the missed calls a last time. If the call for a key fails, the
  /// observer gets an event.
  ~resilient_store() {
    breaker_ = detail::circuit_breaker{options().breaker};  // no later call will close the breaker
    for (auto& [key, owed] : owed_) {
      owed.next_try = (time_point::min)();
    }
    deliver();
    for (const auto& [key, owed] : owed_) {
      note_lost(key);
    }
  }

  [[nodiscard]] const tiered_options& options() const noexcept { return options_; }

  /// Asks for some sites. The replies are in the order of the questions.
  [[nodiscard]] std::vector<store_reply> ask(std::span<const store_question> questions) {
    give_back();
    const auto owed = owed_among(questions);
    std::vector<store_reply> replies = load_or_lease(questions);
    for (std::size_t i = 0; i < replies.size(); ++i) {
      const bool had_value = replies[i].value || replies[i].other_value;
      drop_owed(questions[i], replies[i], owed);
      const bool is_missing = !replies[i].value && !replies[i].other_value;
      if (questions[i].wish == lease_wish::if_missing && had_value && is_missing) {
        // The store found the value present, so it granted no lease.
        store_question again = questions[i];
        again.wish = lease_wish::if_free;
        replies[i] = std::move(load_or_lease({&again, 1}).front());
        drop_owed(again, replies[i], owed);
      }
    }
    return replies;
  }

  /// Stores a value while `lease` is held.
  [[nodiscard]] publish_answer publish(std::string_view key, std::string_view value,
                                       std::chrono::milliseconds lifetime,
                                       const store_lease& lease) {
    bool is_stored = false;
    bool is_answered = false;
    {
      std::unique_lock lock{erasing_, std::defer_lock};
      if (is_owed(key)) {
        lock.lock();  // a late erasure must not delete the new value
      }
      const std::uint64_t missed = missed_erasures(key);
      is_answered = call([&](SharedStore& store) {
                      is_stored = store.publish(key, value, lifetime, lease);
                    }) == call_end::done;
      if (is_stored) {
        settle(key, missed);
      }
    }
    report_changes();
    if (!is_answered) {
      return publish_answer::failed;
    }
    return is_stored ? publish_answer::stored : publish_answer::lost;
  }

  /// Erases a key for all processes. If the store fails, this process ignores the stored value of
  /// the key, and repeats the erasure with later calls. At most 65,536 keys can wait for that. For
  /// a further key, the erasure is lost, and the observer gets an event.
  void erase(std::string_view key) {
    const std::uint64_t missed = missed_erasures(key);
    if (ask([key](SharedStore& store) { store.erase(key); })) {
      settle(key, missed);
    } else if (!owe(key)) {
      note_lost(key);
    }
  }

  /// Keeps a value for the store. `deliver` or a later call stores and announces it, if there is
  /// room to keep it. A later value of the same key replaces it. Does not block.
  void publish_later(std::string_view key, std::string value) {
    if (!owe(key, std::move(value))) {
      note_lost(key);
    }
  }

  /// Notes that a key must be erased. `deliver` or a later call erases it. Until then, this process
  /// ignores the stored value of the key. Does not block.
  void erase_later(std::string_view key) {
    if (!owe(key)) {
      note_lost(key);
    }
  }

  /// Returns the number of keys that must still be erased.
  [[nodiscard]] std::size_t owed() {
    const std::scoped_lock lock{mutex_};
    return static_cast<std::size_t>(std::count_if(
        owed_.begin(), owed_.end(), [](const auto& one) { return !one.second.value; }));
  }

  void announce(std::string_view key) {
    static_cast<void>(ask([key](SharedStore& store) { store.announce(key); }));
  }

  /// Releases a lease with the next call of the store. Does not block.
  void release_later(store_lease lease) noexcept {
    try {
      const std::scoped_lock lock{mutex_};
      to_release_.push_back(std::move(lease));
    } catch (...) {
      return;  // no memory: the lease expires by itself
    }
  }

  /// Releases the leases of `release_later`, and makes some of the calls that the store has missed.
  void give_back() {
    std::vector<store_lease> leases;
    {
      const std::scoped_lock lock{mutex_};
      leases.swap(to_release_);
    }
    for (const store_lease& one : leases) {
      static_cast<void>(ask([&one](SharedStore& store) { store.release(one); }));
    }
    static_cast<void>(catch_up(parts_.now()));
  }

  /// Releases leases, and makes all calls that the store has missed, until the store fails.
  void deliver() {
    give_back();
    const time_point due = parts_.now();
    while (catch_up(due)) {
    }
  }

  /// Calls `event` with each key that another process changes, and with "" if changes may have been
  /// missed. If the store fails, the watch begins with the first call that succeeds.
  void watch(std::function<void(std::string_view)> event) {
    {
      const std::scoped_lock lock{watching_};
      event_ = std::move(event);
    }
    static_cast<void>(ask([](SharedStore& /*store*/) {}));
  }

  /// Ends the watch. After its return, no call of `event` is running or begins.
  void unwatch() noexcept {
    try {
      const std::scoped_lock lock{watching_};
      event_ = {};
      store_->watch({});
    } catch (...) {
      parts_.counters.add(cache_event::far_failures);
    }
  }

 private:
  static constexpr std::size_t most_owed = 65'536;

  /// The result of a call of the store.
  enum class call_end : std::uint8_t {
    done,
    part_failed,  // calls for other keys may succeed
    failed,       // or there was no call, since the store is not used now
  };

  /// The missed erasures of a key, or the value that the store must still get.
  struct owed_call {
    std::uint64_t times = 0;
    time_point next_try = (time_point::min)();
    std::optional<std::string> value{};
  };

  /// A change of the store's state that the observer has not received yet.
  struct store_change {
    bool is_up = false;
    std::string why{};
  };

  /// Makes one call of the store. Returns true if it succeeded.
  [[nodiscard]] bool ask(const std::function<void(SharedStore&)>& request) {
    const call_end end = call(request);
    report_changes();
    return end == call_end::done;
  }

  /// Like `ask`, but the caller must report changes of the store's state.
  [[nodiscard]] call_end call(const std::function<void(SharedStore&)>& request) {
    {
      const std::scoped_lock lock{mutex_};
      if (!breaker_.admits(parts_.now())) {
        return call_end::failed;
      }
    }
    try {
      watch_once();
      request(*store_);
      note_success();
      return call_end::done;
    } catch (const store_part_error&) {
      parts_.counters.add(cache_event::far_failures);
      note_success();  // the other parts answer
      return call_end::part_failed;
    } catch (...) {
      note_failure(base::thrown_text("the shared store"));
      return call_end::failed;
    }
  }

  [[nodiscard]] std::vector<store_reply> load_or_lease(std::span<const store_question> questions) {
    std::vector<store_reply> replies;
    static_cast<void>(
        ask([&](SharedStore& store) { replies = store.load_or_lease(questions, options_.lease); }));
    replies.resize(questions.size());
    return replies;
  }

  /// Returns the keys in `questions` that must still be erased.
  [[nodiscard]] std::vector<std::string> owed_among(std::span<const store_question> questions) {
    std::vector<std::string> owed;
    const std::scoped_lock lock{mutex_};
    for (const store_question& question : questions) {
      for (const std::string* key : {&question.key, &question.other_key}) {
        if (const auto found = owed_.find(*key); found != owed_.end() && !found->second.value) {
          owed.push_back(*key);
        }
      }
    }
    return owed;
  }

  /// Removes the values from a reply that must still be erased, or had to be erased when the store
  /// was asked.
  void drop_owed(const store_question& question, store_reply& reply,
                 const std::vector<std::string>& owed_before) {
    for (const auto& [key, value] : {std::pair{&question.key, &reply.value},
                                     std::pair{&question.other_key, &reply.other_value}}) {
      if (!*value) {
        continue;
      }
      const bool is_still_owed = is_owed(*key);
      if (is_still_owed) {
        static_cast<void>(make_missed_call(*key, (time_point::max)()));
        report_changes();
      }
      if (is_still_owed ||
          std::find(owed_before.begin(), owed_before.end(), *key) != owed_before.end()) {
        value->reset();
      }
    }
  }

  void watch_once() {
    if (!watches_) {
      const std::scoped_lock lock{watching_};
      if (event_ && !watches_) {
        store_->watch(event_);
        watches_ = true;
      }
    }
  }

  void note_success() {
    const std::scoped_lock lock{mutex_};
    breaker_.on_success();
    if (std::exchange(down_, false)) {
      changes_.push_back({.is_up = true});
    }
  }

  void note_failure(std::string_view why) {
    parts_.counters.add(cache_event::far_failures);
    const std::scoped_lock lock{mutex_};
    breaker_.on_failure(parts_.now());
    if (breaker_.state() != breaker_state::closed && !std::exchange(down_, true)) {
      changes_.push_back({.is_up = false, .why = std::string{why}});
    }
  }

  /// Reports changes of the store's state. The caller must not hold a lock, since observers may
  /// call the cache.
  void report_changes() {
    std::vector<store_change> changes;
    {
      const std::scoped_lock lock{mutex_};
      changes.swap(changes_);
    }
    for (const store_change& change : changes) {
      parts_.tell(far_store_event{parts_.about({}), change.is_up, change.why});
    }
  }

  [[nodiscard]] bool is_owed(std::string_view key) { return missed_erasures(key) > 0; }

  /// Returns the number of missed erasures of `key`.
  [[nodiscard]] std::uint64_t missed_erasures(std::string_view key) {
    const std::scoped_lock lock{mutex_};
    const auto owed = owed_.find(key);
    return owed == owed_.end() || owed->second.value ? 0 : owed->second.times;
  }

  /// Notes a missed erasure or value. Returns false if there is no room.
  [[nodiscard]] bool owe(std::string_view key, std::optional<std::string> value = {}) {
    const std::scoped_lock lock{mutex_};
    if (owed_.size() >= most_owed && !owed_.contains(key)) {
      return false;
    }
    owed_call& noted = owed_[std::string{key}];
    ++noted.times;
    noted.value = std::move(value);
    return true;
  }

  /// Makes some of the missed calls that are due by `due`: erasures and values. Returns true if
  /// there may be more. If the part of the store with a key is down, that key is tried again a
  /// second later, so that it does not delay other keys.
  [[nodiscard]] bool catch_up(time_point due) {
    constexpr std::size_t at_once = 64;  // so that a caller need not wait for all
    std::vector<std::string> missed;
    // Host keys without a scheme come first: erasing them erases the leases, so that no other
    // process can publish an older file.
    for (const bool is_bare : {true, false}) {
      const std::scoped_lock lock{mutex_};
      for (auto owed = owed_.begin(); owed != owed_.end() && missed.size() < at_once; ++owed) {
        if (owed->second.next_try <= due &&
            is_bare == (detail::without_scheme(owed->first).size() == owed->first.size())) {
          missed.push_back(owed->first);
        }
      }
    }
    for (const std::string& key : missed) {
      const call_end end = make_missed_call(key, due);
      report_changes();
      if (end == call_end::failed) {
        return false;
      }
    }
    return !missed.empty();
  }

  /// Makes the missed call for `key` if it is due by `due`, unless another thread has made it. If a
  /// part of the store fails, the call is due again a second later.
  [[nodiscard]] call_end make_missed_call(const std::string& key, time_point due) {
    const std::scoped_lock one_thread{erasing_};
    owed_call owed;
    {
      const std::scoped_lock lock{mutex_};
      const auto found = owed_.find(key);
      if (found == owed_.end() || found->second.next_try > due) {
        return call_end::done;
      }
      owed = found->second;
    }
    const call_end end = call([&](SharedStore& store) {
      if (owed.value) {
        store.publish(key, *owed.value, (std::chrono::milliseconds::max)());
        store.announce(*owed.value);
      } else {
        store.erase(key);
      }
    });
    if (end == call_end::done) {
      settle(key, owed.times);
    } else if (end == call_end::part_failed) {
      put_off(key, parts_.now());
    }
    return end;
  }

  /// Makes a missed call due a second after `now`.
  void put_off(std::string_view key, time_point now) {
    const std::scoped_lock lock{mutex_};
    if (const auto owed = owed_.find(key); owed != owed_.end()) {
      owed->second.next_try = base::saturating_add(now, std::chrono::seconds{1});
    }
  }

  void note_lost(std::string_view key) { parts_.tell(lost_invalidation_event{parts_.about(key)}); }

  /// Notes that a call of the store made good `times` missed erasures of `key`. Erasures missed
  /// since then remain.
  void settle(std::string_view key, std::uint64_t times) {
    const std::scoped_lock lock{mutex_};
    const auto owed = owed_.find(key);
    if (owed != owed_.end() && owed->second.times == times) {
      owed_.erase(owed);
    }
  }

  SharedStore* const store_;
  const tiered_options& options_;
  cache_parts& parts_;

  std::mutex watching_;
  std::function<void(std::string_view)> event_{};  // guarded by `watching_`
  std::atomic<bool> watches_ = false;

  /// Held while a missed call is made, and while a key with a missed call is published. Otherwise
  /// the late erasure could delete the new value.
  std::mutex erasing_;

  std::mutex mutex_;  // guards the members below
  detail::circuit_breaker breaker_;
  bool down_ = false;
  std::vector<store_change> changes_;
  boost::unordered_flat_map<std::string, owed_call, base::text_hash, std::equal_to<>> owed_;
  std::vector<store_lease> to_release_;
};

/// Releases its lease with the next call of the store.
struct lease_return {
  store_lease lease;

  void operator()(resilient_store* from) noexcept { from->release_later(std::move(lease)); }
};

/// A lease that is released when this object is destroyed.
using held_lease = std::unique_ptr<resilient_store, lease_return>;

}  // namespace robots::cache_detail

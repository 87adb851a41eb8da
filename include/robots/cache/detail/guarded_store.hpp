#pragma once

#include <robots/base/text_hash.hpp>
#include <robots/base/thrown_text.hpp>
#include <robots/cache/detail/any_store.hpp>
#include <robots/cache/detail/cache_parts.hpp>
#include <robots/fetch/circuit_breaker.hpp>
#include <robots/observe/events.hpp>
#include <robots/store/shared_store.hpp>
#include <robots/store/tiered_storage.hpp>
#include <robots/time/clock.hpp>

#include <boost/unordered/unordered_flat_set.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
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

/// What came of asking for a lease.
struct lease_answer {
  std::optional<store_lease> lease{};  // none while another process has one, and after a failure
  bool failed = false;                 // the store could not be asked
};

/// A shared store whose failures go no further: they are counted, a store that fails again and
/// again is left alone for a while, and the observer is told when that begins and ends. Any thread.
/// All members may block but those that say that they do not.
class guarded_store {
 public:
  /// `parts` outlive it.
  guarded_store(std::unique_ptr<any_store> store, cache_parts& parts)
      : store_(std::move(store)), parts_(parts), breaker_(options().breaker) {}

  guarded_store(const guarded_store&) = delete;
  guarded_store& operator=(const guarded_store&) = delete;

  /// Gives back leases, and tells the store of invalidations, one last time. Those that fail are
  /// lost, which the observer hears of.
  ~guarded_store() {
    breaker_ = circuit_breaker{options().breaker};  // there is no later call to wait for
    give_back();
    while (retry_erasures()) {
    }
    for (const std::string& key : owed_) {
      note_lost(key);
    }
  }

  [[nodiscard]] const tiered_options& options() const noexcept { return store_->options; }

  /// The values of some keys; none when the store could not be asked.
  [[nodiscard]] stored_values load_all(std::span<const std::string> keys) {
    give_back();
    stored_values values;
    if (!ask([&](any_store& store) { values = store.load_all(keys); }) ||
        values.size() != keys.size()) {
      return {};
    }
    for (std::size_t i = 0; i < keys.size(); ++i) {
      if (values[i] && is_owed(keys[i])) {
        erase(keys[i]);
        values[i].reset();
      }
    }
    return values;
  }

  /// Stores a value, with a lease only while that is held. Returns false if the lease was lost: the
  /// key was erased meanwhile, and its value is not wanted any more.
  [[nodiscard]] bool publish(std::string_view key, std::string_view value,
                             std::chrono::milliseconds lifetime, const store_lease* lease) {
    bool is_wanted = true;
    const bool is_asked = ask([&](any_store& store) {
      if (lease == nullptr) {
        store.publish(key, value, lifetime);
      } else {
        is_wanted = store.publish(key, value, lifetime, *lease);
      }
    });
    if (is_asked && is_wanted) {
      settle(key);
    }
    return is_wanted;
  }

  /// Has every process forget a key. If the store cannot be told, this process does not believe it,
  /// and tells it again with each of its later calls. At most 65,536 keys wait for that; a further
  /// one is lost, which the observer hears of.
  void erase(std::string_view key) {
    if (ask([key](any_store& store) { store.erase(key); })) {
      settle(key);
      return;
    }
    {
      const std::scoped_lock lock{mutex_};
      if (owed_.size() < most_owed || owed_.contains(key)) {
        owed_.emplace(key);
        return;
      }
    }
    note_lost(key);
  }

  void announce(std::string_view key) {
    static_cast<void>(ask([key](any_store& store) { store.announce(key); }));
  }

  [[nodiscard]] lease_answer try_lease(std::string_view key) {
    give_back();
    lease_answer answer;
    answer.failed =
        !ask([&](any_store& store) { answer.lease = store.try_lease(key, options().lease); });
    return answer;
  }

  /// Has a lease given back by whoever asks the store next. Does not block.
  void release_later(store_lease lease) noexcept {
    try {
      const std::scoped_lock lock{mutex_};
      to_release_.push_back(std::move(lease));
    } catch (...) {
      return;  // no memory: it ends by itself
    }
  }

  /// Gives back what `release_later` was told of, and tells the store of invalidations that it has
  /// missed.
  void give_back() {
    std::vector<store_lease> leases;
    {
      const std::scoped_lock lock{mutex_};
      leases.swap(to_release_);
    }
    for (const store_lease& each : leases) {
      static_cast<void>(ask([&each](any_store& store) { store.release(each); }));
    }
    static_cast<void>(retry_erasures());
  }

  /// Has `told` called with each key that another process has changed, and with "" when some may
  /// have been missed. Where that fails, it is tried again with the first call that does not.
  void watch(std::function<void(std::string_view)> told) {
    {
      const std::scoped_lock lock{watching_};
      told_ = std::move(told);
    }
    static_cast<void>(ask([](any_store& /*store*/) {}));
  }

  /// No call of `told` is under way once this has returned, and none begins.
  void unwatch() noexcept {
    try {
      const std::scoped_lock lock{watching_};
      told_ = {};
      store_->watch({});
    } catch (...) {
      parts_.counters.add(cache_event::far_failures);
    }
  }

 private:
  static constexpr std::size_t most_owed = 65'536;

  /// Does `what` unless the store is left alone; whether it did.
  [[nodiscard]] bool ask(const std::function<void(any_store&)>& what) {
    {
      const std::scoped_lock lock{mutex_};
      if (!breaker_.admits(parts_.now())) {
        return false;
      }
    }
    try {
      watch_once();
      what(*store_);
      note_success();
      return true;
    } catch (...) {
      note_failure(base::thrown_text("the shared store"));
      return false;
    }
  }

  void watch_once() {
    if (!watches_) {
      const std::scoped_lock lock{watching_};
      if (told_ && !watches_) {
        store_->watch(told_);
        watches_ = true;
      }
    }
  }

  void note_success() {
    bool was_down = false;
    {
      const std::scoped_lock lock{mutex_};
      was_down = std::exchange(down_, false);
      breaker_.on_success();
    }
    if (was_down) {
      parts_.tell(far_store_event{parts_.about({}), true, {}});
    }
  }

  void note_failure(std::string_view why) {
    parts_.counters.add(cache_event::far_failures);
    bool falls = false;
    {
      const std::scoped_lock lock{mutex_};
      breaker_.on_failure(parts_.now());
      falls = breaker_.state() != breaker_state::closed && !std::exchange(down_, true);
    }
    if (falls) {
      parts_.tell(far_store_event{parts_.about({}), false, why});
    }
  }

  [[nodiscard]] bool is_owed(std::string_view key) {
    const std::scoped_lock lock{mutex_};
    return owed_.contains(key);
  }

  /// Tells the store of some invalidations that it has missed. Returns whether it took them and
  /// more are left.
  [[nodiscard]] bool retry_erasures() {
    constexpr std::size_t at_once = 64;  // so that no caller waits for all
    std::vector<std::string> missed;
    {
      const std::scoped_lock lock{mutex_};
      for (auto key = owed_.begin(); key != owed_.end() && missed.size() < at_once; ++key) {
        missed.push_back(*key);
      }
    }
    for (const std::string& key : missed) {
      if (!ask([&key](any_store& store) { store.erase(key); })) {
        return false;
      }
      settle(key);
    }
    const std::scoped_lock lock{mutex_};
    return !missed.empty() && !owed_.empty();
  }

  void note_lost(std::string_view key) { parts_.tell(lost_invalidation_event{parts_.about(key)}); }

  void settle(std::string_view key) {
    const std::scoped_lock lock{mutex_};
    owed_.erase(key);
  }

  std::unique_ptr<any_store> store_;
  cache_parts& parts_;

  std::mutex watching_;
  std::function<void(std::string_view)> told_{};  // guarded by `watching_`
  std::atomic<bool> watches_ = false;

  std::mutex mutex_;  // guards what follows
  circuit_breaker breaker_;
  bool down_ = false;
  boost::unordered_flat_set<std::string, base::text_hash, std::equal_to<>> owed_;  // to be erased
  std::vector<store_lease> to_release_;
};

/// Has a store given its lease back, by whoever asks that store next.
struct lease_return {
  store_lease lease;

  void operator()(guarded_store* from) noexcept { from->release_later(std::move(lease)); }
};

/// A lease that its store is given back at its end.
using held_lease = std::unique_ptr<guarded_store, lease_return>;

}  // namespace robots::cache_detail

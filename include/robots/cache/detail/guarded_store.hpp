#pragma once

#include <robots/base/text_hash.hpp>
#include <robots/base/thrown_text.hpp>
#include <robots/cache/detail/any_store.hpp>
#include <robots/cache/detail/cache_parts.hpp>
#include <robots/fetch/circuit_breaker.hpp>
#include <robots/http/site_key.hpp>
#include <robots/observe/events.hpp>
#include <robots/store/shared_store.hpp>
#include <robots/store/tiered_storage.hpp>
#include <robots/time/clock.hpp>

#include <boost/unordered/unordered_flat_map.hpp>

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

/// Whether a question to the store asks for the lease of the site, too.
enum class lease_wish : std::uint8_t {
  none,
  if_missing,  ///< if the store has nothing of the site and no other process has the lease
  if_free,     ///< if no other process has the lease
  take,        ///< also if another process has it
};

/// What to ask the store about a site.
struct store_question {
  std::string key;        ///< `site::key`
  std::string other_key;  ///< the other name that may share its rules
  std::string lease_key;
  lease_wish wish = lease_wish::none;
};

/// What the store has of a site.
struct store_reply {
  std::optional<std::string> value{};
  std::optional<std::string> other_value{};
  std::optional<store_lease> lease{};
  time_point asked_at{};
  bool is_answered = false;  ///< false if the store could not be asked
};

/// What came of publishing a value.
enum class publish_answer : std::uint8_t {
  stored,
  lost,    // nothing is stored: the lease was erased or taken over, or has expired
  failed,  // nobody knows
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
    deliver();
    for (const auto& [key, times] : owed_) {
      note_lost(key);
    }
  }

  [[nodiscard]] const tiered_options& options() const noexcept { return store_->options; }

  /// Asks for some sites. The replies are in the order of the questions.
  [[nodiscard]] std::vector<store_reply> ask(std::span<const store_question> questions) {
    give_back();
    std::vector<store_reply> replies(questions.size());
    std::vector<std::string> keys;
    for (const store_question& each : questions) {
      keys.push_back(each.key);
      keys.push_back(each.other_key);
    }
    stored_values values;
    if (!ask([&](any_store& store) { values = store.load_all(keys); }) ||
        values.size() != keys.size()) {
      return replies;
    }
    for (std::size_t i = 0; i < keys.size(); ++i) {
      if (values[i] && is_owed(keys[i])) {
        erase(keys[i]);
        values[i].reset();
      }
    }
    for (std::size_t i = 0; i < replies.size(); ++i) {
      const lease_wish wish = questions[i].wish;
      store_reply& reply = replies[i];
      reply = {std::move(values[2 * i]), std::move(values[2 * i + 1]), {}, parts_.now(), true};
      const bool is_missing = !reply.value && !reply.other_value;
      if (wish == lease_wish::none || (wish == lease_wish::if_missing && !is_missing)) {
        continue;
      }
      const std::string& key = questions[i].lease_key;
      reply.is_answered = ask([&](any_store& store) {
        reply.lease = wish == lease_wish::take ? store.take_lease(key, options().lease)
                                               : store.try_lease(key, options().lease);
        if (reply.lease) {
          // Whoever had it before may have published since the store was asked.
          stored_values newer = store.load_all(std::span{keys}.subspan(2 * i, 2));
          reply.value = std::move(newer[0]);
          reply.other_value = std::move(newer[1]);
        }
      });
    }
    return replies;
  }

  /// Stores a value while `lease` is held.
  [[nodiscard]] publish_answer publish(std::string_view key, std::string_view value,
                                       std::chrono::milliseconds lifetime,
                                       const store_lease& lease) {
    bool is_stored = false;
    const std::uint64_t missed = missed_erasures(key);
    if (!ask([&](any_store& store) { is_stored = store.publish(key, value, lifetime, lease); })) {
      return publish_answer::failed;
    }
    if (is_stored) {
      settle(key, missed);
    }
    return is_stored ? publish_answer::stored : publish_answer::lost;
  }

  /// Has every process forget a key. If the store cannot be told, this process does not believe it,
  /// and tells it again with each of its later calls. At most 65,536 keys wait for that; a further
  /// one is lost, which the observer hears of.
  void erase(std::string_view key) {
    const std::uint64_t missed = missed_erasures(key);
    if (ask([key](any_store& store) { store.erase(key); })) {
      settle(key, missed);
    } else if (!owe(key)) {
      note_lost(key);
    }
  }

  /// Notes that a key is to be erased. `deliver` or a later call erases it. Until then this process
  /// does not believe what the store has of the key. Does not block.
  void erase_later(std::string_view key) {
    if (!owe(key)) {
      note_lost(key);
    }
  }

  /// Returns how many keys are yet to be erased.
  [[nodiscard]] std::size_t owed() {
    const std::scoped_lock lock{mutex_};
    return owed_.size();
  }

  void announce(std::string_view key) {
    static_cast<void>(ask([key](any_store& store) { store.announce(key); }));
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

  /// Gives back leases, and erases the keys that are noted, until the store fails.
  void deliver() {
    give_back();
    while (retry_erasures()) {
    }
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

  [[nodiscard]] bool is_owed(std::string_view key) { return missed_erasures(key) > 0; }

  /// Returns how many erasures of `key` the store has missed.
  [[nodiscard]] std::uint64_t missed_erasures(std::string_view key) {
    const std::scoped_lock lock{mutex_};
    const auto owed = owed_.find(key);
    return owed == owed_.end() ? 0 : owed->second;
  }

  /// Notes an erasure that the store has missed. Returns false if there is no room for it.
  [[nodiscard]] bool owe(std::string_view key) {
    const std::scoped_lock lock{mutex_};
    if (owed_.size() >= most_owed && !owed_.contains(key)) {
      return false;
    }
    ++owed_[std::string{key}];
    return true;
  }

  /// Tells the store of some invalidations that it has missed. Returns whether it took them and
  /// more are left.
  [[nodiscard]] bool retry_erasures() {
    constexpr std::size_t at_once = 64;  // so that no caller waits for all
    std::vector<std::pair<std::string, std::uint64_t>> missed;
    // The bare hosts first: with them go the leases, without which no other process can publish
    // what it fetched before.
    for (const bool is_bare : {true, false}) {
      const std::scoped_lock lock{mutex_};
      for (auto owed = owed_.begin(); owed != owed_.end() && missed.size() < at_once; ++owed) {
        if (is_bare == (without_scheme(owed->first).size() == owed->first.size())) {
          missed.emplace_back(*owed);
        }
      }
    }
    for (const auto& [key, times] : missed) {
      if (!ask([&](any_store& store) { store.erase(key); })) {
        return false;
      }
      settle(key, times);
    }
    const std::scoped_lock lock{mutex_};
    return !missed.empty() && !owed_.empty();
  }

  void note_lost(std::string_view key) { parts_.tell(lost_invalidation_event{parts_.about(key)}); }

  /// A call of the store made good `times` missed erasures of `key`. Those that failed since then
  /// stay.
  void settle(std::string_view key, std::uint64_t times) {
    const std::scoped_lock lock{mutex_};
    const auto owed = owed_.find(key);
    if (owed != owed_.end() && owed->second == times) {
      owed_.erase(owed);
    }
  }

  std::unique_ptr<any_store> store_;
  cache_parts& parts_;

  std::mutex watching_;
  std::function<void(std::string_view)> told_{};  // guarded by `watching_`
  std::atomic<bool> watches_ = false;

  std::mutex mutex_;  // guards what follows
  circuit_breaker breaker_;
  bool down_ = false;
  // The keys to be erased, and how many erasures of each the store has missed.
  boost::unordered_flat_map<std::string, std::uint64_t, base::text_hash, std::equal_to<>> owed_;
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

#pragma once

#include <robots/base/clock_condition.hpp>
#include <robots/base/counters.hpp>
#include <robots/base/stop_token.hpp>
#include <robots/cache/detail/far_side.hpp>
#include <robots/fetch/blocking_web.hpp>
#include <robots/fetch/call_options.hpp>
#include <robots/fetch/fetcher.hpp>
#include <robots/fetch/one_exchange.hpp>
#include <robots/http/message.hpp>
#include <robots/http/site_key.hpp>
#include <robots/observe/any_event.hpp>
#include <robots/observe/event_teller.hpp>
#include <robots/observe/observer.hpp>
#include <robots/policy/decision.hpp>
#include <robots/policy/policy.hpp>
#include <robots/rulings/no_rulings.hpp>
#include <robots/rulings/rulings_view.hpp>
#include <robots/store/storage.hpp>
#include <robots/time/clock.hpp>
#include <robots/time/wall_time.hpp>

#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <utility>

// Where this file stands: between the types of the user and the code of the cache, which is
// compiled once.
//
//     any_robots_cache --> cache_parts (virtual) --> own_parts<Fetcher, Clock, Storage, ...>
//        a hit: find_fresh, decide_fresh: one call, under the lock of the storage
//        else:  find, store, run, wait
//
// `any_robots_cache` owns the parts, and destroys them last.

namespace robots::cache_detail {

class blocking_driver;
class cache_threads;
class look_up_environment;
class site_look_up;

/// A `Storage` that brings the far side of a cache, since it also has a store that several
/// processes share. Models: `TieredStorage<Near, Far>`.
template <class S>
concept SharingStorage = Storage<S> && requires(S& storage, look_up_environment& cache) {
  { storage.far_side_of(cache) } -> std::same_as<std::unique_ptr<far_side>>;
};

/// The policy that a look-up found.
struct found_policy {
  std::shared_ptr<const robots::policy> policy{};
  bool from_cache = false;
  bool stale = false;  // the policy has expired
  time_point now{};    // the time of the look-up, if `from_cache` is true
};

/// Replaces `all.policy` with the policy for crawler number `agent` if there is one. Returns `all`.
[[nodiscard]] inline found_policy selected(found_policy all, std::size_t agent) {
  if (auto other = agent == 0 ? nullptr : policy::other(all.policy, agent - 1)) {
    all.policy = std::move(other);
  }
  return all;
}

enum class cache_event : unsigned char {
  hits,
  stale_hits,
  misses,
  joined,
  retrievals,
  not_modified,
  failures,
  allowed,
  denied,
  excluded,
  far_hits,
  far_misses,
  far_rejected,
  far_failures,
  storage_failures,
  observer_failures,
};

/// The answer of `cache_parts::decide_fresh`.
enum class fresh_answer : unsigned char {
  allowed,
  denied,
  missing,    ///< `find_fresh` would find nothing
  undecided,  ///< ask `find_fresh`
};

using cache_counters = base::enum_counters<cache_event::observer_failures>;

/// The interface to the user's fetcher, clock, storage and observer. It hides their types.
class cache_parts : public detail::event_teller, public detail::blocking_web {
 public:
  cache_parts(const cache_parts&) = delete;
  cache_parts& operator=(const cache_parts&) = delete;
  virtual ~cache_parts() = default;

  [[nodiscard]] time_point now() override = 0;
  [[nodiscard]] wall_time wall() noexcept override = 0;
  [[nodiscard]] wall_anchor moment() { return {.steady = now(), .wall = wall()}; }

  [[nodiscard]] virtual cache_entry find(std::string_view key, time_point now) noexcept = 0;
  virtual void store(std::string_view key, const cache_entry& entry, time_point now) noexcept = 0;
  /// `erase` and `clear` pass on exceptions of the storage.
  virtual void erase(std::string_view key) = 0;
  void try_erase(std::string_view key) noexcept {
    try {
      erase(key);
    } catch (...) {
      counters.add(cache_event::storage_failures);
    }
  }
  virtual void clear() = 0;

  /// Waits until `ready()` is true or `limits` end the wait. Returns `ready()`.
  [[nodiscard]] virtual bool wait(base::clock_condition& changed,
                                  std::unique_lock<std::mutex>& lock, const call_options& limits,
                                  const std::function<bool()>& ready) = 0;

  /// Returns the fresh entry of `key`, and counts and reports the hit. Returns no policy if the
  /// site redirects to another site, or if messages of the shared store may have been missed after
  /// the entry was stored.
  [[nodiscard]] virtual found_policy find_fresh(
      std::string_view key, const std::shared_ptr<const call_context>& context) = 0;

  /// Decides on `url` by the fresh entry of `key`, and counts the hit. Reports nothing to
  /// observers. Copies no entry, so threads that ask about different sites write to no common cache
  /// line.
  [[nodiscard]] virtual fresh_answer decide_fresh(std::string_view key, std::string_view url) = 0;

  /// Makes the far side that the storage brings. Returns null if it shares nothing. `cache` must
  /// outlive the result.
  [[nodiscard]] virtual std::unique_ptr<far_side> far_side_of(look_up_environment& cache) = 0;

  /// Returns the user's rulings as the cache sees them, or null for `NoRulings`.
  [[nodiscard]] virtual std::unique_ptr<rulings_view> view_of_rulings(
      const rulings_context& context) = 0;

  const bool is_observed;  ///< false if no observer needs events
  /// True if the observer gets `policy_change_event`. Then policies are compared, which takes time,
  /// and each is kept until the next one comes.
  const bool observes_changes;
  cache_counters counters;
  /// Grows when messages of the shared store may have been missed. If `cache_entry::epoch` differs
  /// from this number, the cache must ask the store about the entry. Without a store, always 0.
  std::atomic<std::uint32_t> store_epoch = 0;

 protected:
  cache_parts(bool has_observer, bool has_observer_of_changes) noexcept
      : is_observed(has_observer), observes_changes(has_observer_of_changes) {}

  /// Returns true if an entry answers without a request and without a question to the store.
  [[nodiscard]] bool is_fresh(const cache_entry& entry, time_point now) const noexcept {
    return entry.policy && now < entry.fresh_until &&
           entry.epoch == store_epoch.load(std::memory_order_relaxed) && !entry.policy->leads_to();
  }
};

/// Decides on `url` by the entry of `key`, unless this may take more than some microseconds: the
/// storage is locked meanwhile.
[[nodiscard]] inline fresh_answer decide_quickly(const policy& used, std::string_view key,
                                                 std::string_view url) noexcept {
  constexpr std::size_t most_work = 65'536;  // number of rules times octets of the target
  const std::string_view target = detail::target_for(used, detail::target_behind_key(url, key));
  if (target.size() * (used.rules().size() + 1) > most_work) {
    return fresh_answer::undecided;
  }
  return used.allows(target) ? fresh_answer::allowed : fresh_answer::denied;
}

/// Catches and counts exceptions of storage and observer. But `erase` and `clear` catch nothing.
template <Fetcher F, Clock C, Storage S, Observer O, Rulings R = NoRulings>
class own_parts final : public cache_parts {
 public:
  own_parts(F own_fetcher, C own_clock, S own_storage, O own_observer, R own_rulings = {})
      : cache_parts(has_observer, has_observer && detail::ObserverOf<O, policy_change_event>),
        fetcher(std::move(own_fetcher)),
        clock(std::move(own_clock)),
        storage(std::move(own_storage)),
        observer(std::move(own_observer)),
        rulings(std::move(own_rulings)) {}

  [[nodiscard]] time_point now() override { return clock.now(); }
  [[nodiscard]] wall_time wall() noexcept override { return wall_now(clock); }

  [[nodiscard]] found_policy find_fresh(
      std::string_view key, const std::shared_ptr<const call_context>& context) override {
    found_policy result;
    if (key.empty()) {
      return result;
    }
    const time_point time = clock.now();
    visit(key, time, [&](const cache_entry& entry) {
      if (is_fresh(entry, time)) {
        result = {.policy = entry.policy, .from_cache = true, .now = time};
      }
    });
    if (result.policy) {
      counters.add(cache_event::hits);
      if constexpr (has_observer) {
        tell(look_up_event{about(key, context), look_up_result::hit, result.policy.get()});
      }
    }
    return result;
  }
  [[nodiscard]] fresh_answer decide_fresh(std::string_view key, std::string_view url) override {
    auto answer = fresh_answer::missing;
    if (key.empty()) {
      return answer;
    }
    const time_point time = clock.now();
    visit(key, time, [&](const cache_entry& entry) {
      if (is_fresh(entry, time)) {
        answer = decide_quickly(*entry.policy, key, url);
      }
    });
    if (answer == fresh_answer::allowed || answer == fresh_answer::denied) {
      counters.add(cache_event::hits);
    }
    return answer;
  }
  [[nodiscard]] cache_entry find(std::string_view key, time_point now) noexcept override {
    cache_entry result;
    visit(key, now, [&result](const cache_entry& entry) { result = entry; });
    return result;
  }
  void store(std::string_view key, const cache_entry& entry, time_point now) noexcept override {
    try {
      storage.store(key, entry, now);
    } catch (...) {
      counters.add(cache_event::storage_failures);
    }
  }
  void erase(std::string_view key) override { storage.erase(key); }
  void clear() override { storage.clear(); }

  [[nodiscard]] fetch_response exchange(const fetch_request& request,
                                        const call_options& limits) override {
    return detail::exchange_within(fetcher, clock, request, limits);
  }
  void sleep_until(time_point end, const stop_token& stop) override {
    clock.sleep_until(end, stop);
  }
  [[nodiscard]] bool wait(base::clock_condition& changed, std::unique_lock<std::mutex>& lock,
                          const call_options& limits, const std::function<bool()>& ready) override {
    return changed.wait(lock, clock, limits.deadline, limits.stop, ready);
  }

  void tell([[maybe_unused]] const any_event& event) noexcept override {
    if constexpr (has_observer) {
      event.visit([this](const auto& typed) {
        if (!detail::tell(observer, typed)) {
          counters.add(cache_event::observer_failures);
        }
      });
    }
  }

  [[nodiscard]] std::unique_ptr<far_side> far_side_of(
      [[maybe_unused]] look_up_environment& cache) override {
    if constexpr (SharingStorage<S>) {
      return storage.far_side_of(cache);
    } else {
      constexpr bool has_store = requires { storage.shared().load_or_lease({}, {}); };
      static_assert(!has_store,
                    "a storage with a shared store must derive from TieredStorage, which brings "
                    "what a cache does with this store");
      return nullptr;
    }
  }

  [[nodiscard]] std::unique_ptr<rulings_view> view_of_rulings(
      [[maybe_unused]] const rulings_context& context) override {
    if constexpr (std::same_as<R, NoRulings>) {
      return nullptr;
    } else {
      return rulings.view(context);
    }
  }

  F fetcher;
  C clock;
  S storage;
  O observer;
  [[no_unique_address]] R rulings;

 private:
  static constexpr bool has_observer = !std::same_as<O, NullObserver>;

  /// Calls `look(entry)` if the storage has an entry of `key`. `look` must be quick, since it runs
  /// under a lock of the storage.
  template <class Look>
  void visit(std::string_view key, time_point now, Look look) noexcept {
    try {
      if constexpr (detail::VisitableStorage<S>) {
        storage.visit(key, now, look);
      } else if (const std::optional<cache_entry> entry = storage.find(key, now)) {
        look(*entry);
      }
    } catch (...) {
      counters.add(cache_event::storage_failures);
    }
  }
};

}  // namespace robots::cache_detail

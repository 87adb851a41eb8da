#pragma once

#include <robots/base/clock_condition.hpp>
#include <robots/base/counters.hpp>
#include <robots/fetch/call_options.hpp>
#include <robots/fetch/retrieval.hpp>
#include <robots/fetch/retrieval_result.hpp>
#include <robots/observe/observer.hpp>
#include <robots/policy/policy.hpp>
#include <robots/store/storage.hpp>
#include <robots/time/clock.hpp>
#include <robots/time/wall_time.hpp>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string_view>

namespace robots {

class SharedStore;
struct tiered_options;

}  // namespace robots

namespace robots::cache_detail {

/// The part of a storage that processes share. `store` is null if the storage shares nothing.
struct shared_part {
  SharedStore* store = nullptr;
  const tiered_options* options = nullptr;
};

/// The result of a look-up.
struct found {
  std::shared_ptr<const robots::policy> policy{};
  bool from_cache = false;
  bool stale = false;  // the policy is not fresh
  time_point now{};    // the time of the look-up, if `policy` comes from an entry
};

/// Returns the result with the policy of one crawler. Number 0 is the crawler of
/// `cache_options::user_agent`, and number 1 is the first crawler of `cache_options::other_agents`.
/// A policy without a robots.txt applies to all crawlers.
[[nodiscard]] inline found selected(found all, std::size_t agent) {
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

using cache_counters = base::enum_counters<cache_event::observer_failures>;

/// The parts of a cache, behind virtual functions, so that only the code of a hit depends on the
/// user's types.
class cache_parts : public detail::event_teller {
 public:
  [[nodiscard]] virtual time_point now() = 0;
  [[nodiscard]] virtual wall_anchor moment() = 0;

  /// Returns the entry of `key`, or an entry without a policy.
  [[nodiscard]] virtual cache_entry find(std::string_view key, time_point now) noexcept = 0;
  /// Returns the fresh entry of `key`, and counts and reports the hit. If there is no fresh entry,
  /// the result has no policy.
  [[nodiscard]] virtual found find_fresh(std::string_view key,
                                         const std::shared_ptr<const call_context>& context) = 0;
  virtual void store(std::string_view key, const cache_entry& entry, time_point now) noexcept = 0;
  /// Erases an entry. Passes on exceptions of the storage.
  virtual void erase(std::string_view key) = 0;
  /// Like `erase`, but counts an exception instead of throwing it.
  void try_erase(std::string_view key) noexcept {
    try {
      erase(key);
    } catch (...) {
      counters.add(cache_event::storage_failures);
    }
  }
  /// Erases all entries. Passes on exceptions of the storage.
  virtual void clear() = 0;

  /// Runs a retrieval to its end with the blocking fetcher.
  [[nodiscard]] virtual detail::retrieval_result run(detail::retrieval work,
                                                     const call_options& limits) = 0;
  /// Continues a retrieval, like `advance_retrieval`.
  [[nodiscard]] virtual bool advance(detail::retrieval& work, time_point deadline) = 0;
  /// Waits until `ready()` is true or the call that has `limits` ends. Returns `ready()`. The
  /// caller holds `lock`. The thread that changes `ready()` must notify `changed`.
  [[nodiscard]] virtual bool wait(base::clock_condition& changed,
                                  std::unique_lock<std::mutex>& lock, const call_options& limits,
                                  const std::function<bool()>& ready) = 0;

  /// Returns true if there is an observer. Without an observer, no events need to be made.
  [[nodiscard]] virtual bool is_observed() const noexcept = 0;
  /// Returns true if an observer wants the changes of a site. Changes are slow to compute.
  [[nodiscard]] virtual bool observes_changes() const noexcept = 0;
  /// Returns true if an entry can answer alone. Then it is fresh, it does not lead to another site,
  /// and since it was stored, the cache has certainly received all messages of the shared store.
  [[nodiscard]] bool answers(const cache_entry& entry, time_point now) const noexcept {
    return now < entry.fresh_until && entry.epoch == store_epoch.load(std::memory_order_relaxed) &&
           !entry.policy->leads_to();
  }

  cache_counters counters;
  /// The number of times that the cache may have missed messages of the shared store. See
  /// `cache_entry::epoch`.
  std::atomic<std::uint32_t> store_epoch = 0;

 protected:
  ~cache_parts() = default;
};

}  // namespace robots::cache_detail

#pragma once

#include <robots/base/hash.hpp>
#include <robots/base/saturating_add.hpp>
#include <robots/base/site_table.hpp>
#include <robots/cache/detail/cache_parts.hpp>
#include <robots/cache/detail/single_flight.hpp>
#include <robots/http/site.hpp>
#include <robots/policy/judge.hpp>
#include <robots/policy/policy.hpp>
#include <robots/policy/record.hpp>
#include <robots/policy/site_names.hpp>
#include <robots/store/storage.hpp>
#include <robots/time/clock.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

namespace robots::cache_detail {

/// Limits how often an action is done for each key: `burst` times in a row, then once in ten
/// seconds. If more than `most_keys` keys must be remembered, some keys are forgotten. Any thread
/// may call any member.
class rate_limit {
 public:
  rate_limit(int burst, std::size_t most_keys) : ahead_((burst - 1) * interval), keys_(most_keys) {}

  /// Returns true if the action is permitted for `key` now, and counts the action.
  [[nodiscard]] bool take(std::string_view key, time_point now) {
    const std::scoped_lock lock{mutex_};
    state* const noted = keys_.find_or_add(key, now, &state::needed_until, now);
    if (noted == nullptr) {
      return true;
    }
    if (noted->free_at > base::saturating_add(now, ahead_)) {
      return false;
    }
    noted->free_at = base::saturating_add((std::max)(noted->free_at, now), interval);
    return true;
  }

 private:
  static constexpr std::chrono::seconds interval{10};

  struct state {
    time_point free_at{(time_point::min)()};  // the time at which a whole burst is possible again

    [[nodiscard]] static time_point needed_until(const state& noted) noexcept {
      return noted.free_at;
    }
  };

  const std::chrono::seconds ahead_;
  std::mutex mutex_;
  base::site_table<state> keys_;
};

/// The entry of a site, with the reasons why it must be checked before it answers.
struct kept_entry : cache_entry {
  bool is_changed_elsewhere = false;  // another process has changed the site since the entry was
                                      // stored
  bool is_suspect = false;  // the response for a page suggests that the rules have changed
};

/// The policies of sites in the storage of this process.
class kept_sites {
 public:
  /// The arguments must outlive this object.
  kept_sites(cache_parts& parts, const detail::judge_options& judging)
      : parts_(parts), judging_(judging) {}

  /// Returns true if a fresh entry may be older than the record in the shared store.
  [[nodiscard]] bool is_in_doubt(const kept_entry& entry) const noexcept {
    return entry.is_changed_elsewhere || entry.epoch != parts_.store_epoch;
  }

  /// Returns true if an entry is allowed to answer while the cache renews it, or asks the shared
  /// store for a newer record. An entry that `doubt` or `suspect` has marked is not allowed to
  /// answer.
  [[nodiscard]] bool may_renew(const kept_entry& entry, time_point now) const {
    return entry.policy && !entry.is_changed_elsewhere && !entry.is_suspect &&
           (now < entry.fresh_until
                ? is_in_doubt(entry)
                : now < detail::validity_of(*entry.policy, judging_).stale_until);
  }

  /// The limit of questions to the shared store about sites whose entries are in doubt. Without
  /// this limit, a flood of messages would cause a flood of requests.
  rate_limit questions{4, 65'536};

  /// Marks the entry of a key, since another process has changed the site. The entry answers again
  /// only after the cache has asked the shared store. Does not call the store.
  void doubt(std::string_view key) { mark(key, in_doubt); }

  /// Makes the next look-up ask a site again if the stored answer of the site is at least
  /// `least_age` old.
  void suspect(const site& asked, std::chrono::seconds least_age) {
    for (const site& name : policy_detail::names_of(asked)) {
      mark(name.key(), in_suspicion, least_age);
    }
  }

  /// Erases the entry of a key. Passes on exceptions of the storage.
  void forget(std::string_view key) {
    const std::scoped_lock lock{writing_};
    parts_.erase(key);
  }

  /// Erases the entries of a site that `doubt` has marked.
  void forget_changed(const site& asked) {
    const std::scoped_lock lock{writing_};
    const time_point now = parts_.now();
    for (const site& name : policy_detail::names_of(asked)) {
      if (const std::string key = name.key(); look(key, now).is_changed_elsewhere) {
        parts_.try_erase(key);
      }
    }
  }

  /// Erases all entries. Passes on exceptions of the storage.
  void forget_all() {
    const std::scoped_lock lock{writing_};
    parts_.clear();
  }

  /// Stores `policy_now`, the result of the flight `led`, unless the site was invalidated
  /// meanwhile. An invalidation detaches the flight before it erases the entry. So either the
  /// invalidation erases the new entry, or this function sees that the flight is detached. In the
  /// same way, a message that another process has changed the site reaches the flight before the
  /// entry. `epoch` is `cache_parts::store_epoch` at the start of the flight. If `replaces_all` is
  /// true, the policy replaces the entries of the site under all names.
  void keep(const flight& led, const std::shared_ptr<const policy>& policy_now, time_point now,
            std::uint32_t epoch, bool replaces_all = false) noexcept {
    try {
      const std::scoped_lock lock{writing_};
      if (led.detached) {
        return;
      }
      const detail::validity until = detail::validity_of(*policy_now, judging_);
      const bool is_kept_on =
          parts_.observes_changes || detail::is_of_use_when_over(*policy_now, judging_);
      parts_.store(led.site_key,
                   {policy_now, led.is_changed_elsewhere ? in_doubt : until.fresh_until,
                    is_kept_on ? until.keep_until : until.stale_until, epoch},
                   now);
      const record_head source = policy_now->source();
      replaces_all = replaces_all && source.status != 0;
      // If the new policy is also valid for another name of the site, it replaces the entry there.
      for (const site& name : policy_detail::names_of(led.asked)) {
        if (name != led.asked && (replaces_all || policy_detail::answers_for(name, source))) {
          parts_.try_erase(name.key());
        }
      }
    } catch (...) {
      parts_.counters.add(cache_event::failures);  // there is no memory
      parts_.try_erase(led.site_key);
    }
  }

  /// Returns the entry of a site, or an entry without a policy. A host without a scheme and the
  /// origin that answered for this host have the same rules, so the entry of one name serves both
  /// names. While the entry of one name is fresh, neither name is fetched.
  [[nodiscard]] kept_entry find(const site& asked, const std::string& key, time_point now) {
    kept_entry own = look(key, now);
    if (own.policy && now < own.fresh_until) {
      return own;
    }
    kept_entry other = look(policy_detail::counterpart_of(asked).key(), now);
    if (!other.policy || (own.policy && now >= other.fresh_until)) {
      return own;
    }
    return policy_detail::answers_for(asked, other.policy) ? other : own;
  }

 private:
  // An entry with one of these values in `fresh_until` must be checked before it answers again.
  static constexpr time_point in_doubt = (time_point::min)();
  static constexpr time_point in_suspicion = in_doubt + time_point::duration{1};

  /// Sets `fresh_until` of the entry to `as`, which is `in_doubt` or `in_suspicion`. Has no effect
  /// if the entry has such a value already, or if its answer is younger than `least_age`.
  void mark(std::string_view key, time_point as, std::chrono::seconds least_age = {}) {
    const std::scoped_lock lock{writing_};
    const time_point now = parts_.now();
    cache_entry entry = parts_.find(key, now);
    if (entry.policy && entry.fresh_until > in_suspicion &&
        base::saturating_add(entry.policy->fetched_at(), least_age) <= now) {
      entry.fresh_until = as;
      parts_.store(key, entry, now);
    }
  }

  [[nodiscard]] kept_entry look(std::string_view key, time_point now) {
    kept_entry found{parts_.find(key, now)};
    if (found.policy && found.fresh_until <= in_suspicion) {
      found.is_changed_elsewhere = found.fresh_until == in_doubt;
      found.is_suspect = !found.is_changed_elsewhere;
      found.fresh_until = detail::validity_of(*found.policy, judging_).fresh_until;
    }
    return found;
  }

  cache_parts& parts_;
  const detail::judge_options& judging_;
  // Held by a thread that changes entries, so that no thread marks an entry that another thread
  // replaces or erases. Recursive, since an observer of a dropped entry can call the cache. But
  // such an observer must not wait for a fetch of another thread.
  std::recursive_mutex writing_;
};

}  // namespace robots::cache_detail

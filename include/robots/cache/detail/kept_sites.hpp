#pragma once

#include <robots/base/saturating_add.hpp>
#include <robots/base/text_hash.hpp>
#include <robots/cache/cache_options.hpp>
#include <robots/cache/detail/cache_parts.hpp>
#include <robots/cache/detail/rate_limit.hpp>
#include <robots/cache/detail/single_flight.hpp>
#include <robots/fetch/call_options.hpp>
#include <robots/http/site.hpp>
#include <robots/http/site_key.hpp>
#include <robots/policy/judge.hpp>
#include <robots/policy/judge_options.hpp>
#include <robots/policy/lifetime.hpp>
#include <robots/policy/policy.hpp>
#include <robots/policy/record.hpp>
#include <robots/policy/site_names.hpp>
#include <robots/rulings/site_rulings.hpp>
#include <robots/store/storage.hpp>
#include <robots/time/clock.hpp>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace robots::cache_detail {

/// The entry of a site, with the marks that `kept_sites::mark` has set.
struct kept_entry : cache_entry {
  bool is_changed_elsewhere = false;  // another process has changed the site since the entry was
                                      // stored
  bool is_suspect = false;            // the answer of a page suggests that the rules have changed
};

/// The policies of sites in the storage of this process.
class kept_sites {
 public:
  /// The arguments must outlive this object.
  kept_sites(cache_parts& parts, const cache_options& options, const detail::judge_options& judging,
             rulings_detail::site_rulings& rulings)
      : parts_(parts), user_agent_(options.user_agent), judging_(judging), rulings_(rulings) {}

  /// Returns true if the shared store may have a newer record than a fresh entry.
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

  /// Returns true if the shared store may be asked now about a site whose entry is in doubt, and
  /// counts this request. Without this limit, a flood of messages would cause a flood of requests.
  [[nodiscard]] bool may_ask_store(std::string_view key, time_point now) {
    return questions_.take(key, now);
  }

  /// Marks the entry of a key, since another process has changed the site. The entry does not
  /// answer before the cache has asked the shared store. Does not call the store.
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
    ++forgotten_;
    parts_.erase(key);
  }

  /// Erases the entries of a site that have the mark `in_doubt`, since another process has changed
  /// the site.
  void forget_changed(const site& asked) {
    const time_point now = parts_.now();
    for (const site& name : policy_detail::names_of(asked)) {
      if (const std::string key = name.key(); look(key, now).is_changed_elsewhere) {
        ++forgotten_;
        parts_.try_erase(key);
      }
    }
  }

  /// Erases all entries. Passes on exceptions of the storage.
  void forget_all() {
    ++forgotten_;
    parts_.clear();
  }

  /// Stores a policy, unless the site was invalidated meanwhile. An invalidation detaches the
  /// flight before it erases the entry. So either the invalidation erases the new entry, or this
  /// function sees that the flight is detached, and erases the entry. `epoch` is
  /// `cache_parts::store_epoch` at the start of the flight. If `replaces_all` is true, the policy
  /// replaces the entries of the site under all names.
  void keep(const flight& led, const std::shared_ptr<const policy>& policy_now, time_point now,
            std::uint32_t epoch, bool replaces_all = false) noexcept {
    if (led.detached) {
      return;
    }
    keeping& under_way = keeping_of(led.site_key);
    ++under_way.begun;
    try {
      store(led, policy_now, now, epoch, replaces_all);
    } catch (...) {
      parts_.counters.add(cache_event::failures);  // there is no memory
      parts_.try_erase(led.site_key);
    }
    ++under_way.ended;
  }

  /// Counts a malformed file for which `fallback` denies the site. Any other answer of the site
  /// resets the count and ends the quarantine.
  void watch(const flight& led, const policy& policy_now) {
    const std::string& key = led.site_key;
    switch (detail::quarantine_step_of(policy_now)) {
      case detail::quarantine_step::none:
        break;
      case detail::quarantine_step::count:
        rulings_.note_malformed(key, led.context, [&] {
          return detail::quarantined(policy_now.source(), "its files are malformed again and again",
                                     user_agent_, judging_.fallback, policy_now.fetched_at(),
                                     policy_now.findings());
        });
        if (led.detached) {  // the site was released or forgotten meanwhile
          rulings_.release(key, led.context);
        }
        break;
      case detail::quarantine_step::release:
        rulings_.release(key, led.context);
        break;
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
  /// The number of calls of `keep` that have begun and that have ended, for all sites with the same
  /// hash. With these counts, `mark` sees whether a `keep` ran meanwhile. In that case,
  /// `mark` may have overwritten the new entry, so it erases the entry.
  struct keeping {
    std::atomic<std::uint32_t> begun = 0;
    std::atomic<std::uint32_t> ended = 0;
  };

  [[nodiscard]] keeping& keeping_of(std::string_view key) noexcept {
    return keeping_[base::text_hash{}(detail::without_scheme(key)) % keeping_.size()];
  }

  void store(const flight& led, const std::shared_ptr<const policy>& policy_now, time_point now,
             std::uint32_t epoch, bool replaces_all) {
    const std::string& key = led.site_key;
    const detail::validity until = detail::validity_of(*policy_now, judging_);
    const bool is_kept_on =
        parts_.observes_changes() || detail::is_of_use_when_over(*policy_now, judging_);
    cache_entry entry{policy_now, until.fresh_until,
                      is_kept_on ? until.keep_until : until.stale_until, epoch};
    if (!led.is_changed_elsewhere) {
      parts_.store(key, entry, now);
    }
    if (led.is_changed_elsewhere) {  // the flag can become true meanwhile
      entry.fresh_until = in_doubt;
      parts_.store(key, entry, now);
    }
    const record_head source = policy_now->source();
    replaces_all = replaces_all && source.status != 0;
    // The newest answer of an origin is valid under each name of the site.
    for (const site& name : policy_detail::names_of(led.asked)) {
      if (name != led.asked && (replaces_all || policy_detail::answers_for(name, source))) {
        parts_.try_erase(name.key());
      }
    }
    if (led.detached) {
      parts_.try_erase(key);
    }
  }

  // An entry with one of these values in `fresh_until` must be checked before it answers again.
  static constexpr time_point in_doubt = (time_point::min)();
  static constexpr time_point in_suspicion = in_doubt + time_point::duration{1};

  /// Sets `fresh_until` of the entry to the mark `as`. Has no effect if the entry has a mark, or if
  /// its answer is younger than `least_age`.
  void mark(std::string_view key, time_point as, std::chrono::seconds least_age = {}) {
    const std::uint64_t forgotten = forgotten_;
    const keeping& under_way = keeping_of(key);
    const std::uint32_t ended = under_way.ended;  // read before `begun`
    const std::uint32_t begun = under_way.begun;
    const time_point now = parts_.now();
    cache_entry entry = parts_.find(key, now);
    if (!entry.policy || entry.fresh_until <= in_suspicion ||
        base::saturating_add(entry.policy->fetched_at(), least_age) > now) {
      return;
    }
    entry.fresh_until = as;
    parts_.store(key, entry, now);
    if (forgotten != forgotten_ || begun != ended || begun != under_way.begun) {
      parts_.try_erase(key);  // another thread may have erased or replaced the entry meanwhile
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
  const std::string& user_agent_;
  const detail::judge_options& judging_;
  rate_limit questions_{4, 65'536};
  std::atomic<std::uint64_t> forgotten_ = 0;  // number of erasures so far
  std::array<keeping, 64> keeping_{};
  rulings_detail::site_rulings& rulings_;
};

}  // namespace robots::cache_detail

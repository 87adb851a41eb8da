#pragma once

#include <robots/base/hash.hpp>
#include <robots/cache/cache_options.hpp>
#include <robots/cache/detail/single_flight.hpp>
#include <robots/policy/decision.hpp>
#include <robots/policy/policy_change.hpp>
#include <robots/rulings/cache_rulings.hpp>

#include <boost/unordered/unordered_flat_map.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <forward_list>
#include <iterator>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace robots::cache_detail {

/// Compares each answer of a site with its earlier answers. Reports changes. Halts or quarantines
/// the site if `cache_options` demand this. Remembers the facts that can lead to a halt, for at
/// least the 262,144 sites used last. These facts remain if the policy of a site is evicted or
/// invalidated. Any thread may call any member.
class site_alarms {
 public:
  site_alarms(const cache_options& options, cache_parts& parts,
              robots::rulings_detail::site_rulings& rulings)
      : options_(options), parts_(parts), rulings_(rulings) {}

  void note_change(const flight& led, const std::shared_ptr<const policy>& after) {
    const auto before = parts_.observes_changes ? policy::last_answer(led.last()) : nullptr;
    if (!before || policy::last_answer(after) != after ||
        before->fingerprint() == after->fingerprint()) {
      return;
    }
    const bool turned_hostile =
        detail::denies_everything(*after) && !detail::denies_everything(*before);
    const change_report changes = diff(*before, *after);
    const double share =
        options_.fast_change_within
            ? changed_within(*options_.fast_change_within, led.site_key,
                             {before->fetched_at(), changes.share()}, after->fetched_at())
            : changes.share();
    constexpr double rounding = 1e-9;  // otherwise, three changes of 10 % would exceed 30 %
    parts_.tell(policy_change_event{parts_.about(led.site_key, led.context), *before, *after,
                                    changes, after->fetched_at() - before->fetched_at(),
                                    share > options_.fast_change_share + rounding, turned_hostile});
  }

  /// `after` is the new answer or failure of a site. Halts the site if `cache_options` demand it.
  /// Returns true if the site has turned hostile: it denies everything, but did not before.
  /// `is_known` is true if another process has already seen the site turn hostile.
  bool halt_if_due(const flight& led, const std::shared_ptr<const policy>& after, time_point now,
                   bool is_known = false) {
    note_access(led, after);
    const auto longest = options_.halt_unreachable_after;
    if (policy::last_answer(after) == after) {
      const bool halts = options_.halt_hostile.value_or(options_.fallback.halts_hostile());
      if (!halts && longest.count() == 0) {
        return false;
      }
      const auto before = policy::last_answer(led.last());
      const bool denies = detail::denies_everything(*after);
      const bool was_open = is_known || (before && !detail::denies_everything(*before));
      const bool turned_hostile = use(led.site_key, [&](memory& noted) {
        noted.failing_since = (time_point::max)();
        const bool was_noted_open = std::exchange(noted.is_open, !denies);
        return denies && (was_noted_open || was_open);
      });
      if (turned_hostile && halts) {
        rulings_.halt(led.site_key, halt_reason::hostile, led.context,
                      is_known ? std::optional{after->source().fetched_at} : std::nullopt);
      }
      return turned_hostile;
    }
    const outcome failed = after->outcome();
    if (longest.count() > 0 &&
        (failed == outcome::unreachable || failed == outcome::server_error)) {
      const bool is_due = use(led.site_key, [&](memory& noted) {
        const time_point since = noted.failing_since = (std::min)(noted.failing_since, now);
        const bool is_long = std::chrono::floor<std::chrono::seconds>(now - since) >= longest;
        if (is_long) {
          noted.failing_since = (time_point::max)();
        }
        return is_long;
      });
      if (is_due) {
        rulings_.halt(led.site_key, halt_reason::unreachable, led.context);
      }
    }
    return false;
  }

  /// Counts a malformed file, unless `cache_options::fallback` applies the rules of the file.
  /// Enough such files in a row begin a quarantine. Any other answer ends the quarantine.
  void quarantine_if_due(const flight& led, const policy& after) {
    const std::string& key = led.site_key;
    const bool is_malformed =
        after.outcome() == outcome::malformed && after.basis() != policy_basis::rules;
    if (is_malformed) {
      rulings_.note_malformed(key, led.context, [&] {
        return detail::quarantined(after.source(), "its files are malformed again and again",
                                   options_.names, options_.fallback, after.fetched_at(),
                                   after.findings());
      });
    }
    // If the flight is detached, the site was released or forgotten, so this file must not count.
    if (is_malformed ? led.detached.load() : !is_failure(after.outcome())) {
      rulings_.release(key, led.context);
    }
  }

 private:
  static constexpr std::size_t most = 262'144;

  struct change {
    time_point since;  // the time when the rules before this change were fetched
    double share = 0;
  };

  struct memory {
    time_point failing_since = (time_point::max)();  // first failure after the last answer
    bool is_open = false;                 // true if the last answer did not deny everything
    bool is_readable = false;             // true if the last answer did not refuse the robots.txt
    std::forward_list<change> changes{};  // the newest change first
  };

  template <class Function>
  std::invoke_result_t<const Function&, memory&> use(std::string_view key,
                                                     const Function& function) {
    const std::scoped_lock lock{mutex_};
    const std::uint64_t hash = base::text_hash{}(key);
    auto found = newer_.find(hash);
    if (found == newer_.end()) {
      memory noted;
      if (const auto old = older_.find(hash); old != older_.end()) {
        noted = std::move(old->second);
      }
      if (newer_.size() == most) {
        older_ = std::exchange(newer_, {});
      }
      found = newer_.emplace(hash, std::move(noted)).first;
    }
    return function(found->second);
  }

  /// Adds `latest`, a change found at `now`. Returns the sum of `change::share` over `window`.
  [[nodiscard]] double changed_within(std::chrono::seconds window, std::string_view key,
                                      const change& latest, time_point now) {
    // The unit is whole seconds, since the longest window would overflow in nanoseconds.
    const auto is_over = [&](const change& noted) {
      return std::chrono::ceil<std::chrono::seconds>(now - noted.since) > window;
    };
    return use(key, [&](memory& noted) {
      std::forward_list<change>& changes = noted.changes;
      changes.remove_if(is_over);
      if (!is_over(latest)) {
        constexpr std::ptrdiff_t most_changes = 16;
        if (std::distance(changes.begin(), changes.end()) < most_changes) {
          changes.push_front(latest);
        } else {
          changes.front() = {latest.since, changes.front().share + latest.share};
        }
      }
      return std::accumulate(changes.begin(), changes.end(), 0.0,
                             [](double sum, const change& one) { return sum + one.share; });
    });
  }

  [[nodiscard]] static bool refuses_robots_txt(const policy& answer) {
    const int status = answer.source().status;
    return answer.outcome() == outcome::client_error && (status == 401 || status == 403);
  }

  /// Reports a site that now refuses its robots.txt, but did not before. Halts the site if needed.
  void note_access(const flight& led, const std::shared_ptr<const policy>& after) {
    const bool refuses = refuses_robots_txt(*after);
    if (!refuses && (!options_.halt_revoked || policy::last_answer(after) != after)) {
      return;
    }
    const auto before = led.last();
    bool is_revoked =
        refuses && policy::last_answer(before) != nullptr && !refuses_robots_txt(*before);
    if (options_.halt_revoked) {
      const bool was_readable = use(
          led.site_key, [&](memory& noted) { return std::exchange(noted.is_readable, !refuses); });
      is_revoked = is_revoked || (refuses && was_readable);
    }
    if (!is_revoked) {
      return;
    }
    const record_head& source = after->source();
    parts_.tell(access_revoked_event{parts_.about(led.site_key, led.context), source.final_url,
                                     source.status});
    if (options_.halt_revoked) {
      rulings_.halt(led.site_key, halt_reason::access_revoked, led.context);
    }
  }

  const cache_options& options_;
  cache_parts& parts_;
  robots::rulings_detail::site_rulings& rulings_;
  std::mutex mutex_;  // guards the members below
  boost::unordered_flat_map<std::uint64_t, memory> newer_;
  boost::unordered_flat_map<std::uint64_t, memory> older_;
};

}  // namespace robots::cache_detail

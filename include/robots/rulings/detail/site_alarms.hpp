#pragma once

#include <robots/base/hash.hpp>
#include <robots/observe/event_teller.hpp>
#include <robots/observe/events.hpp>
#include <robots/observe/observer.hpp>
#include <robots/policy/policy_change.hpp>
#include <robots/rulings/rulings_view.hpp>

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
#include <vector>

namespace robots::rulings_detail {

/// Decides which facts are reported, and which raise an alarm. See `rulings_options`.
struct alarm_settings {
  bool halt_hostile = false;
  std::optional<std::chrono::seconds> halt_unreachable_after{};
  bool halt_revoked = false;
  double fast_change_share = 0;
  std::optional<std::chrono::seconds> fast_change_within{};
  bool observes_changes = false;
  bool halt_hostile_to_others = false;
  std::vector<std::string> other_agents{};  ///< crawlers that are compared, too
};

/// The effects of alarms.
class alarm_actions {
 public:
  alarm_actions() = default;
  alarm_actions(const alarm_actions&) = delete;
  alarm_actions& operator=(const alarm_actions&) = delete;

  /// Halts a site. `fingerprint` identifies the fact, or is empty if the next such fact is another
  /// one: see `SiteRulings::raise_halt`.
  virtual void halt(const site_answer& answer, halt_reason why, const std::string& fingerprint) = 0;
  /// Counts a malformed file of the site, and begins its quarantine after enough of them.
  virtual void note_malformed(const site_answer& answer) = 0;
  /// A file of the site was sound, or the file that was counted last must not count.
  virtual void note_sound(const site_answer& answer) = 0;
  /// Returns true if somebody has resumed the site, and accepted some rules.
  [[nodiscard]] virtual bool has_accepted_rules(std::string_view site_key) = 0;
  /// Returns true if somebody has resumed the site after a halt with this fingerprint.
  [[nodiscard]] virtual bool has_accepted(std::string_view /*site_key*/,
                                          std::string_view /*fingerprint*/) {
    return false;
  }

 protected:
  ~alarm_actions() = default;
};

/// Compares each answer of a site with its earlier answers. Reports changes. Halts or quarantines
/// the site if `alarm_settings` demand this. Remembers the facts that can lead to a halt, for at
/// least the 262,144 sites used last. These facts remain if the policy of a site is evicted or
/// invalidated. Any thread may call any member.
class site_alarms {
 public:
  site_alarms(const alarm_settings& options, detail::event_teller& teller, alarm_actions& actions)
      : options_(options), teller_(teller), actions_(actions) {}

  void note_change(const site_answer& answer) {
    if (options_.observes_changes) {
      for (std::size_t other = 0; other < options_.other_agents.size(); ++other) {
        note_hostility_to(other, answer);
      }
    }
    const auto before =
        options_.observes_changes ? policy::last_known_rules(answer.before) : nullptr;
    const std::shared_ptr<const policy>& after = answer.after;
    if (!before || policy::last_known_rules(after) != after ||
        before->fingerprint() == after->fingerprint()) {
      return;
    }
    const bool turned_hostile =
        detail::denies_everything(*after) && !detail::denies_everything(*before);
    const change_report changes = diff(*before, *after);
    const double share =
        options_.fast_change_within
            ? changed_within(*options_.fast_change_within, answer.site_key,
                             {before->fetched_at(), changes.share()}, after->fetched_at())
            : changes.share();
    constexpr double rounding = 1e-9;  // otherwise, three changes of 10 % would exceed 30 %
    teller_.tell(policy_change_event{teller_.about(answer.site_key, answer.context), *before,
                                     *after, changes, after->fetched_at() - before->fetched_at(),
                                     share > options_.fast_change_share + rounding,
                                     turned_hostile});
  }

  /// Halts the site if `alarm_settings` demand it. Returns true if the site has turned hostile.
  bool halt_if_due(const site_answer& answer) {
    const std::shared_ptr<const policy>& after = answer.after;
    const bool is_answer = policy::last_known_rules(after) == after;
    const bool begins_anew =
        can_halt() && use(answer.site_key, [is_answer](memory& noted) {
          return is_answer ? std::exchange(noted.begins_anew, false) : noted.begins_anew;
        });
    const std::shared_ptr<const policy> before = begins_anew ? nullptr : answer.before;
    note_access(answer, before);
    const auto longest = options_.halt_unreachable_after;
    if (is_answer) {
      return note_rules(answer, before);
    }
    const outcome failed = after->outcome();
    if (longest && (failed == outcome::unreachable || failed == outcome::server_error)) {
      const bool is_due = use(answer.site_key, [&](memory& noted) {
        const time_point since = noted.failing_since = (std::min)(noted.failing_since, answer.now);
        const bool is_long =
            std::chrono::floor<std::chrono::seconds>(answer.now - since) >= *longest;
        if (is_long) {
          noted.failing_since = (time_point::max)();
        }
        return is_long;
      });
      if (is_due) {
        actions_.halt(answer, halt_reason::unreachable, {});
      }
    }
    return false;
  }

  /// Counts a malformed file, unless `cache_options::fallback` applies the rules of the file. Any
  /// other answer sets the count to 0.
  void note_malformed(const site_answer& answer) {
    const policy& after = *answer.after;
    const bool is_malformed =
        after.outcome() == outcome::malformed && after.basis() != policy_basis::rules;
    if (is_malformed) {
      actions_.note_malformed(answer);
    }
    // If the site was forgotten meanwhile, this file must not count.
    if (is_malformed ? answer.is_forgotten.load() : !is_failure(after.outcome())) {
      actions_.note_sound(answer);
    }
  }

  /// Compares the next answer of the site with none. Called when the halt of an alarm has ended.
  void begin_anew(std::string_view site_key) {
    if (can_halt()) {
      use(site_key, [](memory& noted) {
        noted = {};
        noted.begins_anew = true;
      });
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
    bool is_open = false;      // true if the last answer did not deny everything
    bool is_readable = false;  // true if the last answer did not refuse the robots.txt
    bool begins_anew = false;  // until the next answer, nothing is compared with earlier answers
    bool has_opened = false;   // the site was open after somebody had accepted its closed rules
    std::forward_list<change> changes{};  // the newest change first
  };

  /// Without an alarm, no fact about a site needs memory.
  [[nodiscard]] bool can_halt() const noexcept {
    return options_.halt_hostile || options_.halt_revoked || options_.halt_unreachable_after;
  }

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

  /// Handles an answer that has rules, or that there is no robots.txt.
  bool note_rules(const site_answer& answer, const std::shared_ptr<const policy>& earlier) {
    if (!options_.halt_hostile && !options_.halt_unreachable_after) {
      return false;  // no fact leads to a halt
    }
    const auto before = policy::last_known_rules(earlier);
    const bool denies = detail::denies_everything(*answer.after);
    const bool was_open = answer.turned_hostile || (before && !detail::denies_everything(*before));
    const bool has_accepted = !denies && actions_.has_accepted_rules(answer.site_key);
    bool has_opened = false;
    const bool turned_hostile = use(answer.site_key, [&](memory& noted) {
      noted.failing_since = (time_point::max)();
      noted.has_opened = noted.has_opened || has_accepted;
      has_opened = noted.has_opened;
      const bool was_noted_open = std::exchange(noted.is_open, !denies);
      return denies && (was_noted_open || was_open);
    });
    if (turned_hostile && options_.halt_hostile) {
      // Rules that somebody has accepted raise no alarm, unless the site was open in between. The
      // process that fetched an answer of the store can have seen this opening, while this process
      // has not, so the accepted fact can be the moment.
      const std::string rules = "rules " + std::to_string(answer.after->fingerprint());
      const std::string rules_now = rules + moment_of(*answer.after);
      if (!answer.turned_hostile || !actions_.has_accepted(answer.site_key, rules_now)) {
        actions_.halt(answer, halt_reason::hostile, has_opened ? rules_now : rules);
      }
    }
    if (!turned_hostile && options_.halt_hostile && options_.halt_hostile_to_others) {
      for (std::size_t other = 0; other < options_.other_agents.size(); ++other) {
        if (has_turned_hostile_to(other, earlier, answer.after)) {
          const auto after = policy::other(answer.after, other);
          actions_.halt(answer, halt_reason::hostile,
                        "rules " + std::to_string(after->fingerprint()) + " for " +
                            options_.other_agents[other]);
        }
      }
    }
    return turned_hostile;
  }

  /// Compares only with the policy before: the memory is about the crawler that fetches.
  [[nodiscard]] static bool has_turned_hostile_to(std::size_t other,
                                                  const std::shared_ptr<const policy>& earlier,
                                                  const std::shared_ptr<const policy>& latest) {
    const auto before = policy::last_known_rules(policy::other(earlier, other));
    const auto after = policy::other(latest, other);
    return before && after && policy::last_known_rules(after) == after &&
           detail::denies_everything(*after) && !detail::denies_everything(*before);
  }

  /// Reports a change after which the site denies everything to another crawler.
  void note_hostility_to(std::size_t other, const site_answer& answer) {
    if (!has_turned_hostile_to(other, answer.before, answer.after)) {
      return;
    }
    const auto before = policy::last_known_rules(policy::other(answer.before, other));
    const auto after = policy::other(answer.after, other);
    const change_report changes = diff(*before, *after);
    teller_.tell(policy_change_event{
        teller_.about(answer.site_key, answer.context, options_.other_agents[other]), *before,
        *after, changes, after->fetched_at() - before->fetched_at(),
        changes.share() > options_.fast_change_share, true});
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
    const int status = answer.last_retrieval().status;
    return answer.outcome() == outcome::client_error && (status == 401 || status == 403);
  }

  /// Returns a text that differs for each answer of the site.
  [[nodiscard]] static std::string moment_of(const policy& answer) {
    return " at " + std::to_string(answer.last_retrieval().fetched_at.time_since_epoch().count());
  }

  /// Reports a site that now refuses its robots.txt, but did not before. Halts the site if needed.
  void note_access(const site_answer& answer, const std::shared_ptr<const policy>& before) {
    const std::shared_ptr<const policy>& after = answer.after;
    const bool refuses = refuses_robots_txt(*after);
    if (!refuses && (!options_.halt_revoked || policy::last_known_rules(after) != after)) {
      return;
    }
    bool is_revoked =
        refuses && policy::last_known_rules(before) != nullptr && !refuses_robots_txt(*before);
    if (options_.halt_revoked) {
      const bool was_readable = use(answer.site_key, [&](memory& noted) {
        return std::exchange(noted.is_readable, !refuses);
      });
      is_revoked = is_revoked || (refuses && was_readable);
    }
    if (!is_revoked) {
      return;
    }
    const record_head& source = after->last_retrieval();
    teller_.tell(access_revoked_event{teller_.about(answer.site_key, answer.context),
                                      source.final_url, source.status});
    if (options_.halt_revoked) {
      actions_.halt(answer, halt_reason::access_revoked, {});
    }
  }

  const alarm_settings options_;
  detail::event_teller& teller_;
  alarm_actions& actions_;
  std::mutex mutex_;  // guards the members below
  boost::unordered_flat_map<std::uint64_t, memory> newer_;
  boost::unordered_flat_map<std::uint64_t, memory> older_;
};

}  // namespace robots::rulings_detail

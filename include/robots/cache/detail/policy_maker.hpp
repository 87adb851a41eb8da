#pragma once

#include <robots/base/counter_random.hpp>
#include <robots/base/utf8.hpp>
#include <robots/cache/cache_options.hpp>
#include <robots/cache/detail/cache_parts.hpp>
#include <robots/cache/detail/single_flight.hpp>
#include <robots/cache/detail/site_memory.hpp>
#include <robots/fetch/outcome.hpp>
#include <robots/fetch/retrieval_result.hpp>
#include <robots/http/charset.hpp>
#include <robots/http/message.hpp>
#include <robots/http/site.hpp>
#include <robots/observe/events.hpp>
#include <robots/policy/decide.hpp>
#include <robots/policy/decision_reason.hpp>
#include <robots/policy/judge.hpp>
#include <robots/policy/judge_options.hpp>
#include <robots/policy/lifetime.hpp>
#include <robots/policy/policy.hpp>
#include <robots/policy/policy_change.hpp>
#include <robots/policy/record.hpp>
#include <robots/rulings/site_rulings.hpp>
#include <robots/time/clock.hpp>
#include <robots/time/wall_time.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace robots::cache_detail {

/// Makes the policies of a cache from retrievals and from records of other processes. Reports each
/// step to the observer.
class policy_maker {
 public:
  /// All arguments must outlive this object.
  policy_maker(const cache_options& options, cache_parts& parts,
               robots::rulings_detail::site_rulings& rulings)
      : options_(options),
        judging_(judge_options_of(options)),
        parts_(parts),
        rulings_(rulings),
        random_(options.seed) {}

  [[nodiscard]] const detail::judge_options& judging() const noexcept { return judging_; }

  [[nodiscard]] std::uint64_t seed() noexcept { return random_(); }

  /// Makes the record of a retrieval that has just ended.
  [[nodiscard]] record recorded(detail::retrieval_result result,
                                const detail::earlier_policies& before, const wall_anchor& now) {
    // A caller that did not wait for the next try must not delay that try for other callers.
    const auto until_next_try = result.cut_short
                                    ? std::chrono::ceil<std::chrono::seconds>((std::max)(
                                          result.next_try - now.steady, time_point::duration{0}))
                                    : (std::chrono::seconds::max)();
    record retrieved =
        detail::record_of(std::move(result), before, judging_, now.wall, random_.draw());
    retrieved.lifetime = (std::min)(retrieved.lifetime, until_next_try);
    return retrieved;
  }

  /// Makes the policy of a record. If `led` is not null, reports a parsed text to the observer.
  [[nodiscard]] std::shared_ptr<const policy> judged(const record& retrieved,
                                                     const detail::earlier_policies& before,
                                                     const wall_anchor& now, const flight* led) {
    const bool is_reported = led != nullptr && parts_.is_observed() && !retrieved.not_modified &&
                             policy_detail::has_text(retrieved.outcome);
    const time_point began = is_reported ? parts_.now() : time_point{};
    auto result =
        family(detail::judge(retrieved, options_.user_agent, judging_, before, now),
               [&](const std::string& agent, std::size_t place) {
                 const detail::earlier_policies own{policy::other(before.last, place),
                                                    policy::other(before.unchanged, place)};
                 return detail::judge(retrieved, agent, judging_, own, now);
               });
    if (is_reported) {
      const time_point ended = parts_.now();
      parts_.tell(parse_event{about(*led), *result, ended - began, is_invalid_utf8(retrieved)});
    }
    return result;
  }

  /// Makes the policy of a site that redirects to the site of `target`. See
  /// `detail::judge_redirected`.
  [[nodiscard]] std::shared_ptr<const policy> judged_redirected(
      const record_head& head, const std::shared_ptr<const policy>& target,
      const std::shared_ptr<const policy>& own) {
    return family(detail::judge_redirected(head, target, options_.user_agent, judging_, own),
                  [&](const std::string& agent, std::size_t place) {
                    const auto other = policy::other(target, place);
                    return detail::judge_redirected(head, other ? other : target, agent, judging_,
                                                    policy::other(own, place));
                  });
  }

  /// Makes the policy for a call that ended before it read anything.
  [[nodiscard]] std::shared_ptr<const policy> cancelled(const site& asked,
                                                        const std::shared_ptr<const policy>& last,
                                                        const wall_anchor& now) {
    detail::retrieval_result result;
    result.outcome = outcome::cancelled;
    result.error = fetch_error::cancelled;
    result.error_text = "nothing was read: the call ended before the robots.txt came";
    result.url = result.final_url = asked.robots_urls().front();
    return judged(recorded(std::move(result), {.last = last}, now), {.last = last}, now, nullptr);
  }

  /// Returns the policy for a caller that does not wait for the site. This is `last` if `last` is
  /// fresh or is allowed to answer while it is stale. Otherwise, this is the policy for a cancelled
  /// call.
  [[nodiscard]] std::shared_ptr<const policy> without_fetch(
      const site& asked, const std::shared_ptr<const policy>& last, const wall_anchor& now) {
    const bool answers = last && now.steady < detail::validity_of(*last, judging_).stale_until;
    return answers ? last : cancelled(asked, last, now);
  }

  /// If there is an observer, reports the exchanges of a retrieval, and returns the reported
  /// events.
  [[nodiscard]] std::vector<exchange_event> note_exchanges(const flight& led,
                                                           const detail::retrieval_result& ended) {
    std::vector<exchange_event> events;
    if (parts_.is_observed()) {
      const time_point now = parts_.now();
      for (std::size_t i = 0; i < ended.timings.size(); ++i) {
        const detail::exchange_timing& timing = ended.timings[i];
        events.push_back({about(led), ended.exchanges[i], now - timing.ended, timing.duration,
                          timing.bytes, timing.hop, timing.attempt});
        parts_.tell(events.back());
      }
    }
    return events;
  }

  /// Counts and reports a retrieval with its result. Returns false if there is no answer, since the
  /// retrieval was cancelled or `cut_short` is true.
  [[nodiscard]] bool note_retrieval(const flight& led, const policy& fetched,
                                    const record& retrieved, time_point::duration took,
                                    const std::vector<exchange_event>& exchanges, bool cut_short) {
    const record_head& source = fetched.source();
    parts_.counters.add(cache_event::retrievals);
    if (!detail::is_successful(source.outcome)) {
      parts_.counters.add(cache_event::failures);
    }
    if (source.not_modified) {
      parts_.counters.add(cache_event::not_modified);
    }
    parts_.tell(retrieval_event{about(led), fetched, retrieved, took, &exchanges});
    const bool is_answer = !cut_short && source.outcome != outcome::cancelled;
    if (is_answer && detail::is_fallback(fetched)) {
      parts_.tell(fallback_event{about(led), fetched});
    }
    return is_answer;
  }

  /// Reports the changes between the last answer of a site and its new answer.
  void note_change(const flight& led, const std::shared_ptr<const policy>& after) {
    const auto before = parts_.observes_changes() ? policy::last_answer(led.last()) : nullptr;
    if (before && policy::last_answer(after) == after &&
        before->fingerprint() != after->fingerprint()) {
      const bool turned_hostile =
          detail::denies_everything(*after) && !detail::denies_everything(*before);
      const change_report changes = diff(*before, *after);
      const auto interval = after->fetched_at() - before->fetched_at();
      const double share =
          options_.fast_change_within
              ? memory_.changed_within(*options_.fast_change_within, led.site_key, changes.share(),
                                       before->fetched_at(), after->fetched_at())
              : changes.share();
      constexpr double rounding = 1e-9;  // without it, three times 10 % is above 30 %
      const bool is_fast = share > options_.fast_change_share + rounding;
      parts_.tell(policy_change_event{about(led), *before, *after, changes, interval, is_fast,
                                      turned_hostile});
    }
  }

  /// Halts a site if `cache_options` ask for a halt after this answer or failure. Reports a site
  /// that revokes access. Returns true if the site has turned hostile. `is_known` is true if
  /// another process has already found that the site turned hostile.
  bool halt_if_due(const flight& led, const std::shared_ptr<const policy>& after, time_point now,
                   bool is_known = false) {
    note_access(led, after);
    const auto longest = options_.halt_unreachable_after;
    if (policy::last_answer(after) == after) {
      if (!halts_hostile(options_) && longest.count() == 0) {
        return false;
      }
      const auto before = policy::last_answer(led.last());
      const bool was_open = is_known || (before && !detail::denies_everything(*before));
      const bool turned_hostile =
          memory_.turns_hostile(led.site_key, detail::denies_everything(*after), was_open);
      if (turned_hostile && halts_hostile(options_)) {
        rulings_.halt(led.site_key, halt_reason::hostile, led.context,
                      is_known ? std::optional{after->source().fetched_at} : std::nullopt);
      }
      return turned_hostile;
    }
    const outcome failed = after->outcome();
    if (longest.count() > 0 &&
        (failed == outcome::unreachable || failed == outcome::server_error)) {
      const time_point since = memory_.failing_since(led.site_key, now);
      if (std::chrono::floor<std::chrono::seconds>(now - since) >= longest) {
        memory_.forgive(led.site_key);
        rulings_.halt(led.site_key, halt_reason::unreachable, led.context);
      }
    }
    return false;
  }

  /// Returns the members that all events about the site of a flight have.
  [[nodiscard]] event_base about(const flight& led) noexcept {
    return parts_.about(led.site_key, led.context);
  }

 private:
  /// Returns `own` with the policies of `cache_options::other_agents`. Calls `make(agent, index)`
  /// to make each of these policies.
  template <class Make>
  [[nodiscard]] std::shared_ptr<const policy> family(std::shared_ptr<const policy> own,
                                                     const Make& make) const {
    if (options_.other_agents.empty() || own->basis() == policy_basis::redirected) {
      return own;
    }
    std::vector<std::shared_ptr<const policy>> others;
    others.reserve(options_.other_agents.size());
    for (const std::string& agent : options_.other_agents) {
      others.push_back(make(agent, others.size()));
    }
    return policy::with_others(*own, std::move(others));
  }

  [[nodiscard]] static bool refuses_robots_txt(const policy& change) {
    constexpr int unauthorized = 401;
    constexpr int forbidden = 403;
    if (change.outcome() != outcome::client_error) {
      return false;
    }
    const int status = change.source().status;
    return status == unauthorized || status == forbidden;
  }

  /// Reports a site that refuses its robots.txt now but did not before (the pipeline guide:
  /// "returns 403 on previously allowed paths"). With `cache_options::halt_revoked`, also halts the
  /// site. With this option, the cache remembers the last answer even after its policy was dropped.
  void note_access(const flight& led, const std::shared_ptr<const policy>& after) {
    const bool refuses = refuses_robots_txt(*after);
    if (!refuses && (!options_.halt_revoked || policy::last_answer(after) != after)) {
      return;
    }
    const auto before = led.last();
    bool is_revoked =
        refuses && policy::last_answer(before) != nullptr && !refuses_robots_txt(*before);
    if (options_.halt_revoked) {
      is_revoked = memory_.turns_away(led.site_key, refuses, is_revoked);
    }
    if (!is_revoked) {
      return;
    }
    const record_head& source = after->source();
    parts_.tell(access_revoked_event{about(led), source.final_url, source.status});
    if (options_.halt_revoked) {
      rulings_.halt(led.site_key, halt_reason::access_revoked, led.context);
    }
  }

  /// Returns true if a file was read as UTF-8 but is not valid UTF-8. Ignores a last character that
  /// the size limit cut in two.
  [[nodiscard]] static bool is_invalid_utf8(const record& retrieved) noexcept {
    std::string_view text = retrieved.body;
    if (retrieved.truncated) {
      text = text.substr(0, text.rfind('\n') + 1);
    }
    return retrieved.charset == detail::charset::utf_8 && !base::is_utf8(text);
  }

  const cache_options& options_;
  const detail::judge_options judging_;
  cache_parts& parts_;
  robots::rulings_detail::site_rulings& rulings_;
  base::counter_random random_;
  site_memory memory_;
};

}  // namespace robots::cache_detail

#pragma once

#include <robots/fetch/call_options.hpp>
#include <robots/fwd.hpp>
#include <robots/http/origin.hpp>
#include <robots/http/site.hpp>
#include <robots/observe/admission_reason.hpp>
#include <robots/observe/events.hpp>
#include <robots/policy/decide.hpp>
#include <robots/policy/decision.hpp>
#include <robots/policy/policy.hpp>
#include <robots/policy/policy_source.hpp>
#include <robots/polite/admission_stats.hpp>
#include <robots/polite/host_gate.hpp>
#include <robots/polite/restraints.hpp>
#include <robots/polite/schedule.hpp>
#include <robots/rep/read/product_token.hpp>
#include <robots/time/clock.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace robots {

/// Whether and when a URL may be fetched, with everything that the answer rests on. Where
/// robots.txt refuses, the gate was not asked, and there is no plan.
template <Clock C>
struct admission_result : basic_host_gate<C>::answer {
  robots::decision decision{};  ///< what robots.txt says; its policy is never null
};

/// One sentence for people: the answer, and what decided it.
template <Clock C>
[[nodiscard]] std::string explain(const admission_result<C>& what) {
  const std::string verdict = explain(what.decision);
  switch (what.reason) {
    case admission_reason::go:
      return "go " + explain(what.plan, what.planned_at) + "; " + verdict;
    case admission_reason::excluded:
    case admission_reason::invalid_url:
    case admission_reason::disallowed:
    case admission_reason::halted:
    case admission_reason::needs_sign_off:
      return "refused: " + verdict;
    default:
      return "refused: " + std::string{to_string(what.reason)} + ", " +
             explain(what.plan, what.planned_at) + "; " + verdict;
  }
}

/// What a `basic_admission` asks besides robots.txt and the gate.
struct admission_options {
  /// Until when a circuit breaker keeps requests for a URL back; nothing when it is closed. Called
  /// by any thread; may be empty.
  std::function<std::optional<time_point>(std::string_view url)> breaker{};
  /// Called with each URL that is refused because its site is halted, in quarantine or not signed
  /// off, whether it is new, waits or is reserved: for somebody to look at (the pipeline guide:
  /// "route pending tasks to a review workflow", "route requests to a dead-letter queue"). Called
  /// by the thread that asked. What it throws is dropped; may be empty.
  std::function<void(std::string_view url, const decision& why)> review{};
  /// Told of each answer, by the thread that asked. What it throws is dropped; may be empty. To
  /// tell an observer: `[log](const admission_event& told) mutable { log.on(told); }`.
  std::function<void(const admission_event& told)> tell{};
};

/// The one question of a crawler's loop: may I fetch this URL, and when?
///
/// Asks in this order, and stops at the first refusal: does the source allow the URL, by halts,
/// exclusions, sign-offs, overrides and robots.txt; when does the gate let a request go. A
/// robots.txt that was fetched on the way counts as a request to its host: the first page keeps its
/// distance from it. Once a reserved time has come, or the site is halted, the first question is
/// asked again. A source that tells of halts, as `basic_robots_cache` does, has all who wait for
/// such a site woken and refused.
///
///     auto got = front.admit(url);  // waits until it may go, or says why not
///     if (got) {
///       got.reservation.complete(
///           report_of(fetch(url), how_long, std::chrono::system_clock::now()));
///     }
///
/// The source hears of each page's status from `reservation::complete`; there is no need to call
/// `report_response`, too. Source and gate must outlive it and its reservations, and it the start
/// of its reservations. All members may be called from any thread.
template <PolicySource S, Clock C>
class basic_admission {
 public:
  /// What its members answer.
  using result = admission_result<C>;

  /// Asks `source` for decisions and `gate` for reservations.
  basic_admission(S& source, basic_host_gate<C>& gate, admission_options options = {})
      : source_(source), gate_(gate), options_(std::move(options)), clock_(gate) {
    if constexpr (requires { source.options().user_agent; }) {
      crawler_ = product_token(source.options().user_agent);
    }
    if constexpr (requires { source.on_denial([](std::string_view) {}); }) {
      denials_ = source.on_denial([&gate](std::string_view denied) {
        if (const auto where = parse_site(denied)) {
          for (const origin& each : where->origins()) {
            gate.withdraw(to_string(each) + '/');
          }
        }
      });
    }
  }

  /// Waits for robots.txt, a free place and the time to go. With a reservation: go now.
  [[nodiscard]] result admit(std::string_view url, const call_options& call = {}) {
    return answer(url, call, [&](decision& made) {
      auto got = gate_.acquire(url, limits_of(url, made.policy), call,
                               [this, url, &call, &made, again = false]() mutable {
                                 return look_again(url, call, again, made);
                               });
      // The function above refers to variables of this call.
      got.reservation.look_again_by({});
      return got;
    });
  }

  /// Waits for robots.txt only. With a reservation: go now.
  [[nodiscard]] result try_admit(std::string_view url, const call_options& call = {}) {
    return answer(url, call, [&](const decision& made) {
      return gate_.try_acquire(url, limits_of(url, made.policy));
    });
  }

  /// Waits for robots.txt only. With a reservation: go when `reservation::start` says so, which
  /// waits for robots.txt where it has to be fetched again.
  [[nodiscard]] result try_reserve(std::string_view url, const call_options& call = {}) {
    return answer(url, call, [&](const decision& made) {
      auto got = gate_.try_reserve(url, limits_of(url, made.policy));
      got.reservation.look_again_by([this, own = std::string{url}, context = call.context,
                                     agent = std::string{call.user_agent}, now = made,
                                     again = false]() mutable {
        const time_point began = gate_.clock().now();
        const call_options then{.user_agent = agent, .context = context};
        const admission_reason reason = look_again(own, then, again, now);
        if (reason != admission_reason::go) {
          note(own, now, reason, then, began);
        }
        return reason;
      });
      return got;
    });
  }

  /// When the next request for an allowed URL may start. Waits for robots.txt only.
  [[nodiscard]] schedule next_allowed_at(std::string_view url, const call_options& call = {}) {
    return gate_.next_allowed_at(url, limits_of(url, source_.get(url, call)));
  }

  /// The answers given so far. One that was `go` counts again if it was withdrawn when its time
  /// came.
  [[nodiscard]] admission_stats stats() const noexcept { return answers_.read(); }

 private:
  [[nodiscard]] restraints limits_of(std::string_view url, std::shared_ptr<const policy> rules) {
    restraints limits{.rules = std::move(rules)};
    const record_head source = limits.rules->source();
    // A fetch that began elsewhere is not the host's own: see `note_redirected`.
    const auto& key = gate_.options().key;
    if (!source.exchanges.empty() && key(source.exchanges.front().url) == key(url)) {
      limits.asked_at = limits.rules->fetched_at();
    }
    if (options_.breaker) {
      limits.breaker_open_until = options_.breaker(url);
    }
    return limits;
  }

  /// Answers, where robots.txt allows as `ask_gate` does, and notes the answer.
  template <class Ask>
  [[nodiscard]] result answer(std::string_view url, const call_options& call, const Ask& ask_gate) {
    const time_point asked = gate_.clock().now();
    result made;
    made.decision = source_.check(url, call);
    note_redirected(url, made.decision);
    made.reason = reason_of(made.decision);
    if (made) {
      static_cast<typename basic_host_gate<C>::answer&>(made) = ask_gate(made.decision);
    }
    if constexpr (requires { source_.report_response(url, 0, false, call); }) {
      if (made) {
        made.reservation.report_to([&source = source_, own = std::string{url},
                                    agent = std::string{call.user_agent},
                                    context = call.context](const request_report& report) {
          source.report_response(own, report.status, report.is_challenge,
                                 {.user_agent = agent, .context = context});
        });
      }
    }
    note(url, made.decision, made.reason, call, asked);
    return made;
  }

  [[nodiscard]] static admission_reason reason_of(const decision& made) noexcept {
    if (made.allowed) {
      return admission_reason::go;
    }
    switch (made.reason) {
      case decision_reason::excluded:
        return admission_reason::excluded;
      case decision_reason::invalid_url:
        return admission_reason::invalid_url;
      case decision_reason::halted:
        return admission_reason::halted;
      case decision_reason::needs_sign_off:
        return admission_reason::needs_sign_off;
      default:
        return admission_reason::disallowed;
    }
  }

  [[nodiscard]] bool is_denied(std::string_view url) {
    if constexpr (requires { source_.is_denied(url); }) {
      return source_.is_denied(url);
    } else {
      return false;
    }
  }

  [[nodiscard]] bool is_quarantined(std::string_view url) {
    if constexpr (requires { source_.is_quarantined(url); }) {
      return source_.is_quarantined(url);
    } else {
      return false;
    }
  }

  /// Decides again on a reservation whose time has come, `latest` being the decision so far. It
  /// counts only if it refuses: the URL was counted before. Where the robots.txt was fetched since,
  /// the request keeps its distance from it, and is not asked about once more: it would wait for
  /// ever where the delay is longer than rules are fresh.
  [[nodiscard]] admission_reason look_again(std::string_view url, const call_options& call,
                                            bool& again, decision& latest) {
    if (again && !is_denied(url)) {
      return admission_reason::go;
    }
    decision now = decide(source_.get(url, call), url, gate_.clock().now());
    now.from_cache = now.policy == latest.policy;
    if (!now.from_cache) {
      again = true;
      note_redirected(url, now);
      if (const restraints limits = limits_of(url, now.policy); limits.asked_at) {
        gate_.note_request(url, *limits.asked_at, limits);
      }
    }
    latest = std::move(now);
    if constexpr (requires { source_.note(url, latest, call); }) {
      if (!latest.allowed && latest.reason != decision_reason::excluded) {  // `get` counts those
        source_.note(url, latest, call);
      }
    }
    return reason_of(latest);
  }

  /// Tells the gate of other hosts that a fetch of this one's robots.txt was led to. The host
  /// itself is told of by `restraints::asked_at`.
  void note_redirected(std::string_view url, const decision& made) {
    const bool was_asked = !made.from_cache || made.revalidated;
    if (!was_asked) {
      return;
    }
    const record_head source = made.policy->source();
    const std::string own = gate_.options().key(url);
    for (const exchange& one : source.exchanges) {
      if (gate_.options().key(one.url) != own) {
        gate_.note_redirected(one.url, made.policy->fetched_at());
      }
    }
  }

  /// Counts an answer, and tells of it.
  void note(std::string_view url, const decision& made, admission_reason reason,
            const call_options& call, time_point asked) {
    answers_.add(reason);
    const bool is_for_review = reason == admission_reason::halted ||
                               reason == admission_reason::needs_sign_off ||
                               (reason == admission_reason::disallowed && is_quarantined(url));
    if (options_.review && is_for_review) {
      quietly([&] { options_.review(url, made); });
    }
    if (options_.tell) {
      const auto where = parse_site(url);
      const std::string key = where ? where->key() : std::string{};
      const event about{
          .site = key,
          .context = call.context.get(),
          .clock = &clock_,
          .crawler = call.user_agent.empty() ? std::string_view{crawler_} : call.user_agent};
      quietly([&] {
        options_.tell(admission_event{about, url, made, reason, gate_.clock().now() - asked});
      });
    }
  }

  /// Calls a function of the options. What that throws goes no further.
  template <class Call>
  static void quietly(const Call& call) noexcept {
    try {
      call();
    } catch (...) {
      return;  // the answer stands
    }
  }

  struct gate_clock final : event_clock {
    explicit gate_clock(basic_host_gate<C>& gate) noexcept : gate_(gate) {}
    [[nodiscard]] wall_time wall() noexcept override { return wall_now(gate_.clock()); }
    basic_host_gate<C>& gate_;
  };

  S& source_;
  basic_host_gate<C>& gate_;
  const admission_options options_;
  gate_clock clock_;
  std::string crawler_;  // empty if the source does not say
  polite_detail::admission_counters answers_;
  std::shared_ptr<const void> denials_;  // of sites, for as long as it lives
};

}  // namespace robots

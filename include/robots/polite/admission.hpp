#pragma once

#include <robots/fetch/call_options.hpp>
#include <robots/fwd.hpp>
#include <robots/http/excluded_hosts.hpp>
#include <robots/http/site.hpp>
#include <robots/policy/decision.hpp>
#include <robots/policy/policy.hpp>
#include <robots/polite/gate_refusal.hpp>
#include <robots/polite/host_gate.hpp>
#include <robots/polite/policy_source.hpp>
#include <robots/polite/restraints.hpp>
#include <robots/polite/schedule.hpp>
#include <robots/time/clock.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace robots {

/// What came of asking whether, and when, a URL may be fetched.
enum class admission_reason : std::uint8_t {
  go,           ///< it may, at the time of the pass
  excluded,     ///< the host is excluded by the crawler's own configuration
  invalid_url,  ///< the text is no http or https URL
  disallowed,   ///< robots.txt, or what stands in for it, does not allow it
  skip_host,    ///< the site wants more delay than the crawler bears with
  busy,         ///< as many requests are under way at the host as may be
  not_yet,      ///< it is too early
  no_room,      ///< the gate must remember too many hosts
  stopped,      ///< the call was stopped
  too_late,     ///< the deadline of the call comes before the time
};

/// The name of a reason, as its enumerator is spelled.
[[nodiscard]] constexpr std::string_view to_string(admission_reason reason) noexcept {
  switch (reason) {
    case admission_reason::go:
      return "go";
    case admission_reason::excluded:
      return "excluded";
    case admission_reason::invalid_url:
      return "invalid_url";
    case admission_reason::disallowed:
      return "disallowed";
    case admission_reason::skip_host:
      return "skip_host";
    case admission_reason::busy:
      return "busy";
    case admission_reason::not_yet:
      return "not_yet";
    case admission_reason::no_room:
      return "no_room";
    case admission_reason::stopped:
      return "stopped";
    case admission_reason::too_late:
      return "too_late";
  }
  return "invalid_url";
}

/// The reason that a refusal of the gate is.
[[nodiscard]] constexpr admission_reason reason_of(gate_refusal refusal) noexcept {
  switch (refusal) {
    case gate_refusal::none:
      return admission_reason::go;
    case gate_refusal::invalid_url:
      return admission_reason::invalid_url;
    case gate_refusal::busy:
      return admission_reason::busy;
    case gate_refusal::not_yet:
      return admission_reason::not_yet;
    case gate_refusal::skip_host:
      return admission_reason::skip_host;
    case gate_refusal::no_room:
      return admission_reason::no_room;
    case gate_refusal::stopped:
      return admission_reason::stopped;
    case gate_refusal::too_late:
      return admission_reason::too_late;
  }
  return admission_reason::invalid_url;
}

/// Whether and when a URL may be fetched, with everything that the answer rests on.
template <Clock C>
struct admission_result {
  admission_reason reason = admission_reason::invalid_url;  ///< the answer
  robots::decision decision{};  ///< what robots.txt says; its policy is never null
  schedule plan{};              ///< when, and why not sooner; nothing where robots.txt refuses
  time_point planned_at{};      ///< when `plan` was made: what came before was waiting for a slot
  typename basic_host_gate<C>::pass slot{};  ///< the pass; empty unless `reason` is `go`

  /// Whether a pass was given.
  [[nodiscard]] explicit operator bool() const noexcept { return reason == admission_reason::go; }
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
      return "refused: " + verdict;
    default:
      return "refused: " + std::string{to_string(what.reason)} + ", " +
             explain(what.plan, what.planned_at) + "; " + verdict;
  }
}

/// What a `basic_admission` asks besides robots.txt and the gate.
struct admission_options {
  /// Hosts that are never asked for anything, robots.txt included; as for `should_skip_by_tld`.
  std::vector<std::string> excluded{};
  /// Until when a circuit breaker keeps requests for a URL back; nothing when it is closed. Called
  /// by any thread; may be empty.
  std::function<std::optional<time_point>(std::string_view url)> breaker{};
};

/// The one question of a crawler's loop: may I fetch this URL, and when?
///
/// Asks in this order, and stops at the first refusal: is the host excluded; does robots.txt allow
/// the URL; when does the gate let a request go. A robots.txt that was fetched on the way counts as
/// a request to its host: the first page keeps its distance from it.
///
///     auto got = front.admit(url);  // waits until it may go, or says why not
///     if (got) {
///       got.slot.complete(report_of(fetch(url), how_long, std::chrono::system_clock::now()));
///     }
///
/// Source and gate must outlive it. All members may be called from any thread.
template <PolicySource S, Clock C>
class basic_admission {
 public:
  /// What its members answer.
  using result = admission_result<C>;

  /// Throws `std::invalid_argument` for an excluded host that is none.
  basic_admission(S& source, basic_host_gate<C>& gate, admission_options options = {})
      : source_(source),
        gate_(gate),
        excluded_(options.excluded),
        breaker_(std::move(options.breaker)),
        excluded_policy_(policy::refusal({}, "the host is excluded")) {}

  /// Waits for robots.txt, a free slot and the time to go. With a pass: go now.
  [[nodiscard]] result admit(std::string_view url, const call_options& call = {}) {
    return decide(url, call,
                  [&](const restraints& limits) { return gate_.acquire(url, limits, call); });
  }

  /// Waits for robots.txt only. With a pass: go now.
  [[nodiscard]] result try_admit(std::string_view url, const call_options& call = {}) {
    return decide(url, call,
                  [&](const restraints& limits) { return gate_.try_acquire(url, limits); });
  }

  /// Waits for robots.txt only. With a pass: go when `pass::start` says so.
  [[nodiscard]] result try_reserve(std::string_view url, const call_options& call = {}) {
    return decide(url, call,
                  [&](const restraints& limits) { return gate_.try_reserve(url, limits); });
  }

  /// When the next request for an allowed URL may start. Waits for robots.txt only.
  [[nodiscard]] schedule next_allowed_at(std::string_view url, const call_options& call = {}) {
    return gate_.next_allowed_at(url, limits_of(url, source_.get(url, call)));
  }

 private:
  [[nodiscard]] restraints limits_of(std::string_view url, std::shared_ptr<const policy> rules) {
    restraints limits{.rules = std::move(rules)};
    if (!limits.rules->source().exchanges.empty()) {
      limits.asked_at = limits.rules->source().fetched_at;
    }
    if (breaker_) {
      limits.breaker_open_until = breaker_(url);
    }
    return limits;
  }

  template <class Enter>
  [[nodiscard]] result decide(std::string_view url, const call_options& call, const Enter& enter) {
    result made;
    if (!excluded_.empty()) {
      const std::optional<site> where = parse_site(url);
      if (where && excluded_.contains(where->host)) {
        made.reason = admission_reason::excluded;
        made.decision = {.reason = decision_reason::excluded, .policy = excluded_policy_};
        return made;
      }
    }
    made.decision = source_.check(url, call);
    if (!made.decision.from_cache) {
      note_exchanges(*made.decision.policy);
    }
    if (!made.decision.allowed) {
      made.reason = made.decision.reason == decision_reason::excluded ? admission_reason::excluded
                    : made.decision.reason == decision_reason::invalid_url
                        ? admission_reason::invalid_url
                        : admission_reason::disallowed;
      return made;
    }
    auto entered = enter(limits_of(url, made.decision.policy));
    made.reason = reason_of(entered.refusal);
    made.plan = entered.plan;
    made.planned_at = entered.planned_at;
    made.slot = std::move(entered.slot);
    return made;
  }

  /// The host of the URL keeps its distance anyway; this is for those it was redirected to.
  void note_exchanges(const policy& fetched) {
    for (const exchange& each : fetched.source().exchanges) {
      gate_.note_request(each.url, fetched.source().fetched_at);
    }
  }

  S& source_;
  basic_host_gate<C>& gate_;
  excluded_hosts excluded_;
  std::function<std::optional<time_point>(std::string_view)> breaker_;
  std::shared_ptr<const policy> excluded_policy_;
};

}  // namespace robots

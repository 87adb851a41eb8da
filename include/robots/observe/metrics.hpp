#pragma once

#include <robots/base/enum_counts.hpp>
#include <robots/base/striped_counters.hpp>
#include <robots/http/site_key.hpp>
#include <robots/observe/detail/frequent_hosts.hpp>
#include <robots/observe/duration_histogram.hpp>
#include <robots/observe/metrics_snapshot.hpp>
#include <robots/observe/observer.hpp>
#include <robots/policy/decision.hpp>
#include <robots/policy/policy.hpp>
#include <robots/policy/record.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace robots {

/// What a `Metrics` remembers.
struct metrics_options {
  /// About how many hosts `metrics_snapshot::denied_hosts` has at most, at 100 octets each; 0 for
  /// none. A host with more than 16 / `denied_hosts` of all denials (1.6 % by default) is always
  /// among them.
  std::size_t denied_hosts = 1'024;
};

/// An observer that keeps every figure that an operator wants to see (SPYDER's list of metrics; the
/// pipeline guide). A handle: copies count together, so that one may be given to several caches,
/// which it then sums, and to `admission_options::tell`. Any thread.
///
/// A hit that allows costs a few nanoseconds more than with `NullObserver`: two counters of the
/// thread's own. It counts from events, and no more than that: what a cache holds now, such as its
/// size, only `basic_robots_cache::stats` knows. For exporters, see `metric_families`.
class Metrics {
 public:
  /// Counts from zero.
  Metrics() : Metrics(metrics_options{}) {}
  /// Counts from zero.
  explicit Metrics(const metrics_options& options) : shared_(std::make_shared<state>(options)) {}

  /// What was counted so far. The figures are read one by one, not at one instant.
  [[nodiscard]] metrics_snapshot snapshot() const {
    const state& now = *shared_;
    metrics_snapshot all;
    all.hits = now.hot.sum(tally::hit);
    all.stale_hits = now.hot.sum(tally::stale_hit);
    all.misses = now.hot.sum(tally::miss);
    all.joined = now.hot.sum(tally::joined);
    for (std::size_t i = 0; i < all.allowed_for.size; ++i) {
      const auto reason = static_cast<decision_reason>(i);
      all.allowed_for[reason] = now.hot.sum(tally_of(reason, true));
      all.denied_for[reason] = now.hot.sum(tally_of(reason, false));
    }
    all.allowed = all.allowed_for.total();
    all.denied = all.denied_for.total();
    all.excluded = all.denied_for[decision_reason::excluded];
    all.denied_hosts = now.denied_hosts.read();
    all.outcomes = now.outcomes.read();
    all.retrievals = all.outcomes.total();
    for (std::size_t i = 0; i < outcome_count; ++i) {
      all.fallbacks[i] = now.fallbacks[i].read();
      const auto row = static_cast<outcome>(i);
      all.failures += is_failure(row) ? all.outcomes[row] : 0;
    }
    for (std::size_t i = 0; i < now.statuses.size(); ++i) {
      if (const std::uint64_t count = now.statuses[i].load(std::memory_order_relaxed)) {
        all.statuses.push_back({static_cast<int>(i), count});
      }
    }
    all.errors = now.errors.read();
    all.exchange_duration = now.exchange_duration.read();
    all.fetch_duration = now.fetch_duration.read();
    all.parse_duration = now.parse_duration.read();
    all.gate_wait = now.gate_wait.read();
    all.admissions = now.admissions.read();
    all.not_modified = now.not_modified;
    all.far_hits = now.far_hits;
    all.evictions = now.evictions;
    all.retries = now.retries;
    all.bytes = now.bytes;
    all.malformed_lines = now.malformed_lines;
    all.expiries = now.expiries;
    all.quarantines = now.quarantines;
    all.releases = now.releases;
    all.breaker_openings = now.breaker_openings;
    all.overrides = now.overrides;
    all.policy_changes = now.policy_changes;
    all.fast_changes = now.fast_changes;
    all.revocations = now.revocations;
    all.halts = now.halts;
    all.resumptions = now.resumptions;
    all.far_outages = now.far_outages;
    all.far_returns = now.far_returns;
    return all;
  }

  /// Counts a look-up.
  void on(const look_up_event& told) noexcept { shared_->hot.add(static_cast<tally>(told.result)); }
  /// Counts a decision and, if it denied, its host.
  void on(const decision_event& told) {
    const decision& made = told.decision;
    shared_->hot.add(tally_of(made.reason, made.allowed));
    if (!made.allowed && !told.site.empty()) {
      shared_->denied_hosts.add(host_of_site_key(told.site));
    }
  }
  /// Counts a request and what came back.
  void on(const exchange_event& told) noexcept {
    const int status = told.exchange.status;
    if (told.exchange.error != fetch_error::none) {
      shared_->errors.add(told.exchange.error);
    } else {
      ++shared_->statuses[status >= 100 && status < 600 ? static_cast<std::size_t>(status) : 0];
    }
    shared_->bytes += told.bytes;
    shared_->exchange_duration.add(told.duration);
  }
  /// Counts a file that was read.
  void on(const parse_event& told) noexcept {
    shared_->malformed_lines += told.policy.lines().malformed;
    shared_->parse_duration.add(told.duration);
  }
  /// Counts a retrieval.
  void on(const retrieval_event& told) noexcept {
    const record_head& source = told.policy.source();
    shared_->outcomes.add(source.outcome);
    shared_->not_modified += source.not_modified ? 1 : 0;
    shared_->retries += static_cast<std::uint64_t>(std::max(told.record.attempts - 1, 0));
    shared_->fetch_duration.add(told.duration);
  }
  /// Counts an answer of the shared store.
  void on(const far_hit_event& /*told*/) noexcept { ++shared_->far_hits; }
  /// Counts a policy that the fallback policy decided.
  void on(const fallback_event& told) noexcept {
    shared_->fallbacks[static_cast<std::size_t>(told.policy.source().outcome)].add(
        told.policy.basis());
  }
  /// Counts a breaker that opens.
  void on(const breaker_event& told) noexcept {
    shared_->breaker_openings += told.state == breaker_state::open ? 1 : 0;
  }
  /// Counts an entry dropped.
  void on(const drop_event& told) noexcept {
    ++(told.expired ? shared_->expiries : shared_->evictions);
  }
  /// Counts a site that is put in quarantine, or let out.
  void on(const quarantine_event& told) noexcept {
    ++(told.released ? shared_->releases : shared_->quarantines);
  }
  /// Counts an override that is set or lifted.
  void on(const override_event& /*told*/) noexcept { ++shared_->overrides; }
  /// Counts a change of what a site asks for.
  void on(const policy_change_event& told) noexcept {
    ++shared_->policy_changes;
    shared_->fast_changes += told.fast ? 1 : 0;
  }
  /// Counts a page that was refused though robots.txt allows it.
  void on(const access_revoked_event& /*told*/) noexcept { ++shared_->revocations; }
  /// Counts a site that is halted or resumed.
  void on(const halt_event& told) noexcept {
    ++(told.resumed ? shared_->resumptions : shared_->halts);
  }
  /// Counts a shared store that fails or is back.
  void on(const far_store_event& told) noexcept {
    ++(told.up ? shared_->far_returns : shared_->far_outages);
  }
  /// Counts an answer of a gate.
  void on(const admission_event& told) noexcept {
    shared_->admissions.add(told.reason);
    if (told.reason == admission_reason::go) {
      shared_->gate_wait.add(told.waited);
    }
  }

 private:
  static constexpr std::size_t reasons = static_cast<std::size_t>(decision_reason::invalid_url) + 1;

  /// What hits count: look-ups by their result, and decisions by what was decided and why.
  enum class tally : unsigned char {
    hit = static_cast<unsigned char>(look_up_result::hit),
    stale_hit = static_cast<unsigned char>(look_up_result::stale_hit),
    miss = static_cast<unsigned char>(look_up_result::miss),
    joined = static_cast<unsigned char>(look_up_result::joined),
    decisions,
    count_ = decisions + 2 * reasons
  };

  [[nodiscard]] static tally tally_of(decision_reason reason, bool allowed) noexcept {
    return static_cast<tally>(static_cast<std::size_t>(tally::decisions) +
                              2 * static_cast<std::size_t>(reason) + (allowed ? 1 : 0));
  }

  using counter = std::atomic<std::uint64_t>;

  struct state {
    explicit state(const metrics_options& options) : denied_hosts(options.denied_hosts) {}

    base::striped_counters<tally> hot;
    observe_detail::frequent_hosts denied_hosts;
    base::enum_counters<outcome::quarantined> outcomes;
    std::array<base::enum_counters<policy_basis::last_good>, outcome_count> fallbacks;
    std::array<counter, 600> statuses{};
    base::enum_counters<fetch_error::other> errors;
    // Bounds in seconds.
    observe_detail::duration_counters exchange_duration{
        {0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0}};
    observe_detail::duration_counters fetch_duration{
        {0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0}};
    observe_detail::duration_counters parse_duration{
        {1e-5, 2.5e-5, 5e-5, 1e-4, 2.5e-4, 5e-4, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.1}};
    observe_detail::duration_counters gate_wait{
        {0.01, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0}};
    base::enum_counters<admission_reason::too_late> admissions;
    counter not_modified{0}, far_hits{0}, evictions{0}, retries{0}, bytes{0}, malformed_lines{0},
        expiries{0}, quarantines{0}, releases{0}, breaker_openings{0}, overrides{0},
        policy_changes{0}, fast_changes{0}, revocations{0}, halts{0}, resumptions{0},
        far_outages{0}, far_returns{0};
  };

  std::shared_ptr<state> shared_;
};

static_assert(Observer<Metrics>);

}  // namespace robots

#pragma once

#include <robots/base/config.hpp>
#include <robots/base/enum_counts.hpp>
#include <robots/base/striped_counters.hpp>
#include <robots/http/host.hpp>
#include <robots/observe/detail/domain_counters.hpp>
#include <robots/observe/detail/frequent_hosts.hpp>
#include <robots/observe/duration_histogram.hpp>
#include <robots/observe/metrics.hpp>
#include <robots/policy/decision.hpp>
#include <robots/policy/policy.hpp>
#include <robots/policy/record.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace robots {

struct Metrics::state {
  static constexpr std::size_t reasons = static_cast<std::size_t>(decision_reason::invalid_url) + 1;

  /// The counts of hits: look-ups by result, decisions by answer and reason.
  enum class tally : unsigned char {
    hit = static_cast<unsigned char>(look_up_result::hit),
    stale_hit = static_cast<unsigned char>(look_up_result::stale_hit),
    miss = static_cast<unsigned char>(look_up_result::miss),
    joined = static_cast<unsigned char>(look_up_result::joined),
    decisions,
    count_ = decisions + 2 * reasons
  };

  using counter = std::atomic<std::uint64_t>;

  [[nodiscard]] static tally tally_of(decision_reason reason, bool allowed) noexcept {
    return static_cast<tally>(static_cast<std::size_t>(tally::decisions) +
                              2 * static_cast<std::size_t>(reason) + (allowed ? 1 : 0));
  }

  explicit state(const metrics_options& options)
      : denied_hosts(options.denied_hosts), domains(options.domains) {}

  base::striped_counters<tally> hot;
  observe_detail::frequent_hosts denied_hosts;
  observe_detail::domain_counters domains;
  base::enum_counters<outcome::redirected> outcomes;
  std::array<base::enum_counters<policy_basis::redirected>, outcome_count> fallbacks;
  std::array<counter, 600> statuses{};
  base::enum_counters<fetch_error::connection_refused> errors;
  // The bounds, in seconds.
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
      awaited_sign_offs{0}, far_outages{0}, far_returns{0};
};

ROBOTS_INLINE Metrics::Metrics(const metrics_options& options)
    : shared_(std::make_shared<state>(options)) {}

ROBOTS_INLINE metrics_snapshot Metrics::snapshot() const {
  const state& now = *shared_;
  metrics_snapshot all;
  all.hits = now.hot.sum(state::tally::hit);
  all.stale_hits = now.hot.sum(state::tally::stale_hit);
  all.misses = now.hot.sum(state::tally::miss);
  all.joined = now.hot.sum(state::tally::joined);
  for (std::size_t i = 0; i < all.allowed_for.size; ++i) {
    const auto reason = static_cast<decision_reason>(i);
    all.allowed_for[reason] = now.hot.sum(state::tally_of(reason, true));
    all.denied_for[reason] = now.hot.sum(state::tally_of(reason, false));
  }
  all.allowed = all.allowed_for.total();
  all.denied = all.denied_for.total();
  all.excluded = all.denied_for[decision_reason::excluded];
  all.denied_hosts = now.denied_hosts.read();
  all.domains = now.domains.read();
  all.outcomes = now.outcomes.read();
  all.retrievals = all.outcomes.total();
  for (std::size_t i = 0; i < outcome_count; ++i) {
    all.fallbacks[i] = now.fallbacks[i].read();
    const auto row = static_cast<outcome>(i);
    all.failures += detail::is_successful(row) ? 0 : all.outcomes[row];
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
  all.awaited_sign_offs = now.awaited_sign_offs;
  all.far_outages = now.far_outages;
  all.far_returns = now.far_returns;
  return all;
}

ROBOTS_INLINE void Metrics::on(const look_up_event& event) {
  shared_->hot.add(static_cast<state::tally>(event.result));
  shared_->domains.add(event.site, event.result);
}

ROBOTS_INLINE void Metrics::on(const decision_event& event) {
  const decision& decided = event.decision;
  shared_->hot.add(state::tally_of(decided.reason, decided.allowed));
  if (decided.allowed) {
    return;
  }
  shared_->domains.add(event.site, decided.reason);
  if (!event.site.empty()) {
    shared_->denied_hosts.add(host_of(event.site));
  }
}

ROBOTS_INLINE void Metrics::on(const exchange_event& event) noexcept {
  const int status = event.exchange.status;
  if (event.exchange.error != fetch_error::none) {
    shared_->errors.add(event.exchange.error);
  } else {
    ++shared_->statuses[status >= 100 && status < 600 ? static_cast<std::size_t>(status) : 0];
  }
  shared_->bytes += event.bytes;
  shared_->exchange_duration.add(event.duration);
}

ROBOTS_INLINE void Metrics::on(const parse_event& event) noexcept {
  shared_->malformed_lines += event.policy.lines().malformed;
  shared_->parse_duration.add(event.duration);
}

ROBOTS_INLINE void Metrics::on(const retrieval_event& event) noexcept {
  shared_->outcomes.add(event.policy.outcome());
  shared_->not_modified += event.record.not_modified ? 1 : 0;
  shared_->retries += static_cast<std::uint64_t>((std::max)(event.record.attempts - 1, 0));
  shared_->fetch_duration.add(event.duration);
}

ROBOTS_INLINE void Metrics::on(const far_hit_event& /*event*/) noexcept { ++shared_->far_hits; }

ROBOTS_INLINE void Metrics::on(const fallback_event& event) noexcept {
  shared_->fallbacks[static_cast<std::size_t>(event.policy.outcome())].add(event.policy.basis());
}

ROBOTS_INLINE void Metrics::on(const breaker_event& event) noexcept {
  shared_->breaker_openings += event.state == breaker_state::open ? 1 : 0;
}

ROBOTS_INLINE void Metrics::on(const drop_event& event) noexcept {
  ++(event.expired ? shared_->expiries : shared_->evictions);
}

ROBOTS_INLINE void Metrics::on(const quarantine_event& event) noexcept {
  ++(event.released ? shared_->releases : shared_->quarantines);
}

ROBOTS_INLINE void Metrics::on(const override_event& /*event*/) noexcept { ++shared_->overrides; }

ROBOTS_INLINE void Metrics::on(const policy_change_event& event) noexcept {
  ++shared_->policy_changes;
  shared_->fast_changes += event.fast ? 1 : 0;
}

ROBOTS_INLINE void Metrics::on(const access_revoked_event& /*event*/) noexcept {
  ++shared_->revocations;
}

ROBOTS_INLINE void Metrics::on(const halt_event& event) noexcept {
  ++(event.resumed ? shared_->resumptions : shared_->halts);
}

ROBOTS_INLINE void Metrics::on(const sign_off_event& event) noexcept {
  shared_->awaited_sign_offs += event.awaited ? 1 : 0;
}

ROBOTS_INLINE void Metrics::on(const far_store_event& event) noexcept {
  ++(event.up ? shared_->far_returns : shared_->far_outages);
}

ROBOTS_INLINE void Metrics::on(const admission_event& event) noexcept {
  shared_->admissions.add(event.reason);
  if (event.reason == admission_reason::go) {
    shared_->gate_wait.add(event.waited);
  }
}

}  // namespace robots

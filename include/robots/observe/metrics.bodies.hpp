#pragma once

#include <robots/base/config.hpp>
#include <robots/base/counters.hpp>
#include <robots/fetch/outcome.hpp>
#include <robots/http/host.hpp>
#include <robots/http/message.hpp>
#include <robots/observe/metrics.hpp>
#include <robots/observe/metrics_snapshot.hpp>
#include <robots/policy/decision.hpp>
#include <robots/policy/policy.hpp>
#include <robots/policy/record.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

namespace robots {

namespace observe_detail {

/// Counts an event other than a look-up or a decision.
struct counting {
  metrics_snapshot& counts;

  void operator()(const event_base& /*event*/) const {}
  void operator()(const exchange_event& event) const {
    const detail::exchange& ended = event.exchange;
    if (ended.error != fetch_error::none) {
      ++counts.errors[ended.error];
    } else {
      const int status = ended.status >= 100 && ended.status < 600 ? ended.status : 0;
      ++counts.statuses[status];
    }
    counts.bytes += event.bytes;
    counts.exchange_duration.add(event.duration);
  }
  void operator()(const parse_event& event) const {
    counts.malformed_lines += event.policy.lines().malformed;
    counts.parse_duration.add(event.duration);
  }
  void operator()(const retrieval_event& event) const {
    const outcome got = event.policy.outcome();
    ++counts.retrievals;
    ++counts.outcomes[got];
    counts.failures += detail::is_successful(got) ? 0U : 1U;
    counts.not_modified += event.record.not_modified ? 1U : 0U;
    counts.retries += static_cast<std::uint64_t>((std::max)(event.record.attempts - 1, 0));
    counts.fetch_duration.add(event.duration);
  }
  void operator()(const far_hit_event& /*event*/) const { ++counts.far_hits; }
  void operator()(const fallback_event& event) const {
    const auto row = static_cast<std::size_t>(event.policy.outcome());
    ++counts.fallbacks[row][event.policy.basis()];
  }
  void operator()(const breaker_event& event) const {
    counts.breaker_openings += event.state == breaker_state::open ? 1U : 0U;
  }
  void operator()(const drop_event& event) const {
    ++(event.expired ? counts.expiries : counts.evictions);
  }
  void operator()(const quarantine_event& event) const {
    ++(event.released ? counts.releases : counts.quarantines);
  }
  void operator()(const override_event& /*event*/) const { ++counts.overrides; }
  void operator()(const policy_change_event& event) const {
    ++counts.policy_changes;
    counts.fast_changes += event.fast ? 1U : 0U;
  }
  void operator()(const access_revoked_event& /*event*/) const { ++counts.revocations; }
  void operator()(const licence_demanded_event& /*event*/) const { ++counts.licence_demands; }
  void operator()(const halt_event& event) const {
    ++(event.resumed ? counts.resumptions : counts.halts);
  }
  void operator()(const sign_off_event& event) const {
    counts.awaited_sign_offs += event.awaited ? 1U : 0U;
  }
  void operator()(const far_store_event& event) const {
    ++(event.up ? counts.far_returns : counts.far_outages);
  }
  void operator()(const admission_event& event) const {
    ++counts.admissions[event.reason];
    if (event.reason == admission_reason::go) {
      counts.gate_wait.add(event.waited);
    }
  }
};

}  // namespace observe_detail

struct Metrics::state {
  explicit state(const metrics_options& options) : most_domains{options.domains} {
    if (most_domains != 0) {
      counts.domains.try_emplace(std::string{});
    }
  }

  /// Calls `change` with the counts of the domain of `site`. At the limit, a new domain is counted
  /// under the empty name. No domain is removed, since exporters require that no count falls.
  template <class Change>
  void change_domain(std::string_view site, const Change& change) {
    if (most_domains == 0) {
      return;
    }
    const std::string_view domain = host_of(site);
    const std::scoped_lock lock{mutex};
    auto own = counts.domains.find(domain);
    if (own == counts.domains.end()) {
      const bool has_room = counts.domains.size() <= most_domains;
      own = counts.domains.try_emplace(has_room ? std::string{domain} : std::string{}).first;
    }
    change(own->second);
  }

  // These counters need no lock, so that counting a cache hit is fast.
  base::enum_counters<look_up_result::joined> look_ups;
  base::enum_counters<decision_reason::invalid_url> allowed;
  base::enum_counters<decision_reason::invalid_url> denied;
  const std::size_t most_domains;
  std::mutex mutex;         // guards `counts`
  metrics_snapshot counts;  // all other counts
};

ROBOTS_INLINE Metrics::Metrics(const metrics_options& options)
    : shared_(std::make_shared<state>(options)) {}

ROBOTS_INLINE metrics_snapshot Metrics::snapshot() const {
  state& now = *shared_;
  std::unique_lock lock{now.mutex};
  metrics_snapshot all = now.counts;
  lock.unlock();
  const auto look_ups = now.look_ups.read();
  all.hits = look_ups[look_up_result::hit];
  all.stale_hits = look_ups[look_up_result::stale_hit];
  all.misses = look_ups[look_up_result::miss];
  all.joined = look_ups[look_up_result::joined];
  all.allowed_for = now.allowed.read();
  all.denied_for = now.denied.read();
  all.allowed = all.allowed_for.total();
  all.denied = all.denied_for.total();
  all.excluded = all.denied_for[decision_reason::excluded];
  return all;
}

ROBOTS_INLINE void Metrics::on(const look_up_event& event) {
  shared_->look_ups.add(event.result);
  shared_->change_domain(event.site, [&](auto& own) { ++own.look_ups[event.result]; });
}

ROBOTS_INLINE void Metrics::on(const decision_event& event) {
  const decision& decided = event.decision;
  (decided.allowed ? shared_->allowed : shared_->denied).add(decided.reason);
  if (!decided.allowed) {
    shared_->change_domain(event.site, [&](auto& own) { ++own.denied_for[decided.reason]; });
  }
}

ROBOTS_INLINE void Metrics::on(const any_event& event) {
  const std::scoped_lock lock{shared_->mutex};
  event.visit(observe_detail::counting{shared_->counts});
}

}  // namespace robots

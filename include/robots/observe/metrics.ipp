#pragma once

#include <robots/base/config.hpp>
#include <robots/base/striped_counters.hpp>
#include <robots/base/text_hash.hpp>
#include <robots/http/host.hpp>
#include <robots/observe/metrics.hpp>
#include <robots/policy/decision.hpp>
#include <robots/policy/policy.hpp>
#include <robots/policy/record.hpp>

#include <boost/unordered/unordered_flat_map.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>

namespace robots {

namespace observe_detail {

/// Counts an event that is not a look-up or a decision.
struct counting {
  metrics_snapshot& counts;

  void operator()(const event_base& /*event*/) const {}
  void operator()(const exchange_event& event) const {
    const detail::exchange& ended = event.exchange;
    if (ended.error != fetch_error::none) {
      ++counts.errors[ended.error];
    } else {
      const int status = ended.status >= 100 && ended.status < 600 ? ended.status : 0;
      auto place = std::find_if(counts.statuses.begin(), counts.statuses.end(),
                                [status](const auto& counted) { return counted.status >= status; });
      if (place == counts.statuses.end() || place->status != status) {
        place = counts.statuses.insert(place, {.status = status});
      }
      ++place->count;
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
  static constexpr std::size_t reasons = static_cast<std::size_t>(decision_reason::invalid_url) + 1;

  /// The counts that a hit changes: look-ups by result, and decisions by answer and reason.
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

  explicit state(const metrics_options& options) : most_domains{options.domains} {
    if (most_domains != 0) {
      domains.try_emplace(std::string{});
    }
  }

  /// Changes the counts of the domain of a site. The first domains have separate counts. All later
  /// domains share the counts of the empty domain. So no count ever falls, as exporters require.
  template <class Change>
  void change_domain(std::string_view site, const Change& change) {
    if (most_domains == 0) {
      return;
    }
    const std::string_view domain = host_of(site);
    const std::scoped_lock lock{domain_mutex};
    auto own = domains.find(domain);
    if (own == domains.end()) {
      const bool has_room = domains.size() <= most_domains;
      own = domains.try_emplace(has_room ? std::string{domain} : std::string{}).first;
    }
    change(own->second);
  }

  base::striped_counters<tally> hot;
  std::mutex mutex;         // guards `counts`
  metrics_snapshot counts;  // all counts except the counts in `hot` and `domains`
  const std::size_t most_domains;
  std::mutex domain_mutex;  // guards `domains`
  boost::unordered_flat_map<std::string, metrics_snapshot::domain_counts, base::text_hash,
                            std::equal_to<>>
      domains;
};

ROBOTS_INLINE Metrics::Metrics(const metrics_options& options)
    : shared_(std::make_shared<state>(options)) {}

ROBOTS_INLINE metrics_snapshot Metrics::snapshot() const {
  state& now = *shared_;
  std::unique_lock lock{now.mutex};
  metrics_snapshot all = now.counts;
  lock.unlock();
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
  const std::scoped_lock domain_lock{now.domain_mutex};
  for (const auto& [domain, own] : now.domains) {
    all.domains.push_back({domain, own.look_ups, own.denied_for});
  }
  std::sort(all.domains.begin(), all.domains.end(),
            [](const metrics_snapshot::domain_counts& a, const metrics_snapshot::domain_counts& b) {
              return a.domain < b.domain;
            });
  return all;
}

ROBOTS_INLINE void Metrics::on(const look_up_event& event) {
  shared_->hot.add(static_cast<state::tally>(event.result));
  shared_->change_domain(event.site, [&](auto& own) { ++own.look_ups[event.result]; });
}

ROBOTS_INLINE void Metrics::on(const decision_event& event) {
  const decision& decided = event.decision;
  shared_->hot.add(state::tally_of(decided.reason, decided.allowed));
  if (!decided.allowed) {
    shared_->change_domain(event.site, [&](auto& own) { ++own.denied_for[decided.reason]; });
  }
}

ROBOTS_INLINE void Metrics::on(const any_event& event) {
  const std::scoped_lock lock{shared_->mutex};
  event.visit(observe_detail::counting{shared_->counts});
}

}  // namespace robots

#pragma once

#include <robots/observe/metrics_snapshot.hpp>
#include <robots/observe/observer.hpp>

#include <cstddef>
#include <memory>

namespace robots {

/// The limits of a `Metrics`.
struct metrics_options {
  /// About how many hosts `metrics_snapshot::denied_hosts` has at most, 100 octets each; 0 for
  /// none. A host with more than 16 / `denied_hosts` of all denials (1.6 % by default) is always
  /// included.
  std::size_t denied_hosts = 1'024;
  /// The number of domains with counters (`metrics_snapshot::domains`), about 300 octets each. The
  /// first domains get them; all later domains are counted together, without a label. A monitoring
  /// system stores a series for each domain, so choose a number that it can hold. With 0, no counts
  /// by domain. Above 0, each look-up takes a shared lock.
  std::size_t domains = 0;
};

/// An observer that keeps every figure that an operator wants to see (SPYDER's list of metrics; the
/// pipeline guide). A handle: copies share their counts. Give it to several caches and gates to get
/// their sums. Any thread may call it.
///
/// A hit that allows costs a few nanoseconds more than with `NullObserver`: it adds to two counters
/// of the thread. It counts events only. The present state of a cache, such as its size, is in
/// `basic_robots_cache::stats`. To export the figures, see `metric_families`.
class Metrics {
 public:
  /// Counts from zero.
  Metrics() : Metrics(metrics_options{}) {}
  /// Counts from zero.
  explicit Metrics(const metrics_options& options);

  /// Returns the counts. They are read one by one, not at one moment.
  [[nodiscard]] metrics_snapshot snapshot() const;

  /// Counts a look-up and, if `metrics_options::domains` asks for it, its domain.
  void on(const look_up_event& event);
  /// Counts a decision. If it denied, also counts its host and domain.
  void on(const decision_event& event);
  /// Counts a request and its response.
  void on(const exchange_event& event) noexcept;
  /// Counts a file that was parsed.
  void on(const parse_event& event) noexcept;
  /// Counts a retrieval.
  void on(const retrieval_event& event) noexcept;
  /// Counts an answer of the shared store.
  void on(const far_hit_event& /*event*/) noexcept;
  /// Counts a policy that the fallback policy decided.
  void on(const fallback_event& event) noexcept;
  /// Counts a breaker that opens.
  void on(const breaker_event& event) noexcept;
  /// Counts a dropped entry.
  void on(const drop_event& event) noexcept;
  /// Counts the begin or the end of a quarantine.
  void on(const quarantine_event& event) noexcept;
  /// Counts an override that is set or lifted.
  void on(const override_event& /*event*/) noexcept;
  /// Counts a change of a site's rules.
  void on(const policy_change_event& event) noexcept;
  /// Counts a page that was refused though robots.txt allows it.
  void on(const access_revoked_event& /*event*/) noexcept;
  /// Counts a site that is halted or resumed.
  void on(const halt_event& event) noexcept;
  /// Counts a high-risk site that is seen for the first time.
  void on(const sign_off_event& event) noexcept;
  /// Counts a shared store that fails or answers again.
  void on(const far_store_event& event) noexcept;
  /// Counts an answer of a gate.
  void on(const admission_event& event) noexcept;

 private:
  struct state;

  std::shared_ptr<state> shared_;
};

static_assert(Observer<Metrics>);

}  // namespace robots

#ifndef ROBOTS_COMPILED
#include <robots/observe/metrics.ipp>
#endif

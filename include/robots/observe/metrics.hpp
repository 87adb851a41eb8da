#pragma once

#include <robots/observe/metrics_snapshot.hpp>
#include <robots/observe/observer.hpp>

#include <cstddef>
#include <memory>

namespace robots {

/// The limits of a `Metrics`.
struct metrics_options {
  /// The number of domains with counters (`metrics_snapshot::domains`), about 300 octets each. The
  /// domains that are seen first get counters. All later domains are counted together, without a
  /// label. A monitoring system stores a series for each domain, so choose a number that the system
  /// can hold. With 0, domains are not counted. Above 0, each look-up takes a lock.
  std::size_t domains = 0;
};

/// An observer that counts events for operators (SPYDER's list of metrics; the pipeline guide). A
/// `Metrics` is a handle, and its copies share the counts. To get sums over several caches and
/// gates, give all of them copies of one `Metrics`. Any thread may call any member.
///
/// An allowed cache hit costs a few nanoseconds more than with `NullObserver`, since it adds to two
/// counters of the thread. A `Metrics` counts only events. The present state of a cache, such as
/// its size, is in `basic_robots_cache::stats`. To export the figures, see
/// `metrics_snapshot::families`.
class Metrics {
 public:
  /// Makes counters that start at 0, without counts by domain.
  Metrics() : Metrics(metrics_options{}) {}
  /// Makes counters that start at 0.
  explicit Metrics(const metrics_options& options);

  /// Returns the counts. The counts of look-ups and decisions are read one after another, so other
  /// threads can change some in between.
  [[nodiscard]] metrics_snapshot snapshot() const;

  /// Counts a look-up and, if `metrics_options::domains` is above 0, its domain.
  void on(const look_up_event& event);
  /// Counts a decision. If the decision denied, also counts its domain.
  void on(const decision_event& event);
  /// Counts any other event.
  void on(const any_event& event);

 private:
  struct state;

  std::shared_ptr<state> shared_;
};

static_assert(Observer<Metrics>);

}  // namespace robots

#ifndef ROBOTS_COMPILED
#include <robots/observe/metrics.ipp>
#endif

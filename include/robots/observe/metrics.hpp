#pragma once

#include <robots/base/config.hpp>
#include <robots/observe/any_event.hpp>
#include <robots/observe/events.hpp>
#include <robots/observe/metrics_snapshot.hpp>

#include <cstddef>
#include <memory>

namespace robots {

/// The limits of a `Metrics`.
struct metrics_options {
  /// The maximum number of domains with separate counts. Each such domain takes about 300 octets.
  /// Later domains are counted together, without a label. A monitoring system stores a series for
  /// each domain. With 0, domains are not counted. Above 0, each look-up takes a lock.
  std::size_t domains = 0;
};

/// An observer that counts events for operators. A `Metrics` is a handle, and its copies share the
/// counts, so that several caches and gates can count together. Any thread may call any member. A
/// cache hit that allows the URL takes a few nanoseconds more than with `NullObserver`.
///
/// The present state of a cache, such as its size, is in `basic_robots_cache::stats`.
class Metrics {
 public:
  /// Makes counters that start at 0, without counts by domain.
  Metrics() : Metrics(metrics_options{}) {}
  /// Makes counters that start at 0.
  explicit Metrics(const metrics_options& options);

  /// Returns the counts. If other threads count during this call, related counts can disagree.
  [[nodiscard]] metrics_snapshot snapshot() const;

  /// Counts a look-up and, if `metrics_options::domains` is above 0, its domain.
  void on(const look_up_event& event);
  /// Counts a decision and, for a denial, the domain of the URL.
  void on(const decision_event& event);
  /// Counts any other event.
  void on(const any_event& event);

 private:
  struct state;

  std::shared_ptr<state> shared_;
};

}  // namespace robots

#ifndef ROBOTS_COMPILED
#include <robots/observe/metrics.bodies.hpp>
#endif

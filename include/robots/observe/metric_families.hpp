#pragma once

#include <robots/observe/cache_stats.hpp>
#include <robots/observe/duration_histogram.hpp>
#include <robots/observe/metrics_snapshot.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace robots {

/// The kind of a figure.
enum class metric_kind : std::uint8_t {
  counter,    ///< only grows
  gauge,      ///< goes up and down
  histogram,  ///< see `metric_family::histogram`
};

/// A figure for exporters, or one figure for each set of labels.
struct metric_family {
  /// A figure and its labels.
  struct sample {
    /// Pairs of a name, such as `reason`, and a value.
    std::vector<std::pair<std::string_view, std::string>> labels{};
    double value = 0.0;  ///< the figure
  };

  /// The name, as in OpenTelemetry's semantic conventions: `robots.cache.hits`. See
  /// `prometheus_name`.
  std::string_view name{};
  std::string_view help{};                        ///< a sentence for people
  std::string_view unit{};                        ///< `s` or `By`; empty for a count
  metric_kind kind = metric_kind::counter;        ///< the kind of the figure
  std::vector<sample> samples{};                  ///< empty for a histogram
  std::optional<duration_histogram> histogram{};  ///< for a histogram only
};

/// Returns the name of a family by the conventions of Prometheus: `robots_cache_hits_total`,
/// `robots_parse_duration_seconds`.
[[nodiscard]] std::string prometheus_name(const metric_family& of);

/// Returns all figures of a snapshot under the names for exporters, and those of `now` if it is
/// given. With counts by domain, the samples of `robots.cache.hits`, `robots.cache.misses` and
/// `robots.blocked_requests` have the label `domain`. The sample of all domains without counters
/// has no label, so the sum of a family does not change.
[[nodiscard]] std::vector<metric_family> metric_families(
    const metrics_snapshot& of, const std::optional<cache_stats>& now = std::nullopt);

}  // namespace robots

#ifndef ROBOTS_COMPILED
#include <robots/observe/metric_families.ipp>
#endif

#pragma once

#include <robots/observe/cache_stats.hpp>
#include <robots/observe/metrics.hpp>
#include <robots/observe/metrics_snapshot.hpp>

#include <prometheus/client_metric.h>
#include <prometheus/collectable.h>
#include <prometheus/metric_family.h>
#include <prometheus/metric_type.h>

#include <cstddef>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace robots {

/// Exports the values of a `Metrics` to Prometheus with prometheus-cpp, with the names of
/// `metrics_snapshot::families`: `robots_cache_hits_total`, `robots_blocked_requests_total`,
/// `robots_parse_duration_seconds` and so on.
///
///     auto exported = std::make_shared<robots::PrometheusMetrics>(metrics);
///     prometheus::Exposer exposer{"0.0.0.0:9464"};
///     exposer.RegisterCollectable(exported);
class PrometheusMetrics final : public prometheus::Collectable {
 public:
  /// Exports `from`. To also export the statistics of a cache, pass a function `now` that returns
  /// them: `[&cache] { return cache.stats(); }`. Any thread can call `now` while this object
  /// exists. `now` must not throw.
  explicit PrometheusMetrics(Metrics from, std::function<cache_stats()> now = {})
      : from_(std::move(from)), now_(std::move(now)) {}

  /// Returns all families of metrics. Any thread may call this function.
  [[nodiscard]] std::vector<prometheus::MetricFamily> Collect() const override {
    std::vector<prometheus::MetricFamily> all;
    for (const metrics_snapshot::family& family :
         from_.snapshot().families(now_ ? std::optional{now_()} : std::nullopt)) {
      prometheus::MetricFamily& exported = all.emplace_back();
      exported.name = family.prometheus_name();
      exported.help = family.help;
      switch (family.kind) {
        case family_type::counter:
          exported.type = prometheus::MetricType::Counter;
          break;
        case family_type::gauge:
          exported.type = prometheus::MetricType::Gauge;
          break;
        case family_type::histogram:
          exported.type = prometheus::MetricType::Histogram;
          break;
      }
      if (family.histogram) {
        prometheus::ClientMetric::Histogram& buckets = exported.metric.emplace_back().histogram;
        buckets.sample_sum = family.histogram->sum;
        for (std::size_t i = 0; i < family.histogram->counts.size(); ++i) {
          buckets.sample_count += family.histogram->counts[i];
          const bool is_last = i == family.histogram->bounds.size();
          buckets.bucket.push_back(
              {buckets.sample_count,
               is_last ? std::numeric_limits<double>::infinity() : family.histogram->bounds[i]});
        }
      }
      for (const auto& sample : family.samples) {
        prometheus::ClientMetric& one = exported.metric.emplace_back();
        for (const auto& [name, value] : sample.labels) {
          one.label.push_back({std::string{name}, value});
        }
        (family.kind == family_type::counter ? one.counter.value : one.gauge.value) = sample.value;
      }
    }
    return all;
  }

 private:
  using family_type = metrics_snapshot::family::type;

  Metrics from_;
  std::function<cache_stats()> now_;
};

}  // namespace robots

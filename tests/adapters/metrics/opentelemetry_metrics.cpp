#include <robots/adapters/metrics/opentelemetry_metrics.hpp>

#include <robots/policy/decision.hpp>

#include <doctest/doctest.h>
#include <opentelemetry/exporters/memory/in_memory_metric_data.h>
#include <opentelemetry/exporters/memory/in_memory_metric_exporter_factory.h>
#include <opentelemetry/nostd/variant.h>
#include <opentelemetry/sdk/metrics/export/periodic_exporting_metric_reader_factory.h>
#include <opentelemetry/sdk/metrics/export/periodic_exporting_metric_reader_options.h>
#include <opentelemetry/sdk/metrics/meter_provider.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

namespace {

using namespace std::chrono_literals;
namespace memory = opentelemetry::exporter::memory;
namespace sdk = opentelemetry::sdk::metrics;
using robots::Metrics;
using robots::OpenTelemetryMetrics;

/// A meter that keeps its metrics in memory.
struct metered {
  metered() {
    sdk::PeriodicExportingMetricReaderOptions seldom;
    seldom.export_interval_millis = 1h;
    seldom.export_timeout_millis = 10s;
    provider.AddMetricReader(sdk::PeriodicExportingMetricReaderFactory::Create(
        memory::InMemoryMetricExporterFactory::Create(data), seldom));
  }

  /// Returns the collected value of a metric with these labels.
  sdk::PointType point(const std::string& name, const sdk::PointAttributes& labels = {}) const {
    const auto& points = data->Get("test", name);
    const auto found = points.find(labels);
    REQUIRE_MESSAGE(found != points.end(), name);
    return found->second;
  }
  std::int64_t count(const std::string& name, const sdk::PointAttributes& labels = {}) const {
    const auto sum = opentelemetry::nostd::get<sdk::SumPointData>(point(name, labels));
    return opentelemetry::nostd::get<std::int64_t>(sum.value_);
  }

  std::shared_ptr<memory::SimpleAggregateInMemoryMetricData> data =
      std::make_shared<memory::SimpleAggregateInMemoryMetricData>();
  sdk::MeterProvider provider;
  opentelemetry::nostd::shared_ptr<opentelemetry::metrics::Meter> meter = provider.GetMeter("test");
};

}  // namespace

TEST_CASE("OpenTelemetry collects the counters and records durations") {
  metered bot;
  Metrics metrics{robots::metrics_options{.domains = 1}};
  robots::cache_stats held;
  held.size = 3;
  OpenTelemetryMetrics exported{bot.meter, metrics, [held] { return held; }};
  metrics.on(robots::look_up_event{{}, robots::look_up_result::hit});
  robots::decision denied;
  denied.reason = robots::decision_reason::rule;
  metrics.on(robots::decision_event{{.site = "https://a.example"}, {}, denied});
  const robots::detail::exchange asked{.url = "https://a.example/robots.txt", .status = 200};
  OpenTelemetryMetrics{exported}.on(robots::exchange_event{{}, asked, 0ms, 250ms});
  REQUIRE(bot.provider.ForceFlush());

  CHECK(bot.count("robots.cache.hits", {{"kind", std::string{"fresh"}}}) == 1);
  CHECK(bot.count("robots.cache.misses") == 0);
  CHECK(bot.count("robots.blocked_requests", {{"reason", std::string{"rule"}}}) == 0);
  CHECK(bot.count("robots.blocked_requests",
                  {{"domain", std::string{"a.example"}}, {"reason", std::string{"rule"}}}) == 1);
  const auto size =
      opentelemetry::nostd::get<sdk::LastValuePointData>(bot.point("robots.cache.entries"));
  CHECK(opentelemetry::nostd::get<std::int64_t>(size.value_) == 3);
  const auto times =
      opentelemetry::nostd::get<sdk::HistogramPointData>(bot.point("robots.exchange.duration"));
  CHECK(times.count_ == 1);
  CHECK(opentelemetry::nostd::get<double>(times.sum_) == doctest::Approx(0.25));
}

TEST_CASE("OpenTelemetry reads one snapshot for each collection and forgets deleted metrics") {
  metered bot;
  std::atomic<int> asked = 0;
  {
    const OpenTelemetryMetrics exported{bot.meter, {}, [&asked] {
                                          ++asked;
                                          return robots::cache_stats{};
                                        }};
    CHECK(bot.provider.ForceFlush());
    const int before = asked;
    CHECK(bot.provider.ForceFlush());
    CHECK(asked > before);
    CHECK(asked <= before + 2);  // the SDK may collect once more by itself
  }
  const int before = asked;
  CHECK(bot.provider.ForceFlush());
  CHECK(asked == before);
}

#pragma once

#include <robots/observe/cache_stats.hpp>
#include <robots/observe/metrics.hpp>
#include <robots/observe/metrics_snapshot.hpp>
#include <robots/observe/observer.hpp>

#include <opentelemetry/context/context.h>
#include <opentelemetry/metrics/async_instruments.h>
#include <opentelemetry/metrics/meter.h>
#include <opentelemetry/metrics/observer_result.h>
#include <opentelemetry/metrics/sync_instruments.h>
#include <opentelemetry/nostd/shared_ptr.h>
#include <opentelemetry/nostd/string_view.h>
#include <opentelemetry/nostd/unique_ptr.h>
#include <opentelemetry/nostd/variant.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace robots {

/// Exports the values of a `Metrics` to OpenTelemetry, with the names of
/// `metrics_snapshot::families`: `robots.cache.hits`, `robots.blocked_requests`,
/// `robots.parse.duration` and so on.
///
/// Each collection of the SDK reads all counters and gauges from one snapshot. A histogram needs
/// each duration, but a snapshot has only sums. So this class is also an observer. Pass the
/// `Metrics` and this object to the cache, as `robots::observers{metrics, exported}`. Durations are
/// in seconds. The default buckets of the SDK are made for milliseconds, so add a view with buckets
/// for seconds. Copies share one registration with the SDK until the last copy is destroyed. Any
/// thread may call any copy.
class OpenTelemetryMetrics {
 public:
  /// Exports `from` through `meter`, which must not be null. To also export the statistics of a
  /// cache, pass a function `now` that returns them. Any thread can call `now` while a copy of this
  /// object exists. `now` must not throw.
  OpenTelemetryMetrics(const opentelemetry::nostd::shared_ptr<opentelemetry::metrics::Meter>& meter,
                       Metrics from, std::function<cache_stats()> now = {})
      : shared_(std::make_shared<state>(meter, std::move(from), std::move(now))) {}

  /// Records the duration of a request.
  void on(const exchange_event& event) { record("robots.exchange.duration", event.duration); }
  /// Records the duration of a retrieval.
  void on(const retrieval_event& event) { record("robots.fetch.duration", event.duration); }
  /// Records the duration of parsing.
  void on(const parse_event& event) { record("robots.parse.duration", event.duration); }
  /// Records how long an admitted request waited at its gate.
  void on(const admission_event& event) {
    if (event.reason == admission_reason::go) {
      record("robots.gate.wait", event.waited);
    }
  }

 private:
  using family = metrics_snapshot::family;

  struct state {
    /// A counter or gauge that the SDK reads.
    struct observed {
      state* owner = nullptr;  ///< the object that has this instrument
      std::size_t index = 0;   ///< the index of the family in the result of `families`
      opentelemetry::nostd::shared_ptr<opentelemetry::metrics::ObservableInstrument>
          instrument{};  ///< the instrument of the SDK
    };

    state(const opentelemetry::nostd::shared_ptr<opentelemetry::metrics::Meter>& meter,
          Metrics counted, std::function<cache_stats()> held)
        : from(std::move(counted)), now(std::move(held)) {
      const std::vector<family> all = families();
      instruments.reserve(all.size());
      for (std::size_t i = 0; i < all.size(); ++i) {
        const family& one = all[i];
        const opentelemetry::nostd::string_view name{one.name.data(), one.name.size()};
        const opentelemetry::nostd::string_view help{one.help.data(), one.help.size()};
        const opentelemetry::nostd::string_view unit{one.unit.data(), one.unit.size()};
        if (one.kind == family::type::histogram) {
          histograms.emplace(one.name, meter->CreateDoubleHistogram(name, help, unit));
          continue;
        }
        observed& added = instruments.emplace_back(
            observed{.owner = this,
                     .index = i,
                     .instrument = one.kind == family::type::counter
                                       ? meter->CreateInt64ObservableCounter(name, help, unit)
                                       : meter->CreateInt64ObservableGauge(name, help, unit)});
        added.instrument->AddCallback(&observe, &added);
      }
    }
    ~state() {
      for (observed& instrument : instruments) {
        instrument.instrument->RemoveCallback(&observe, &instrument);
      }
    }

    [[nodiscard]] std::vector<family> families() const {
      return from.snapshot().families(now ? std::optional{now()} : std::nullopt);
    }

    Metrics from;
    std::function<cache_stats()> now;
    std::vector<observed> instruments;  // never moved: the SDK has their addresses
    std::mutex mutex;                   // guards the next two members
    const observed* first = nullptr;    // the metric that began the last collection
    std::vector<family> latest;         // the metrics of the last collection
    std::map<std::string_view,
             opentelemetry::nostd::unique_ptr<opentelemetry::metrics::Histogram<double>>>
        histograms;
  };

  static void observe(opentelemetry::metrics::ObserverResult result, void* asked) noexcept {
    using observer =
        opentelemetry::nostd::shared_ptr<opentelemetry::metrics::ObserverResultT<std::int64_t>>;
    try {
      const auto& from = *static_cast<state::observed*>(asked);
      state& owner = *from.owner;
      const observer& to = opentelemetry::nostd::get<observer>(result);
      const std::scoped_lock lock{owner.mutex};
      // The SDK reads one instrument after another. If the SDK reads the first instrument again, a
      // new collection has begun. Each collection needs a new snapshot.
      if (owner.first == nullptr || owner.first == &from) {
        owner.first = &from;
        owner.latest.clear();
        owner.latest = owner.families();
      }
      if (from.index >= owner.latest.size()) {
        return;  // the snapshot failed
      }
      for (const auto& sample : owner.latest[from.index].samples) {
        const std::map<std::string, std::string> labels{sample.labels.begin(), sample.labels.end()};
        to->Observe(static_cast<std::int64_t>(sample.value), labels);
      }
    } catch (...) {
      return;  // there is no memory: the next collection reports the values
    }
  }

  void record(std::string_view name, std::chrono::nanoseconds duration) {
    shared_->histograms.find(name)->second->Record(std::chrono::duration<double>{duration}.count(),
                                                   opentelemetry::context::Context{});
  }

  std::shared_ptr<state> shared_;
};

static_assert(Observer<OpenTelemetryMetrics>);

}  // namespace robots

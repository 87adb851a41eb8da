#pragma once

#include <robots/base/config.hpp>
#include <robots/base/enum_counts.hpp>
#include <robots/fetch/outcome.hpp>
#include <robots/http/message.hpp>
#include <robots/observe/admission_reason.hpp>
#include <robots/observe/cache_stats.hpp>
#include <robots/observe/look_up_result.hpp>
#include <robots/policy/decision_reason.hpp>
#include <robots/policy/policy_basis.hpp>

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace robots {

/// The counts of a `Metrics` at one moment. Its functions for rates, such as `hit_rate`, are those
/// of `cache_stats`.
///
/// A `base::enum_counts` has one count for each enumerator. For a snapshot `now`,
/// `now.denied_for[decision_reason::rule]` is the number of denials by a rule.
/// `now.outcomes.total()` is the sum of the counts in `outcomes`.
struct metrics_snapshot : detail::cache_counts {
  /// A histogram of durations. The bounds are fixed, so that histograms can be summed.
  struct histogram {
    std::array<double, 12> bounds{};         ///< ascending, in seconds; a bucket includes its bound
    std::array<std::uint64_t, 13> counts{};  ///< by bucket; the last bucket has no bound
    double sum = 0.0;                        ///< the sum in seconds

    /// Counts a duration. A negative duration is counted as 0.
    void add(std::chrono::nanoseconds duration) noexcept;
  };

  /// The look-ups and denials of a domain.
  struct domain_counts {
    base::enum_counts<look_up_result::joined> look_ups{};          ///< look-ups, by result
    base::enum_counts<decision_reason::invalid_url> denied_for{};  ///< denials, by reason
  };

  /// Decisions that allowed the URL, by reason.
  base::enum_counts<decision_reason::invalid_url> allowed_for{};
  /// Decisions that denied the URL, by reason.
  base::enum_counts<decision_reason::invalid_url> denied_for{};
  /// Counts by domain, which is the result of `host_of`; see `metrics_options::domains`. The
  /// domains without separate counts share the entry with an empty name.
  std::map<std::string, domain_counts, std::less<>> domains{};
  /// Retrievals, by outcome.
  base::enum_counts<outcome::licence_demanded> outcomes{};
  /// Retrievals after which the fallback policy applied. The indices are the outcome and the basis.
  std::array<base::enum_counts<policy_basis::redirected>, outcome_count> fallbacks{};
  /// Responses, by status. The key is the status from 100 to 599, or 0 for any other status.
  std::map<int, std::uint64_t> statuses{};
  /// Exchanges without a response, by error.
  base::enum_counts<fetch_error::local> errors{};
  std::uint64_t retries = 0;  ///< tries after the first try of a retrieval
  std::uint64_t bytes = 0;    ///< octets of response bodies
  /// Times from a request to its response.
  histogram exchange_duration{
      {0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0}};
  histogram fetch_duration{exchange_duration.bounds};  ///< times of retrievals, with retries
  /// Times to parse a file.
  histogram parse_duration{
      {1e-5, 2.5e-5, 5e-5, 1e-4, 2.5e-4, 5e-4, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.1}};
  std::uint64_t malformed_lines = 0;    ///< malformed lines of all parsed files
  std::uint64_t expiries = 0;           ///< entries dropped when they expired
  std::uint64_t quarantines = 0;        ///< sites put in quarantine
  std::uint64_t releases = 0;           ///< sites released from quarantine
  std::uint64_t breaker_openings = 0;   ///< times that a circuit breaker opened
  std::uint64_t overrides = 0;          ///< overrides that were set or lifted
  std::uint64_t policy_changes = 0;     ///< changes of a site's rules
  std::uint64_t fast_changes = 0;       ///< changes with `policy_change_event::fast`
  std::uint64_t licence_demands = 0;    ///< answers that demand a licence
  std::uint64_t revocations = 0;        ///< times that a site refused a URL that it allowed before
  std::uint64_t halts = 0;              ///< sites halted
  std::uint64_t resumptions = 0;        ///< sites resumed
  std::uint64_t awaited_sign_offs = 0;  ///< high-risk sites seen without a sign-off
  std::uint64_t far_outages = 0;        ///< times that a shared store failed
  std::uint64_t far_returns = 0;        ///< times that a shared store answered again
  base::enum_counts<admission_reason::too_late> admissions{};  ///< answers of gates
  /// Durations of the calls to which a gate answered `go`.
  histogram gate_wait{{0.01, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0}};

  /// Returns the number of responses with a status, such as 401, 403 or 429.
  [[nodiscard]] std::uint64_t responses(int status) const noexcept {
    const auto found = statuses.find(status);
    return found == statuses.end() ? 0 : found->second;
  }

  /// A metric for a monitoring system. If a metric has labels, it has one value for each set of
  /// label values.
  struct family {
    /// The kinds of metrics.
    enum class type : std::uint8_t {
      counter,    ///< a number that only grows
      gauge,      ///< a number that grows and falls
      histogram,  ///< see `family::histogram`
    };

    /// One value of a metric, and the labels of this value.
    struct sample {
      /// Pairs of a name, such as `reason`, and a value.
      std::vector<std::pair<std::string_view, std::string>> labels{};
      double value = 0.0;  ///< the value
    };

    /// The name, in the form of OpenTelemetry's semantic conventions, such as `robots.cache.hits`.
    std::string_view name{};
    std::string_view help{};                                 ///< a sentence for people
    std::string_view unit = "";                              ///< `s`, `By` for octets, or empty
    type kind = type::counter;                               ///< the kind of the metric
    std::vector<sample> samples{};                           ///< empty for a histogram
    std::optional<metrics_snapshot::histogram> histogram{};  ///< set only for a histogram

    /// Returns the name by the conventions of Prometheus, such as `robots_cache_hits_total`.
    [[nodiscard]] std::string prometheus_name() const;
  };

  /// Returns all metrics under their names for exporters. Adds the metrics of `now` if it has a
  /// value. `robots.cache.hits`, `robots.cache.misses` and `robots.blocked_requests` have the label
  /// `domain` for each domain with an entry in `domains`.
  [[nodiscard]] std::vector<family> families(
      const std::optional<cache_stats>& now = std::nullopt) const;
};

}  // namespace robots

#ifndef ROBOTS_COMPILED
#include <robots/observe/metrics_snapshot.bodies.hpp>
#endif

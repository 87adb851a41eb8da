#pragma once

#include <robots/base/enum_counts.hpp>
#include <robots/fetch/outcome.hpp>
#include <robots/http/message.hpp>
#include <robots/observe/admission_reason.hpp>
#include <robots/observe/cache_stats.hpp>
#include <robots/observe/duration_histogram.hpp>
#include <robots/observe/events.hpp>
#include <robots/policy/decision_reason.hpp>
#include <robots/policy/policy.hpp>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace robots {

/// The counts of a `Metrics`. For rates, see `cache_counts`.
///
/// Counts by an enumeration are indexed by its enumerators:
/// `now.denied_for[decision_reason::rule]`, `now.outcomes.total()`.
struct metrics_snapshot : cache_counts {
  /// A host and its count.
  struct host_count {
    std::string host{};       ///< from `host_of`
    std::uint64_t count = 0;  ///< the number of denials; never too low
    std::uint64_t over = 0;   ///< the most by which `count` can be too high

    [[nodiscard]] friend bool operator==(const host_count&, const host_count&) = default;
  };

  /// The look-ups and denials of a domain.
  struct domain_counts {
    std::string domain{};  ///< from `host_of`; empty for all domains without counters
    base::enum_counts<look_up_result::joined> look_ups{};          ///< look-ups, by result
    base::enum_counts<decision_reason::invalid_url> denied_for{};  ///< decisions, by reason
  };

  /// A status and the number of responses with it.
  struct status_count {
    int status = 0;           ///< from 100 to 599; 0 for any other
    std::uint64_t count = 0;  ///< how often

    [[nodiscard]] friend bool operator==(const status_count&, const status_count&) = default;
  };

  /// Decisions that allowed, by reason.
  base::enum_counts<decision_reason::invalid_url> allowed_for{};
  /// Decisions that denied, by reason.
  base::enum_counts<decision_reason::invalid_url> denied_for{};
  /// The hosts with the most denials, the most first: see `metrics_options::denied_hosts`.
  std::vector<host_count> denied_hosts{};
  /// Counts by domain, sorted by name, the empty name first. Empty unless
  /// `metrics_options::domains` asks for them. They add up to the counts of all sites.
  std::vector<domain_counts> domains{};
  /// Retrievals, by outcome.
  base::enum_counts<outcome::redirected> outcomes{};
  /// Decisions by the fallback policy: `outcome` as the index, then the action.
  std::array<base::enum_counts<policy_basis::redirected>, outcome_count> fallbacks{};
  std::vector<status_count> statuses{};  ///< responses, by status, in order
  base::enum_counts<fetch_error::connection_refused>
      errors{};                            ///< exchanges without response, by why
  std::uint64_t retries = 0;               ///< tries after the first of a retrieval
  std::uint64_t bytes = 0;                 ///< octets of bodies read
  duration_histogram exchange_duration{};  ///< of exchanges, one request each
  duration_histogram fetch_duration{};     ///< of retrievals, including retries and waits
  duration_histogram parse_duration{};     ///< of parsing the files
  std::uint64_t malformed_lines = 0;       ///< lines that mean nothing
  std::uint64_t expiries = 0;              ///< entries dropped when they expired
  std::uint64_t quarantines = 0;           ///< sites put in quarantine
  std::uint64_t releases = 0;              ///< sites released from quarantine
  std::uint64_t breaker_openings = 0;      ///< times that a circuit breaker opened
  std::uint64_t overrides = 0;             ///< overrides that were set or lifted
  std::uint64_t policy_changes = 0;        ///< changes of a site's rules
  std::uint64_t fast_changes = 0;          ///< policy changes that were fast
  std::uint64_t revocations = 0;        ///< pages, and robots.txt files, refused although allowed
  std::uint64_t halts = 0;              ///< sites halted
  std::uint64_t resumptions = 0;        ///< sites resumed
  std::uint64_t awaited_sign_offs = 0;  ///< high-risk sites seen without a sign-off
  std::uint64_t far_outages = 0;        ///< times that a shared store failed
  std::uint64_t far_returns = 0;        ///< times that a shared store answered again
  base::enum_counts<admission_reason::too_late> admissions{};  ///< answers of gates
  duration_histogram gate_wait{};                              ///< the waits of pages that may go

  /// Returns the number of responses with a status, such as 401, 403 or 429.
  [[nodiscard]] std::uint64_t responses(int status) const noexcept {
    for (const status_count& counted : statuses) {
      if (counted.status == status) {
        return counted.count;
      }
    }
    return 0;
  }
};

}  // namespace robots

#pragma once

#include <cstddef>
#include <cstdint>

namespace robots::detail {

/// The counts of a cache, and the rates that are computed from the counts.
struct cache_counts {
  std::uint64_t hits = 0;          ///< look-ups answered by a fresh entry
  std::uint64_t stale_hits = 0;    ///< look-ups answered by a stale entry
  std::uint64_t misses = 0;        ///< look-ups that had to fetch, or ask a shared store
  std::uint64_t joined = 0;        ///< look-ups that waited for the fetch of another look-up
  std::uint64_t retrievals = 0;    ///< robots.txt retrievals that ended
  std::uint64_t not_modified = 0;  ///< retrievals that ended with a 304
  std::uint64_t failures = 0;      ///< retrievals that failed: see `fetch_success_rate`
  std::uint64_t allowed = 0;       ///< decisions that allowed the URL
  std::uint64_t denied = 0;        ///< decisions that denied the URL, including exclusions
  /// Decisions about excluded hosts, and calls of `get`, `refresh` and `begin` for these hosts.
  std::uint64_t excluded = 0;
  std::uint64_t far_hits = 0;   ///< sites for which the shared store had a fresh record
  std::uint64_t evictions = 0;  ///< entries dropped to make room

  /// Returns the number of look-ups.
  [[nodiscard]] constexpr std::uint64_t look_ups() const noexcept {
    return hits + stale_hits + joined + misses;
  }
  /// Returns the share of look-ups that were not misses, from 0 to 1.
  [[nodiscard]] constexpr double hit_rate() const noexcept {
    return ratio(look_ups() - misses, look_ups());
  }
  /// Returns the share of decisions that allowed the URL, from 0 to 1. Excluded hosts do not count.
  [[nodiscard]] constexpr double allow_rate() const noexcept {
    return ratio(allowed, allowed + (denied > excluded ? denied - excluded : 0));
  }
  /// Returns the number of denied URLs per allowed URL, or 0 if no URL was allowed.
  [[nodiscard]] constexpr double blocked_to_allowed() const noexcept {
    return ratio(denied, allowed);
  }
  /// Returns the share of decisions that were about excluded hosts, from 0 to 1.
  [[nodiscard]] constexpr double exclusion_rate() const noexcept {
    return ratio(excluded, allowed + denied);
  }
  /// Returns the share of successful retrievals, from 0 to 1. A retrieval succeeds if the site
  /// sends or confirms its robots.txt, redirects to another site, or answers with 404 or 410.
  [[nodiscard]] constexpr double fetch_success_rate() const noexcept {
    return ratio(retrievals - failures, retrievals);
  }
  /// Returns the number of evictions per look-up, usually from 0 to 1.
  [[nodiscard]] constexpr double eviction_rate() const noexcept {
    return ratio(evictions, look_ups());
  }

 private:
  [[nodiscard]] static constexpr double ratio(std::uint64_t part, std::uint64_t whole) noexcept {
    return whole == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole);
  }
};

}  // namespace robots::detail

namespace robots {

/// The counts of a cache since its construction, and its present size.
struct cache_stats : detail::cache_counts {
  std::uint64_t far_misses = 0;           ///< sites for which the shared store had no fresh record
  std::uint64_t far_rejected = 0;         ///< values of the shared store that were not valid
  std::uint64_t far_failures = 0;         ///< calls to the shared store that threw an exception
  std::size_t pending_invalidations = 0;  ///< erasures that the shared store has not received yet
  std::uint64_t storage_failures = 0;     ///< calls to the storage that threw an exception
  std::size_t size = 0;                   ///< entries in the cache now
  std::size_t quarantined = 0;            ///< sites in quarantine now
  std::size_t open_breakers = 0;          ///< origins whose circuit breaker is not closed now
  std::uint64_t observer_failures = 0;    ///< events for which an observer threw an exception
};

}  // namespace robots

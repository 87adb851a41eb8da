#pragma once

#include <robots/base/exceptions.hpp>
#include <robots/fetch/breaker_options.hpp>

#include <chrono>

namespace robots {

/// The options for a store that several processes share.
struct tiered_options {
  /// The time that a process has to fetch the robots.txt of a site. After this time, the process is
  /// considered dead, and another process fetches the file. `lease` must be above 0.
  std::chrono::milliseconds lease{60'000};
  /// The time for which a process waits for the fetch of another process. After this time, the
  /// waiting process uses a stale entry, if that is allowed. Otherwise, it fetches the file itself.
  /// With 0, a process does not wait.
  std::chrono::milliseconds wait{5'000};
  /// While a process waits for another process, it reads the store repeatedly. `poll` is the
  /// minimum interval between two reads. Each interval is half of the time waited so far, but at
  /// least `poll`. `poll` must be above 0.
  std::chrono::milliseconds poll{50};
  /// If at least this much time is left before the deadline of a call, the calling thread asks the
  /// store. Otherwise, a background thread asks. `patience` must be at least as long as the slowest
  /// call to the store.
  std::chrono::milliseconds patience{3'000};
  /// The maximum time by which the clock of another machine can be ahead. Records with a date
  /// further in the future are ignored.
  std::chrono::seconds clock_skew{60};
  /// If true, records that are older than this cache are ignored. Then a restarted crawl fetches
  /// each robots.txt again. If all processes of the crawl start together, only one of them fetches
  /// each robots.txt.
  bool ignore_older = false;
  /// The circuit breaker: after `failures` failures in a row, the store is not used for `cooldown`.
  breaker_options breaker{.failures = 3, .cooldown = std::chrono::seconds{5}};
};

namespace detail {

/// Throws `std::invalid_argument` if an option is out of range. The message says what to change.
inline void validate(const tiered_options& options) {
  const auto require_ms = [](const char* name, std::chrono::milliseconds value, int least) {
    base::require(value.count() >= least, name, value.count(),
                  least > 0 ? " ms: use 1 ms or more" : " ms: use 0 ms or more");
  };
  require_ms("tiered_options: lease", options.lease, 1);
  require_ms("tiered_options: poll", options.poll, 1);
  require_ms("tiered_options: wait", options.wait, 0);
  require_ms("tiered_options: patience", options.patience, 0);
  base::require(options.clock_skew.count() >= 0 && options.clock_skew <= std::chrono::years{100},
                "tiered_options: clock_skew", options.clock_skew.count(),
                " s: use 0 s to 100 years");
  validate(options.breaker);
}

}  // namespace detail

}  // namespace robots

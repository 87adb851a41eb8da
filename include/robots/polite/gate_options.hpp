#pragma once

#include <robots/http/origin.hpp>
#include <robots/polite/crawl_delay.hpp>
#include <robots/polite/pace_ledger.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace robots {

/// The slowdown for a host that answers 429 or 503. Each such response doubles the delay; each
/// success halves it again.
struct slow_down_options {
  std::chrono::nanoseconds first = std::chrono::seconds{1};  ///< the least delay that is doubled
  std::chrono::nanoseconds most = std::chrono::minutes{5};   ///< doubling ends at this delay
  std::chrono::nanoseconds lasts =
      std::chrono::minutes{10};  ///< how long, from the last 429 or 503
};

/// The start of the delay between two requests.
enum class delay_from : std::uint8_t {
  request,   ///< at the start of the first request
  response,  ///< at its response: gentler with slow hosts
};

/// Returns the origin of `url`, or an empty text if it is not an http or https URL.
[[nodiscard]] inline std::string key_by_origin(std::string_view url) {
  const std::optional<origin> parsed = parse_origin(url);
  return parsed ? to_string(*parsed) : std::string{};
}

/// The options of a `basic_host_gate`.
struct gate_options {
  /// The fixed delay, the floor and the cap.
  delay_options delay{.fixed_delay = std::chrono::seconds{1}};
  /// Where the delay begins.
  robots::delay_from delay_from = robots::delay_from::request;
  /// The largest number of reservations of one key at a time. At least 1.
  std::uint32_t concurrency = 1;
  /// The slowdown after 429 and 503.
  slow_down_options slow_down{};
  /// The longest Retry-After that the gate obeys.
  std::chrono::seconds most_retry_after = std::chrono::hours{24};
  /// The time for which a response time counts. The gate remembers a host at least so long.
  std::chrono::nanoseconds memory = std::chrono::minutes{1};
  /// The most keys that the gate remembers. It refuses a new key if it still needs all of them.
  std::size_t max_hosts = 100'000;
  /// If `max_hosts` are remembered, the gate forgets a host that asks for a longer pause than this,
  /// so that such hosts cannot fill it. The gate uses `memory` if that is longer.
  std::chrono::nanoseconds longest_memory = std::chrono::hours{1};
  /// Returns the key under which a URL shares its pace with others: its origin, its registrable
  /// domain or its address. Any thread calls it. An empty key refuses the URL.
  std::function<std::string(std::string_view)> key = key_by_origin;
  /// The ledger of the processes that visit the same hosts; null if this gate decides alone.
  /// `start` and `acquire` ask it right before each request.
  std::shared_ptr<PaceLedger> ledger{};
  /// The time for which requests wait for a ledger that fails. Then the gate goes on without it.
  std::chrono::nanoseconds ledger_patience = std::chrono::seconds{10};
  /// The number of processes that share the ledger. If it fails, each of N processes waits N times
  /// the longest delay, so that together they keep it. At least 1.
  std::uint32_t ledger_users = 1;
  /// Seed of the random delays. Without one, each gate chooses its own.
  std::optional<std::uint64_t> seed{};
};

/// Throws `std::invalid_argument` if options contradict each other; the message says how to mend
/// it.
inline void validate(const gate_options& options) {
  validate(options.delay);
  if (options.concurrency == 0) {
    throw std::invalid_argument{"concurrency is 0: no request could ever be made; use 1 or more"};
  }
  if (options.max_hosts == 0) {
    throw std::invalid_argument{"max_hosts is 0: no host could ever be asked; use 1 or more"};
  }
  const slow_down_options& slow = options.slow_down;
  if (slow.first.count() <= 0 || slow.most < slow.first || slow.lasts.count() < 0) {
    throw std::invalid_argument{
        "slow_down: first must be above 0, most not below first, lasts not negative"};
  }
  if (slow.most > longest_delay || slow.lasts > longest_delay || options.memory > longest_delay) {
    throw std::invalid_argument{"slow_down and memory are longer than any delay: 136 years"};
  }
  if (options.most_retry_after.count() < 0 || options.memory.count() < 0 ||
      options.longest_memory.count() < 0) {
    throw std::invalid_argument{
        "most_retry_after, memory and longest_memory cannot be negative: use 0 for none"};
  }
  if (options.ledger_users == 0 || options.ledger_patience.count() < 0) {
    throw std::invalid_argument{"ledger_users is at least 1, ledger_patience not negative"};
  }
  if (!options.key) {
    throw std::invalid_argument{"key must be callable: leave it as it is"};
  }
}

}  // namespace robots

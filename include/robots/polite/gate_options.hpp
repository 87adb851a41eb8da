#pragma once

#include <robots/base/exceptions.hpp>
#include <robots/polite/crawl_delay.hpp>
#include <robots/polite/pace_ledger.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace robots {

/// The slowdown of a host that answers 429 or 503. Each such response doubles the delay. Each
/// response with 2xx or 3xx takes one doubling back; any other response changes nothing.
struct slow_down_options {
  /// The delay from which doubling starts. If the delay of the host is longer, doubling starts from
  /// the delay of the host.
  std::chrono::nanoseconds first = std::chrono::seconds{1};
  /// The maximum delay after doubling.
  std::chrono::nanoseconds most = std::chrono::minutes{5};
  /// The time for which a slowdown lasts after the latest 429 or 503.
  std::chrono::nanoseconds lasts = std::chrono::minutes{10};
};

/// The options of a `basic_host_gate`.
struct gate_options {
  /// The limits for delays. By default, `fixed_delay` is 1 s. Options of your own replace this
  /// default as a whole: `{.fixed_delay = 1s, .cap = 30s}` keeps the 1 s, but with `{.cap = 30s}`,
  /// `fixed_delay` is 0.
  delay_options delay{.fixed_delay = std::chrono::seconds{1}};
  /// If true, the delay starts at the response to the last request, to be gentle to slow hosts. If
  /// false, the delay starts at the request.
  bool delay_from_response = false;
  /// The maximum number of reservations at a time for one host (see `key`). It must be at least 1.
  std::uint32_t concurrency = 1;
  /// The slowdown after 429 and 503.
  slow_down_options slow_down{};
  /// The maximum pause after a Retry-After. A longer Retry-After is treated as this maximum.
  std::chrono::seconds most_retry_after = std::chrono::hours{24};
  /// The time for which a slow response lengthens the delay. The gate remembers a host for at least
  /// this time.
  std::chrono::nanoseconds memory = std::chrono::minutes{1};
  /// The maximum number of hosts to remember (see `key`). If all of them are still needed, the gate
  /// refuses requests to a new host.
  std::size_t max_hosts = 100'000;
  /// A full gate (`max_hosts`) may forget the host with the longest pause, but only if the pause
  /// exceeds both this limit and `memory`. So hosts with long pauses cannot fill the gate.
  std::chrono::nanoseconds longest_memory = std::chrono::hours{1};
  /// The function that returns the key of a URL, such as the registrable domain. The gate treats
  /// URLs with the same key as one host. Without a function, the key is the origin. If the key is
  /// empty, the URL is refused. Any thread may call the function.
  std::function<std::string(std::string_view url)> key{};
  /// The ledger by which several processes take turns at the same hosts; null if there is only one
  /// process. The gate asks the ledger before each request starts.
  std::shared_ptr<PaceLedger> ledger{};
  /// The time for which requests wait while the ledger fails. After this time, the gate goes on
  /// without the ledger.
  std::chrono::nanoseconds ledger_patience = std::chrono::seconds{10};
  /// The number of processes that share the ledger. If the ledger fails, each of N processes waits
  /// N times the longest delay. So the N processes together ask the host as rarely as one process.
  /// The number must be at least 1.
  std::uint32_t ledger_users = 1;
  /// The seed of the random delays. Without a seed, each gate chooses one.
  std::optional<std::uint64_t> seed{};
};

/// Throws `std::invalid_argument` if an option is invalid. The message says what to change.
inline void validate(const gate_options& options) {
  using base::require;
  const delay_options& delay = options.delay;
  require(delay.fixed_delay.count() >= 0 && delay.floor.count() >= 0,
          "fixed_delay and floor cannot be negative: use 0 for none");
  require(delay.fixed_delay <= longest_delay && delay.floor <= longest_delay,
          "fixed_delay and floor cannot be longer than 136 years");
  require(delay.cap >= delay.floor, "cap is below floor: raise it, or omit it for no cap");
  require(delay.response_cap.count() >= 0,
          "response_cap cannot be negative: use 0 if response times must have no effect");
  require(options.concurrency > 0, "concurrency is 0, so no request is possible: use 1 or more");
  require(options.max_hosts > 0, "max_hosts is 0, so no request is possible: use 1 or more");
  const slow_down_options& slow = options.slow_down;
  require(slow.first.count() > 0 && slow.most >= slow.first && slow.lasts.count() >= 0,
          "slow_down: first must be above 0, most at least first, lasts at least 0");
  require(
      slow.most <= longest_delay && slow.lasts <= longest_delay && options.memory <= longest_delay,
      "slow_down and memory cannot be longer than 136 years");
  require(options.most_retry_after.count() >= 0 && options.memory.count() >= 0 &&
              options.longest_memory.count() >= 0,
          "most_retry_after, memory and longest_memory cannot be negative: use 0 for none");
  require(options.ledger_users > 0 && options.ledger_patience.count() >= 0,
          "ledger_users must be at least 1, ledger_patience at least 0");
}

}  // namespace robots

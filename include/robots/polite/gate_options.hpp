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

/// How a host that answers 429 or 503 is slowed down. Each such answer doubles the delay, each
/// success takes one doubling back.
struct slow_down_options {
  std::chrono::nanoseconds first = std::chrono::seconds{1};   ///< doubled where the delay is less
  std::chrono::nanoseconds most = std::chrono::minutes{5};    ///< no delay becomes longer by this
  std::chrono::nanoseconds lasts = std::chrono::minutes{10};  ///< from the last such answer on
};

/// Where the delay between two requests is counted from.
enum class delay_from : std::uint8_t {
  request,   ///< from request to request
  response,  ///< from the response to the next request, too: gentler with slow hosts
};

/// The key under which requests share a pace: their origin. Empty for what is no http or https URL.
[[nodiscard]] inline std::string key_by_origin(std::string_view url) {
  const std::optional<origin> where = parse_origin(url);
  return where ? to_string(*where) : std::string{};
}

/// How a `basic_host_gate` paces requests.
struct gate_options {
  /// Fixed delay, floor and cap.
  delay_options delay{.fixed_delay = std::chrono::seconds{1}};
  /// Where the delay is counted from.
  robots::delay_from delay_from = robots::delay_from::request;
  /// Reservations given out at once under one key, before and during their requests. At least 1.
  std::uint32_t concurrency = 1;
  /// What 429 and 503 do.
  slow_down_options slow_down{};
  /// No Retry-After is obeyed for longer.
  std::chrono::seconds most_retry_after = std::chrono::hours{24};
  /// How long a response time counts, and the least for which a host is remembered.
  std::chrono::nanoseconds memory = std::chrono::minutes{1};
  /// Keys remembered at once. Where they all must be, a further one is refused.
  std::size_t max_hosts = 100'000;
  /// When `max_hosts` are remembered, one that wants to be left alone for longer than this makes
  /// room: a host that asks for years takes nobody's place. Not less than `memory` counts.
  std::chrono::nanoseconds longest_memory = std::chrono::hours{1};
  /// Under which key the requests for a URL share a pace: an origin, a registrable domain, an
  /// address. Called by any thread. An empty key refuses the URL.
  std::function<std::string(std::string_view)> key = key_by_origin;
  /// Where processes that visit the same hosts take turns; null: this gate alone decides. It is
  /// asked right before each request, by whoever calls `start` or `acquire`.
  std::shared_ptr<PaceLedger> ledger{};
  /// How long a request waits for a ledger that fails, before the gate goes on without it.
  std::chrono::nanoseconds ledger_patience = std::chrono::seconds{10};
  /// How many processes share the ledger. One that goes on without it keeps so many times the
  /// longest delay, so that all together ask no more than one. At least 1.
  std::uint32_t ledger_users = 1;
  /// Called when the ledger fails, with the reason, and with an empty text when it works again. By
  /// any thread; does not throw.
  std::function<void(std::string_view why)> on_ledger_change{};
  /// Equal seeds give equal delays; without one, each gate draws its own.
  std::optional<std::uint64_t> seed{};
};

/// Throws `std::invalid_argument`, saying what to mend, when the options contradict themselves.
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

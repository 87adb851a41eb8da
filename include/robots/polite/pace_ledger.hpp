#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

namespace robots {

/// The turns at the hosts of a crawl by several processes; see `gate_options::ledger`.
///
/// Between two turns at a host, the ledger keeps the longest of several delays. These are the
/// `after` of the first turn, and every `least` that a process has asked for within the last
/// minute. The ledger measures all times by its own clock, so that the clocks of the processes need
/// not agree. The ledger remembers a host for a minute, or for the delay of the host if that is
/// longer. If the ledger does not know a host for which the process asked more recently, the ledger
/// has lost its data. Then the ledger acts as if a turn had just been granted.
///
/// A turn counts from the latest start that its claim allows. If the answer comes later, the gate
/// asks again for the same turn. The request does not start if another process got a turn in
/// between. So answers that take longer than the delay can keep a process from a busy host.
///
/// Ledgers derive from this class. Any thread may call a ledger. A call blocks at most for the
/// timeouts of the ledger. A call that fails throws an exception derived from `std::exception`.
/// Models: `RedisPaceLedger`.
class PaceLedger {
 public:
  PaceLedger() = default;
  PaceLedger(const PaceLedger&) = delete;
  PaceLedger& operator=(const PaceLedger&) = delete;
  virtual ~PaceLedger() = default;

  /// A claim of a process to a turn. All durations are 0 or more.
  struct claim {
    /// The delay that the process keeps at the host in any case, without its random part.
    std::chrono::nanoseconds least{0};
    /// The delay after this request. It is at least `least`.
    std::chrono::nanoseconds after{0};
    /// The time since the process last asked for a turn at the host; empty if it has not asked
    /// before.
    std::optional<std::chrono::nanoseconds> last_asked{};
    /// The longest time between the answer of the ledger and the start of the request. The turn
    /// counts from the end of this time.
    std::chrono::nanoseconds lateness{0};
    /// The number of this turn within the process; 0 means no number. If the last turn at the host
    /// has this number, its request has not started, and the ledger grants the turn again.
    std::uint64_t turn = 0;
  };

  /// Takes the turn at a host for a request that starts at once. The host is a key of
  /// `gate_options::key`. Returns 0 for success. Otherwise, returns the time to wait before the
  /// next try. If two processes ask at once, only one gets the turn.
  [[nodiscard]] virtual std::chrono::nanoseconds take_turn(std::string_view host,
                                                           const claim& asked) = 0;

  /// Grants no turn at a host during `pause`, since the host asked for a pause or was just visited.
  /// A longer pause stays in force.
  virtual void hold(std::string_view host, std::chrono::nanoseconds pause) = 0;
};

}  // namespace robots

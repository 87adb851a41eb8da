#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

namespace robots {

/// The turns at the hosts of a crawl by several processes; see `gate_options::ledger`.
///
/// Between two turns at a host, the ledger keeps the longest of the first turn's `after` and of
/// every `least` that a process has asked for within the last minute. It measures all times by its
/// own clock, so that the clocks of the processes need not agree. It remembers a host for a minute,
/// or for its delay if that is longer. If it does not know a host for which the process asked more
/// recently, it was wiped. Then it acts as if a turn had just been granted.
///
/// A turn counts from the latest start that its claim allows. If the answer comes later, the gate
/// asks again for the same turn, and does not start if another process got one in between. So
/// answers that take longer than the delay can keep a process from a busy host.
///
/// Ledgers derive from this class. Any thread may call them. A call blocks at most for the timeouts
/// of the ledger. If it fails, it throws an exception derived from `std::exception`. Models:
/// `RedisPaceLedger`.
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
    /// The delay after this request; at least `least`.
    std::chrono::nanoseconds after{0};
    /// The time since the process last asked for a turn at the host; empty if it has not.
    std::optional<std::chrono::nanoseconds> last_asked{};
    /// The latest start of the request after the answer. The turn counts from then.
    std::chrono::nanoseconds lateness{0};
    /// Identifies the turn among those of the process; 0 for no identity. If the last turn at the
    /// host had the same number, its request has not started, and the turn is granted again.
    std::uint64_t turn = 0;
  };

  /// Takes the turn at a host for a request that starts at once. The host is a key of
  /// `gate_options::key`. Returns 0 for success. Otherwise, returns the time to wait before the
  /// next try. If two processes ask at once, only one gets the turn.
  [[nodiscard]] virtual std::chrono::nanoseconds take_turn(std::string_view host,
                                                           const claim& asked) = 0;

  /// Grants no turn at a host during `pause`, since it asked for that or was just visited. A longer
  /// pause stays in force.
  virtual void hold(std::string_view host, std::chrono::nanoseconds pause) = 0;
};

}  // namespace robots

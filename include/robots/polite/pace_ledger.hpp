#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

// The gates of several processes take turns at a host through one ledger:
//
//     gate A --take_turn(host, claim)--> PaceLedger --0: A may start now
//     gate B --take_turn(host, claim)--> PaceLedger --2.3 s: B asks again then
//     gate A --hold(host, pause)-------> PaceLedger   after a Retry-After: no turn for anybody
//
// Each gate keeps its own delays, and asks only when nothing else delays the request. The ledger
// knows no URLs and no policies. It has the time of the last turn and the longest delay of each
// host. `shared_pace` is the side of the gate.

namespace robots {

/// Grants turns to processes. A turn permits one process to send one request to one host.
///
/// The delay between two turns at a host has two minimums: the `claim::after` of the earlier turn,
/// and the stored `claim::least`. For a minute, the ledger stores the longest `claim::least` of all
/// processes. If the process with the stored value claims again, the new value replaces the stored
/// value. All times come from one clock, so the clocks of the processes need not agree. The ledger
/// remembers a host for the memory time: a minute, or the delay of the host if longer. If the last
/// claim of a process is within the memory time (`claim::last_asked`), but the host is unknown, the
/// ledger has lost its data. After the loss, the ledger acts as if it had just granted a turn.
///
/// A request must start within `claim::lateness` after the ledger grants the turn. The delay to the
/// next turn begins when `claim::lateness` is over. If the answer of the ledger takes longer than
/// `claim::lateness`, the gate claims the same turn again. If another process got a turn in
/// between, the request must wait. If the answers of the ledger take longer than the delay, and
/// other processes claim turns at the host, a process may wait forever.
///
/// Any thread may call a ledger. A call blocks for at most the timeouts of the ledger. A call that
/// fails throws an exception derived from `std::exception`. `RedisPaceLedger` is a ledger in Redis.
class PaceLedger {
 public:
  PaceLedger() = default;
  PaceLedger(const PaceLedger&) = delete;
  PaceLedger& operator=(const PaceLedger&) = delete;
  virtual ~PaceLedger() = default;

  /// A claim of a process to a turn. All durations are 0 or more.
  struct claim {
    /// The shortest delay that the process may choose at random for the host.
    std::chrono::nanoseconds least{0};
    /// The delay after the request of this turn. It is at least `least`.
    std::chrono::nanoseconds after{0};
    /// The time since the process last claimed a turn at the host; empty for the first claim.
    std::optional<std::chrono::nanoseconds> last_asked{};
    /// The maximum time from the grant of the turn to the start of the request.
    std::chrono::nanoseconds lateness{0};
    /// The number of this turn within the process; 0 means no number. If the answer comes too late,
    /// the process claims the same turn again. If this turn is still the last turn granted at the
    /// host, the ledger grants it again.
    std::uint64_t turn = 0;
  };

  /// Claims a turn at a host for a request that is ready to start. `host` is a key of
  /// `gate_options::key`. Returns 0 if the ledger grants the turn. Otherwise, returns the time to
  /// wait before the next claim. If two processes claim at the same time, only one gets a turn.
  [[nodiscard]] virtual std::chrono::nanoseconds take_turn(std::string_view host,
                                                           const claim& asked) = 0;

  /// Grants no turn at a host during `pause`. If the host already has a pause that ends later, that
  /// pause stays in force.
  virtual void hold(std::string_view host, std::chrono::nanoseconds pause) = 0;
};

}  // namespace robots

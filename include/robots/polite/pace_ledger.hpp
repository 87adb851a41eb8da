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
/// Each claim has two delays, and the next turn at the host obeys both:
///
/// - `claim::after` is the delay that the process wants after its turn. The next turn does not come
///   before this delay is over.
/// - `claim::least` is the shortest delay that the rules of the process permit. Processes can have
///   different rules. So the ledger keeps the longest `least` of all processes for a minute, and
///   grants no turn sooner than that after the last turn. A process can replace its own value by a
///   shorter one.
///
/// Example: process A claims with a `least` of 1 s and an `after` of 1.4 s. It gets a turn. Process
/// B has a newer robots.txt, and claims with a `least` of 5 s. B gets its turn 5 s after the turn
/// of A. Without the `least` of B, this would be 1.4 s.
///
/// The ledger measures all times by one clock, so the clocks of the processes need not agree. It
/// remembers a host for a minute, or for the delay of the host if that is longer. A ledger can lose
/// its data. It notices the loss if it does not know a host at which the process claimed a turn a
/// short time ago (`claim::last_asked`). Then it acts as if it had just granted a turn.
///
/// The answer of a ledger takes time. So the request of a turn may start until `claim::lateness`
/// after the grant, and the delay to the next turn begins then. Example: if `lateness` is 20 ms and
/// `after` is 1 s, the next turn comes 1.02 s after the grant. If the answer takes longer than
/// `lateness`, the gate does not send the request. It claims the same turn again, and gets it
/// unless another process has got a turn in between. If the answers take longer than the delay, and
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

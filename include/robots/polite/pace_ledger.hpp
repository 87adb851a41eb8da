#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

namespace robots {

/// The claim of a process to a turn. All durations are 0 or more.
struct pace_claim {
  /// The delay that the process keeps at the host for certain: whatever it draws at random.
  std::chrono::nanoseconds least{0};
  /// The delay to be kept after this request; not below `least`.
  std::chrono::nanoseconds after{0};
  /// The time since the process last asked for a turn at the host; empty if it never did.
  std::optional<std::chrono::nanoseconds> last_asked{};
  /// The latest start of the request after the answer: the turn counts from then.
  std::chrono::nanoseconds lateness{0};
  /// Identifies the turn among those of the process; 0: no identity. If the ledger gave the last
  /// turn at the host for the same number, its request has not started: the turn counts again.
  std::uint64_t turn = 0;
};

/// The turns at the hosts of a crawl that several processes share; see `gate_options::ledger`.
///
/// Between two turns at a host lies the longest of the first one's `after` and of what any process
/// has asked for as `least` within the last minute. All is measured by the ledger's own time, so
/// that the clocks of the processes need not agree. It remembers a host for a minute, or for as
/// long as its delay lasts. If it does not know a host for which the process asked sooner than
/// that, it was wiped: then it counts as if there had been a turn now. A turn counts from the
/// latest start that its claim allows for. A gate whose answer comes later asks again for the same
/// turn, and does not start if another process was given one meanwhile: answers that take longer
/// than the delay can keep a process from a host that others visit.
///
/// Models are derived from it, and may be called from any thread at once. They block for no longer
/// than their own timeouts, and throw what is derived from `std::exception` for what they could not
/// do. Models: `RedisPaceLedger`.
class PaceLedger {
 public:
  PaceLedger() = default;
  PaceLedger(const PaceLedger&) = delete;
  PaceLedger& operator=(const PaceLedger&) = delete;
  virtual ~PaceLedger() = default;

  /// Takes the turn at a host, by a key of `gate_options::key`, for a request that starts at once:
  /// 0. Or how long to wait before the next try, since it is not the time yet. One step: of two
  /// processes that ask at once, one has to wait.
  [[nodiscard]] virtual std::chrono::nanoseconds take_turn(std::string_view host,
                                                           const pace_claim& claim) = 0;

  /// Has nobody get a turn at a host for that long, since it asked for a pause or has just been
  /// visited. A longer pause stays.
  virtual void hold(std::string_view host, std::chrono::nanoseconds pause) = 0;
};

}  // namespace robots

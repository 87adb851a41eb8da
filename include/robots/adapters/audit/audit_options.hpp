#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>

namespace robots {

/// Why an audit trail cannot be written or read: which file, and what to do.
class audit_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The treatment of events while the queue of an `AuditTrail` is full.
enum class full_queue : std::uint8_t {
  wait,  ///< the caller waits until there is room, so that no event is lost
  drop,  ///< the event is lost and counted; no caller ever waits
};

/// The place of an `AuditTrail`, and the share of events that it records.
struct audit_options {
  /// The prefix of its files: `logs/audit` for `logs/audit.000001.jsonl` and so on, and
  /// `logs/audit.lock`.
  std::string path;

  /// Octets after which a file is followed by the next one. Files are never removed.
  std::uint64_t file_bytes = std::uint64_t{64} << 20U;

  /// The share of decisions and admissions to record, from 0 to 1, chosen at random. All other
  /// events are recorded.
  double share = 1;

  /// The delay until entries reach the disk and survive a power failure: 0 for at once, empty to
  /// leave it to the system. Not negative. Entries survive the end of the process in any case.
  std::optional<std::chrono::milliseconds> flush_every{1'000};

  /// A private Ed25519 key in PEM, which signs the trail; empty for no signatures. `openssl genpkey
  /// -algorithm ed25519` makes one. Without signatures, anyone who can write the files can rewrite
  /// them all.
  std::string signing_key{};
  /// Entries after which a signature follows, at least 1. Each file's end is signed, too.
  std::uint64_t sign_every = 1'000;

  /// Octets of memory that events may use while they wait for the disk, with the policies that they
  /// keep alive. `full_queue::wait` exceeds this by at most one event.
  std::size_t queue_bytes = std::size_t{16} << 20U;
  /// The treatment of an event when they are used up. A lost event is counted, and the trail says
  /// how many were lost as soon as it can be written again.
  full_queue when_full = full_queue::wait;
  /// The time for which a caller waits for room. While the disk hangs, `full_queue::wait` blocks
  /// every caller for so long; then events are lost until the disk answers again, so that the
  /// crawler can go on or end. `milliseconds::max()` waits forever.
  std::chrono::milliseconds longest_wait = std::chrono::minutes{1};
  /// The longest time for which the destructor waits until everything is written.
  std::chrono::milliseconds close_within{10'000};
};

/// The statistics of an `AuditTrail`.
struct audit_stats {
  std::uint64_t entries = 0;    ///< entries written, in all files that it has written to
  std::uint64_t lost = 0;       ///< events that could not be recorded, or whose file was deleted
  std::uint64_t last_file = 0;  ///< the number of the file that is written to
  std::string last_hash{};      ///< of the last entry; see `audit_checks::head`
  std::string failure{};        ///< why nothing could be written last; empty when it could
};

}  // namespace robots

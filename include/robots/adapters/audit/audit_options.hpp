#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>

namespace robots {

/// The exception for an audit trail that cannot be written or read.
class audit_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The options of an `AuditTrail`.
struct audit_options {
  /// The file names of the trail start with this text: `logs/audit` gives `logs/audit.000001.jsonl`
  /// and `logs/audit.lock`.
  std::string path;

  /// The size in octets at which a new file begins. The trail never removes a file.
  std::uint64_t file_bytes = std::uint64_t{64} << 20U;

  /// The probability, from 0 to 1, that a `decision_event` or an `admission_event` is recorded. All
  /// other events are always recorded.
  double share = 1;

  /// The maximum time until entries are on the disk and survive a power failure. 0 means at once.
  /// If the option has no value, the operating system decides. The time must not be negative.
  /// Entries always survive the end of the process.
  std::optional<std::chrono::milliseconds> flush_every{1'000};

  /// A private Ed25519 key in PEM, which signs the trail. If it is empty, there are no signatures.
  /// `openssl genpkey -algorithm ed25519` makes such a key. Without signatures, anyone who can
  /// write the files can rewrite all of them.
  std::string signing_key{};
  /// The number of entries between signatures. It must be at least 1. The end of each file is
  /// signed, too.
  std::uint64_t sign_every = 1'000;

  /// The octets of memory that waiting events may use, including the policies that these events
  /// keep alive. If `longest_wait` is above 0, the queue can exceed this limit by one event.
  std::size_t queue_bytes = std::size_t{16} << 20U;
  /// The maximum time of a caller's wait for room in the queue. A caller waits so that no event is
  /// lost. After one caller has waited for this time, all callers stop waiting, and events are lost
  /// until the disk answers again. When the disk works again, an entry of the trail gives the
  /// number of lost events. `milliseconds::max()` waits without a limit. With 0, callers never
  /// wait. If the queue is full, a new event is lost.
  std::chrono::milliseconds longest_wait = std::chrono::minutes{1};
  /// The maximum time for which the destructor waits for the disk.
  std::chrono::milliseconds close_within{10'000};
};

/// The statistics of an `AuditTrail`.
struct audit_stats {
  std::uint64_t entries = 0;    ///< entries written to all files of the trail
  std::uint64_t lost = 0;       ///< events not recorded, or in a file that was deleted or cut off
  std::uint64_t last_file = 0;  ///< the number of the current file
  std::string last_hash{};      ///< the hash of the last entry, for `verify_audit`
  std::string failure{};        ///< the last error; empty after the next successful write
};

}  // namespace robots

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

/// Where an `AuditTrail` is kept, and how much of what happens.
struct audit_options {
  /// What the names of its files begin with: `logs/audit` for `logs/audit.000001.jsonl` and so on,
  /// and `logs/audit.lock`.
  std::string path;

  /// Octets after which a file is followed by the next one. Files are never removed.
  std::uint64_t file_bytes = std::uint64_t{64} << 20U;

  /// The share of decisions and admissions to record, from 0, none, to 1, all; picked at random.
  /// Everything else is recorded always.
  double share = 1;

  /// How soon what is written is put on the disk, so that it outlives a power failure: 0 for at
  /// once, nothing for when the system sees fit. In any case it outlives the process, however that
  /// ends.
  std::optional<std::chrono::milliseconds> flush_every{1'000};

  /// A private Ed25519 key in PEM, to sign with; empty to sign nothing. `openssl genpkey -algorithm
  /// ed25519` makes one. Without it, whoever can write the files can rewrite them all.
  std::string signing_key{};
  /// Entries after which a signature follows, at least 1. Each file's end is signed, too.
  std::uint64_t sign_every = 1'000;

  /// Octets that wait to be written at most: what comes when they are used up is lost, counted, and
  /// told in the trail as soon as that can be written again.
  std::size_t queue_bytes = std::size_t{16} << 20U;
  /// For how long the end of the trail waits for what is still to be written.
  std::chrono::milliseconds close_within{10'000};
};

/// What an `AuditTrail` has done so far.
struct audit_stats {
  std::uint64_t entries = 0;    ///< entries written, in all files that it has written to
  std::uint64_t lost = 0;       ///< events that could not be recorded
  std::uint64_t last_file = 0;  ///< the number of the file that is written to
  std::string last_hash{};      ///< of the last entry; see `audit_checks::head`
  std::string failure{};        ///< why nothing could be written last; empty when it could
};

}  // namespace robots

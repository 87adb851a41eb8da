#pragma once

#include <chrono>
#include <cstddef>
#include <string>

namespace robots {

/// The file of a `SqliteStore`, its size and its timeouts.
struct sqlite_options {
  /// The path of the file. The store makes the file if it does not exist. The file must be on a
  /// disk of this machine, since SQLite's log does not work over network file systems. The log is
  /// in files with the same path and `-wal` or `-shm` at the end.
  std::string path;

  /// The maximum size of the file in octets, at least 1 MiB. A value can have at most an eighth of
  /// this size. The log takes a few MiB more, and grows while a process keeps a transaction open.
  std::size_t max_bytes = std::size_t{1} << 30U;

  /// The maximum wait for other threads and processes. If the disk is full, a call can wait three
  /// times as long. The timeout must be above 0.
  std::chrono::milliseconds timeout{1'000};
};

}  // namespace robots

#pragma once

#include <chrono>
#include <cstddef>
#include <string>

namespace robots {

/// The file of a `SqliteStore`, its size and its timeouts.
struct sqlite_options {
  /// The path of the file. A missing file is made. It must lie on a disk of this machine: SQLite
  /// keeps its log beside it, in files that end in `-wal` and `-shm`, and that log does not work
  /// over network file systems.
  std::string path;

  /// Maximum size of the file in octets, at least 1 MiB. A value may have an eighth of it. The log
  /// takes some MiB more. It grows for as long as another process holds a transaction open.
  std::size_t max_bytes = std::size_t{1} << 30U;

  /// The longest time that a call waits for other threads and processes. Above 0.
  std::chrono::milliseconds timeout{1'000};
};

}  // namespace robots

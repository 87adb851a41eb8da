#pragma once

#include <chrono>
#include <cstddef>
#include <string>

namespace robots {

/// Where a `SqliteStore` keeps its values, how many, and how long it waits for others.
struct sqlite_options {
  /// The file, made if it is missing. It lies on a disk of this machine: SQLite's log, which is
  /// beside it under its name and `-wal` and `-shm`, does not work over network file systems.
  std::string path;

  /// Maximum size of the file in octets, at least 1 MiB. A value may have an eighth of it. The log
  /// takes some MiB more, and as much as is written while another process reads on and on.
  std::size_t max_bytes = std::size_t{1} << 30U;

  /// How long a call waits for other threads and processes. Above 0.
  std::chrono::milliseconds timeout{1'000};
};

}  // namespace robots

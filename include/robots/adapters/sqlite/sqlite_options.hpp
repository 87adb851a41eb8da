#pragma once

#include <chrono>
#include <cstddef>
#include <string>

namespace robots {

/// The file of a `SqliteStore`, its size and its timeouts.
struct sqlite_options {
  /// The path of the file. If the file does not exist, it is made. It must be on a disk of this
  /// machine, since SQLite's log does not work over network file systems. The log is in files next
  /// to it that end in `-wal` and `-shm`.
  std::string path;

  /// The largest size of the file in octets, at least 1 MiB. A value may use an eighth of it. The
  /// log takes a few MiB more. The file can grow while another process keeps a transaction open.
  std::size_t max_bytes = std::size_t{1} << 30U;

  /// The longest wait for other threads and processes. If the disk is full, a call may wait three
  /// times. The timeout must be above 0.
  std::chrono::milliseconds timeout{1'000};
};

}  // namespace robots

#pragma once

#include <chrono>
#include <cstddef>
#include <string>

namespace robots {

/// The options of a `SqliteStore`.
struct sqlite_options {
  /// The path of the file. The store makes the file if it does not exist. The file must be on a
  /// disk of this machine, since SQLite's log does not work over network file systems. The log is
  /// in two more files, whose paths are `path` plus `-wal` and `path` plus `-shm`.
  std::string path;

  /// The maximum size of the file in octets, at least 1 MiB. If a key and its value have more than
  /// an eighth of this size, the store throws `store_error`. The log takes a few MiB in addition,
  /// and grows while a process keeps a transaction open.
  std::size_t max_bytes = std::size_t{1} << 30U;

  /// If true, a `SqliteStore` compresses each value of 256 octets or more with zlib, if that makes
  /// it smaller. The records of real sites then take about a quarter of the room. Every
  /// `SqliteStore` reads both forms. Set this option once all processes that use the file have a
  /// version with this option: an older version ignores a compressed record, and fetches the file
  /// itself.
  bool compress = false;

  /// The maximum wait for other threads and processes, above 0. If the disk is full, a call can
  /// wait three times as long.
  std::chrono::milliseconds timeout{1'000};
};

}  // namespace robots

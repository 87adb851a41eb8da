#pragma once

#include <chrono>
#include <cstddef>
#include <string>

namespace robots {

/// Where an `LmdbStore` keeps what it is given, and how much.
struct lmdb_options {
  /// The file, made when it is not there. LMDB keeps one more beside it, of this name and `-lock`.
  /// Symbolic links lead to both; of several hard links all processes use the same one. Both lie
  /// on a disk of this machine: LMDB does not work over network file systems.
  std::string path;

  /// Octets that the file may take; the oldest values go when they are reached. At least 1 MiB; a
  /// value may have an eighth of it. The file grows up to here and does not shrink again. All
  /// processes give the same.
  std::size_t max_bytes = std::size_t{1} << 30U;

  /// For how long a change waits for other threads and processes. Above 0.
  std::chrono::milliseconds timeout{1'000};

  /// Whether each change is on the disk before its call returns: some milliseconds each. In any
  /// case changes outlive the processes, however these end. What is not on the disk when the power
  /// fails may leave a damaged file behind, which is refused when it is opened next.
  bool flush = false;

  [[nodiscard]] friend bool operator==(const lmdb_options&, const lmdb_options&) = default;
};

}  // namespace robots

#pragma once

#include <robots/base/process.hpp>

#include <sys/stat.h>
#include <sys/types.h>

#include <atomic>
#include <stdexcept>
#include <string>

namespace robots::adapters_detail {

/// The files that are open in SQLite.
///
/// SQLite keeps a table of the locks that this process has on each file. A child process inherits
/// this table, but not the locks. So in the child, even a new connection to a file of the table
/// would write without locks, and damage the file (source: How To Corrupt An SQLite Database File,
/// section 2.6, "Carrying an open database file across a fork()").
/// Only the process that made an entry changes it.
struct open_file_entry {
  const base::home_process home{};
  std::atomic<bool> is_used = true;
  dev_t device{};
  ino_t number{};
  open_file_entry* next = nullptr;
};

/// The first entry of a list that only grows. A list with a lock could not be used in a child of a
/// process with threads.
inline std::atomic<open_file_entry*> first_open_file = nullptr;

/// Throws `std::logic_error` if the file at `path` was open at the fork that made this process.
inline void refuse_inherited(const std::string& path) {
  struct stat file{};
  if (::stat(path.c_str(), &file) != 0) {
    return;  // a file that does not exist is open nowhere
  }
  for (const auto* one = first_open_file.load(); one != nullptr; one = one->next) {
    if (!one->home.is_here() && one->is_used && one->device == file.st_dev &&
        one->number == file.st_ino) {
      throw std::logic_error{
          "SqliteStore: " + path +
          ": it was open in the parent process at the fork, and SQLite cannot lock it again in a "
          "child: make the first store of this file after the fork"};
    }
  }
}

/// The entry of a file, as long as this object lives. An entry of the parent stays in a child, even
/// if this object is destroyed.
class open_file {
 public:
  explicit open_file(const std::string& path) {
    struct stat file{};
    if (::stat(path.c_str(), &file) != 0) {
      return;  // somebody has deleted the file
    }
    entry_ = unused_entry();
    entry_->device = file.st_dev;
    entry_->number = file.st_ino;
  }
  open_file(const open_file&) = delete;
  open_file& operator=(const open_file&) = delete;
  ~open_file() {
    if (entry_ != nullptr && entry_->home.is_here()) {
      entry_->is_used = false;
    }
  }

 private:
  [[nodiscard]] static open_file_entry* unused_entry() {
    for (auto* one = first_open_file.load(); one != nullptr; one = one->next) {
      bool unused = false;
      if (one->home.is_here() && one->is_used.compare_exchange_strong(unused, true)) {
        return one;
      }
    }
    auto* const added = new open_file_entry;  // NOLINT(*-owning-memory): kept until the end
    added->next = first_open_file.load();
    while (!first_open_file.compare_exchange_weak(added->next, added)) {
    }
    return added;
  }

  open_file_entry* entry_ = nullptr;
};

}  // namespace robots::adapters_detail

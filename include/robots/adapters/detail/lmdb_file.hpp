#pragma once

#include <robots/adapters/detail/lmdb_check.hpp>
#include <robots/adapters/detail/lmdb_entry.hpp>
#include <robots/adapters/detail/lmdb_transaction.hpp>
#include <robots/adapters/lmdb_options.hpp>
#include <robots/base/decimal.hpp>
#include <robots/base/handle_pool.hpp>
#include <robots/base/saturating_add.hpp>
#include <robots/store/shared_store.hpp>

#include <fcntl.h>
#include <lmdb.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

namespace robots::adapters_detail {

/// The environment of LMDB, and the turns at changing the file. LMDB's own lock has no timeout; so
/// who changes something holds a lock of ours, which ends with the process, before.
class lmdb_file {
 public:
  /// Opens a file, or gives the one that this process has open: LMDB's locks would not survive a
  /// second one. Throws `store_error` for a file that cannot be used.
  [[nodiscard]] static std::shared_ptr<lmdb_file> open(const lmdb_options& options) {
    if (options.path.empty() || options.max_bytes < least_bytes ||
        options.timeout <= options.timeout.zero()) {
      throw std::invalid_argument{
          "lmdb_options: set path, max_bytes of 1 MiB at least, and a timeout above 0"};
    }
    const int fd = ::open(options.path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    struct stat found{};
    if (fd < 0 || ::fstat(fd, &found) != 0) {
      refuse(options, "cannot be opened: " + std::generic_category().message(errno));
    }
    open_files& all = all_open();
    std::unique_lock lock{all.mutex};
    const auto known = all.files.try_emplace({found.st_dev, found.st_ino}).first;
    std::shared_ptr<lmdb_file> file;
    // One that is about to be closed is waited for; one from before a fork is the parent's.
    const auto is_settled = [&] {
      file = known->second.file.lock();
      return file || known->second.process != ::getpid();
    };
    all.closed.wait(lock, is_settled);
    if (known->second.process == ::getpid()) {
      ::close(fd);
      lmdb_options same = options;
      same.path = file->options_.path;
      if (file->options_ != same) {
        throw std::invalid_argument{"LmdbStore: " + options.path +
                                    " is open in this process with other options"};
      }
      return file;
    }
    file = std::shared_ptr<lmdb_file>{new lmdb_file{options, fd, known->first}};
    known->second = {.file = file, .process = ::getpid()};
    return file;
  }

  lmdb_file(const lmdb_file&) = delete;
  lmdb_file& operator=(const lmdb_file&) = delete;

  /// In a process that was forked from the one that opened the file nothing may be touched.
  ~lmdb_file() {
    open_files& all = all_open();
    const std::scoped_lock lock{all.mutex};
    all.files.at(place_).process = 0;
    readers_.reset();
    if (environment_ != nullptr) {
      ::mdb_env_sync(environment_, 1);
      ::mdb_env_close(environment_);
    }
    ::close(lock_);
    all.closed.notify_all();
  }

 private:
  /// A transaction that reads, and which is used again: LMDB finds a place for a new one slowly.
  class reader {
   public:
    explicit reader(MDB_env* environment) {
      int code = ::mdb_txn_begin(environment, nullptr, MDB_RDONLY, &handle);
      if (code == MDB_READERS_FULL) {
        int dead = 0;
        ::mdb_reader_check(environment, &dead);
        code = ::mdb_txn_begin(environment, nullptr, MDB_RDONLY, &handle);
      }
      check_lmdb(code);
      ::mdb_txn_reset(handle);
    }
    reader(const reader&) = delete;
    reader& operator=(const reader&) = delete;
    ~reader() { ::mdb_txn_abort(handle); }

    MDB_txn* handle = nullptr;
  };

 public:
  /// One state of the file, for as long as it lives: keep it short, since what others drop
  /// meanwhile still takes room.
  class snapshot {
   public:
    explicit snapshot(lmdb_file& file) : reader_{file.usable().readers_->lend()} {
      check_lmdb(::mdb_txn_renew(reader_->handle));
      seen_.emplace(reader_->handle, file.tables_);
    }
    snapshot(const snapshot&) = delete;
    snapshot& operator=(const snapshot&) = delete;
    ~snapshot() { ::mdb_txn_reset(reader_->handle); }

    [[nodiscard]] const lmdb_transaction* operator->() const noexcept { return &*seen_; }
    [[nodiscard]] const lmdb_transaction& operator*() const noexcept { return *seen_; }

   private:
    base::handle_pool<reader>::lease reader_;
    std::optional<lmdb_transaction> seen_;
  };

  /// Changes the file, whole or not at all. While there is no room, drops the oldest values; or,
  /// where others still read all that could be used again, waits for them. Takes the timeout at
  /// most, and one change more.
  void write(const std::function<void(const lmdb_transaction&)>& change) {
    const turn mine{usable()};
    for (;;) {
      try {
        return transact(change);
      } catch (const lmdb_full&) {
        if (std::chrono::steady_clock::now() > mine.end) {
          refuse(options_,
                 "is full, and stays so while a process reads what was dropped: end the "
                 "one that hangs, or raise max_bytes");
        }
      }
      forget_dead_readers();
      // What one change drops, the second one behind it can use, unless others still read it.
      if (is_read_from_before() || !make_room() || !make_room()) {
        std::this_thread::sleep_for(std::chrono::milliseconds{5});
      }
    }
  }

  /// Grows with each change of the file, whoever makes it. Takes no lock.
  [[nodiscard]] std::uint64_t last_change() const {
    MDB_envinfo now{};
    check_lmdb(::mdb_env_info(environment_, &now));
    return now.me_last_txnid;
  }

  [[nodiscard]] const lmdb_options& options() const noexcept { return options_; }

  /// Whether this process was forked from the one that opened the file.
  [[nodiscard]] bool is_forked() const noexcept { return process_ != ::getpid(); }

 private:
  static constexpr std::size_t least_bytes = std::size_t{1} << 20U;
  static constexpr std::string_view format = "1";

  using place = std::pair<dev_t, ino_t>;
  struct open_file {
    std::weak_ptr<lmdb_file> file{};
    pid_t process = 0;
  };
  struct open_files {
    std::mutex mutex;
    std::condition_variable closed;
    std::map<place, open_file> files;
  };

  /// The right to change the file, which one thread of all processes has.
  class turn {
   public:
    explicit turn(lmdb_file& file)
        : end{base::saturating_add(std::chrono::steady_clock::now(), file.options_.timeout)},
          file_{file},
          threads_{file.threads_, std::defer_lock} {
      bool held = threads_.try_lock_until(end);
      for (std::chrono::microseconds pause{20};
           held && ::flock(file.lock_, LOCK_EX | LOCK_NB) != 0;) {
        held = std::chrono::steady_clock::now() < end;
        std::this_thread::sleep_for(pause);
        pause = std::min(2 * pause, std::chrono::microseconds{1'000});
      }
      if (!held) {
        throw store_error{"LmdbStore: " + file.options_.path +
                          ": others have been changing it for " +
                          std::to_string(file.options_.timeout.count()) + " ms"};
      }
    }
    turn(const turn&) = delete;
    turn& operator=(const turn&) = delete;
    ~turn() { ::flock(file_.lock_, LOCK_UN); }

    const std::chrono::steady_clock::time_point end;  // when a change is to be given up

   private:
    lmdb_file& file_;
    std::unique_lock<std::timed_mutex> threads_;
  };

  lmdb_file(const lmdb_options& options, int fd, const place& where)
      : options_{options}, lock_{fd}, place_{where} {
    try {
      open_environment();
      check_pages();
      open_tables();
    } catch (...) {
      // The destructor is not called.
      readers_.reset();
      ::mdb_env_close(environment_);
      ::close(lock_);
      throw;
    }
  }

  [[nodiscard]] static open_files& all_open() {
    static open_files all;
    return all;
  }

  [[noreturn]] static void refuse(const lmdb_options& options, const std::string& why) {
    throw store_error{"LmdbStore: " + options.path + " " + why};
  }

  [[noreturn]] void refuse_content(const std::string& why) const {
    refuse(options_, "is not used: " + why +
                         ". Name another file; or, if nobody needs this one, "
                         "end the programs that use it and delete it and " +
                         options_.path + "-lock");
  }

  [[nodiscard]] std::uint64_t size() const {
    struct stat found{};
    if (::fstat(lock_, &found) != 0 || !S_ISREG(found.st_mode)) {
      refuse(options_, "is no regular file");
    }
    return static_cast<std::uint64_t>(found.st_size);
  }

  void open_environment() {
    const turn mine{*this};
    const std::uint64_t octets = size();
    if (octets > 0) {
      const std::string fault = lmdb_check{lock_}.first_pages(octets + options_.max_bytes);
      if (!fault.empty()) {
        refuse_content(fault);
      }
    }
    check_lmdb(::mdb_env_create(&environment_));
    // A file that was larger needs some room so that what is too much can be dropped.
    constexpr std::size_t unit = least_bytes;  // of which any size of a page is a part
    check_lmdb(::mdb_env_set_mapsize(
        environment_,
        std::max(options_.max_bytes / unit, octets > options_.max_bytes ? octets / unit + 2 : 0) *
            unit));
    check_lmdb(::mdb_env_set_maxdbs(environment_, 4));
    check_lmdb(::mdb_env_set_maxreaders(environment_, 1'024));
    const unsigned flags = MDB_NOSUBDIR | MDB_NOTLS | MDB_NORDAHEAD |
                           (options_.flush ? MDB_NOMETASYNC : unsigned{MDB_NOSYNC});
    // LMDB tells the lock beside the file by the name that it is given.
    const std::unique_ptr<char, decltype(&std::free)> path{
        ::realpath(options_.path.c_str(), nullptr), &std::free};
    if (path == nullptr) {
      refuse(options_, "cannot be opened: " + std::generic_category().message(errno));
    }
    const int code = ::mdb_env_open(environment_, path.get(), flags, 0644);
    if (code == MDB_INVALID || code == MDB_VERSION_MISMATCH) {
      refuse_content(::mdb_strerror(code));
    } else if (code != MDB_SUCCESS) {
      refuse(options_, std::string{"cannot be opened by LMDB: "} + ::mdb_strerror(code));
    }
    readers_ = std::make_unique<base::handle_pool<reader>>(
        [this] { return std::make_unique<reader>(environment_); }, 64);
  }

  /// Before anything else is read by LMDB. Others may change the file meanwhile.
  void check_pages() {
    lmdb_check pages{lock_};
    if (const std::string fault = pages.first_pages(size() + options_.max_bytes); !fault.empty()) {
      refuse_content(fault);
    }
    for (int tries = 1'000; tries > 0; --tries) {
      const snapshot now{*this};
      if (const auto fault = pages.walk(now->id(), size(), lmdb_names)) {
        return fault->empty() ? void()
                              : refuse_content("it is damaged, or not of this library: " + *fault);
      }
    }
    refuse(options_, "changes too quickly to be checked");
  }

  void open_tables() {
    const turn mine{*this};
    forget_dead_readers();
    transact([this](const lmdb_transaction& begun) {
      MDB_dbi main{};
      check_lmdb(::mdb_dbi_open(begun.handle(), nullptr, 0, &main));
      const lmdb_transaction names{begun.handle(), {main}};
      const auto found = names.get(lmdb_table{}, lmdb_names.back());
      if (!found && names.from(lmdb_table{}, {})) {
        refuse_content("it belongs to another program");
      } else if (found && found != format) {
        refuse_content("it is written in another format than that of this version of the library");
      } else if (!found) {
        names.put(lmdb_table{}, lmdb_names.back(), format);
      }
      for (std::size_t i = 0; i < tables_.size(); ++i) {
        check_lmdb(
            ::mdb_dbi_open(begun.handle(), lmdb_names.at(i).data(), MDB_CREATE, &tables_.at(i)));
      }
    });
  }

  /// Drops the oldest values, one of sixteen. False if there are none, or no room for that either.
  bool make_room() {
    try {
      std::size_t count = 0;
      transact([&count](const lmdb_transaction& begun) {
        constexpr std::size_t most = 1'000;
        count = std::min((begun.size(lmdb_table::values) + 15) / 16, most);
        drop_oldest(begun, count);
      });
      return count > 0;
    } catch (const lmdb_full&) {
      return false;
    }
  }

  void forget_dead_readers() {
    int dead = 0;
    ::mdb_reader_check(environment_, &dead);
  }

  /// Whether some process reads a state of the file that is not the latest one.
  [[nodiscard]] bool is_read_from_before() const {
    std::uint64_t oldest = last_change();
    const auto note = [](const char* line, void* context) {
      std::string_view text{line};  // numbers of the process, the thread and the state, or "-"
      text.remove_suffix(text.ends_with('\n') ? 1 : 0);
      const auto state = base::parse_decimal(text.substr(text.rfind(' ') + 1));
      auto& smallest = *static_cast<std::uint64_t*>(context);
      smallest = std::min(smallest, state.value_or(smallest));
      return 0;
    };
    ::mdb_reader_list(environment_, note, &oldest);
    return oldest < last_change();
  }

  void transact(const std::function<void(const lmdb_transaction&)>& change) {
    MDB_txn* handle = nullptr;
    check_lmdb(::mdb_txn_begin(environment_, nullptr, 0, &handle));
    try {
      change({handle, tables_});
    } catch (...) {
      ::mdb_txn_abort(handle);
      throw;
    }
    check_lmdb(::mdb_txn_commit(handle));
  }

  [[nodiscard]] lmdb_file& usable() {
    if (is_forked()) {
      throw store_error{"LmdbStore: " + options_.path +
                        " was opened before a fork: make a store of its own in the new process"};
    }
    return *this;
  }

  const lmdb_options options_;
  const int lock_;  // the file once more, for our lock
  const place place_;
  const pid_t process_ = ::getpid();
  std::timed_mutex threads_;
  MDB_env* environment_ = nullptr;
  std::array<MDB_dbi, 4> tables_{};
  std::unique_ptr<base::handle_pool<reader>> readers_;
};

}  // namespace robots::adapters_detail

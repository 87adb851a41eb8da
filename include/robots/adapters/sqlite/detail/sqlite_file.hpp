#pragma once

#include <robots/adapters/sqlite/detail/open_files.hpp>
#include <robots/adapters/sqlite/sqlite_options.hpp>
#include <robots/base/hash.hpp>
#include <robots/base/saturating_add.hpp>
#include <robots/store/shared_store.hpp>

#include <fcntl.h>
#include <sqlite3.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace robots::adapters_detail {

/// The exception if another process locks the file for longer than the timeout.
class sqlite_lock_error : public store_error {
 public:
  using store_error::store_error;
};

struct sqlite_row {
  std::int64_t number = 0;
  std::string octets{};
  std::int64_t more = 0;
};

/// A connection to a file, for one call at a time. Throws the errors of SQLite as `store_error`.
class sqlite_file {
 public:
  explicit sqlite_file(const sqlite_options& options, const char* owner = "SqliteStore")
      : options_{options}, owner_{owner} {
    if (std::error_code missing; std::filesystem::is_other(options.path, missing)) {
      fail("it is no regular file");
    }
    refuse_inherited(options.path);
    // Without a slash, SQLite reads some names as a URI or as a database in memory.
    const std::string name = (options.path.starts_with('/') ? "" : "./") + options.path;
    constexpr int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
    sqlite3* opened = nullptr;
    const int code = ::sqlite3_open_v2(name.c_str(), &opened, flags | SQLITE_OPEN_EXRESCODE, {});
    handle_.reset(opened, &::sqlite3_close);
    check(code);
    open_.emplace(options.path);
    ::sqlite3_busy_handler(opened, &wait, this);
    int step = file_step;
    ::sqlite3_file_control(opened, nullptr, SQLITE_FCNTL_CHUNK_SIZE, &step);
    ask("PRAGMA mmap_size=0");  // with mmap, a shortened file would end the process with SIGBUS
    ask("PRAGMA synchronous=NORMAL");
    ask("PRAGMA secure_delete=OFF");  // zeros over deleted records would need room on a full disk
  }

  /// Returns the rows of the result. A row has one column (`number`) or three columns.
  std::vector<sqlite_row> ask(const std::string& sql, const auto&... values) {
    give_up_ = base::saturating_add(std::chrono::steady_clock::now(), options_.timeout);
    std::shared_ptr<sqlite3_stmt>& prepared = statements_[sql];
    sqlite3_stmt* statement = prepared.get();
    if (statement == nullptr) {
      check(::sqlite3_prepare_v2(handle_.get(), sql.c_str(), -1, &statement, nullptr));
      prepared.reset(statement, &::sqlite3_finalize);
    }
    const std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt*)> ends{statement, &::sqlite3_reset};
    int index = 0;
    (check(bind(statement, ++index, values)), ...);
    int code = 0;
    while ((code = ::sqlite3_step(statement)) == SQLITE_BUSY && wait(this, 6) != 0) {
    }  // SQLite itself does not wait when it changes to WAL mode
    std::vector<sqlite_row> rows;
    for (; code == SQLITE_ROW; code = ::sqlite3_step(statement)) {
      rows.push_back({.number = ::sqlite3_column_int64(statement, 0)});
      if (::sqlite3_data_count(statement) == 3) {
        const auto* const octets = static_cast<const char*>(::sqlite3_column_blob(statement, 1));
        rows.back().octets.assign(octets, octets + ::sqlite3_column_bytes(statement, 1));
        rows.back().more = ::sqlite3_column_int64(statement, 2);
      }
    }
    check(code);
    return rows;
  }

  std::int64_t number(const std::string& sql) { return ask(sql).at(0).number; }

  /// Returns the result of `work()`, which runs in a transaction that the statement `begin` opens.
  auto transact(const char* begin, const auto& work) {
    ask(begin);
    try {
      auto result = work();
      ask("COMMIT");
      return result;
    } catch (...) {
      ::sqlite3_exec(handle_.get(), "ROLLBACK", nullptr, nullptr, nullptr);
      throw;
    }
  }

  /// Returns the most octets that a key and its value may have together.
  [[nodiscard]] static std::size_t largest_value(const sqlite_options& options) noexcept {
    return options.max_bytes / 8;
  }

  /// Makes room for `octets` octets, and returns the result of `change(*this)`, in one transaction.
  /// Deletes up to eight expired records and then, if there is no room, the oldest records.
  auto write(std::size_t octets, const auto& change) {
    if (octets > largest_value(options_)) {
      fail("a value of more than an eighth of max_bytes is not kept");
    }
    const auto added = static_cast<std::int64_t>(octets) / 4'000 + 16;
    auto most = static_cast<std::int64_t>(options_.max_bytes / file_step * 16);
    for (bool is_retry = false;; is_retry = true) {
      try {
        return transact("BEGIN IMMEDIATE", [&] {
          ask("DELETE FROM records WHERE number IN"
              " (SELECT number FROM records WHERE until <= ? ORDER BY until LIMIT 8)",
              present());
          while (record_pages() + added > most &&
                 number("SELECT EXISTS(SELECT 1 FROM records)") != 0) {
            ask("DELETE FROM records WHERE number < (SELECT min(number) FROM records) + 8");
          }
          auto result = change(*this);
          // If the disk becomes full, SQLite can still move the log into the room reserved here.
          std::int64_t size = number("PRAGMA page_count") * file_step / 16;
          check(::sqlite3_file_control(handle_.get(), nullptr, SQLITE_FCNTL_SIZE_HINT, &size));
          return result;
        });
      } catch (const store_error&) {
        if (is_retry || !is_full_ || number("PRAGMA wal_checkpoint(RESTART)") != 0) {
          throw;
        }
        most = number("PRAGMA page_count");
      }
    }
  }

  /// Returns the number of pages in use, without the pages of a `SqliteRulingLedger`. A full store
  /// drops records, never rulings, so rulings must not make it full.
  [[nodiscard]] std::int64_t record_pages() {
    constexpr std::int64_t page = file_step / 16;
    constexpr std::int64_t most_empty_pages = 8;  // each table and index has at least one page
    const std::int64_t octets = number("SELECT number FROM ruling_head WHERE part = 2");
    return number("PRAGMA page_count") - number("PRAGMA freelist_count") - most_empty_pages -
           octets / page * 5 / 4;
  }

  /// The SQL condition for a valid record at ?1. Refuses records from over a minute after ?1.
  static inline const std::string holds = "until > ?1 AND since <= ?1 + 60000";

  [[nodiscard]] static std::int64_t present() {
    const auto now = std::chrono::system_clock::now();
    return std::chrono::floor<std::chrono::milliseconds>(now).time_since_epoch().count();
  }

  /// Finds an unexpired record. Compares the name, since a damaged index can find another record.
  [[nodiscard]] std::optional<std::string> find(const std::string& name) {
    const auto found =
        ask("SELECT 0, octets, 0 FROM records WHERE hash = ?2 AND name = ?3 AND " + holds,
            present(), base::fingerprint(name), name);
    return found.empty() ? std::nullopt : std::optional{found[0].octets};
  }

  /// Always returns true, like `remove` and `tell`, so that `&&` can join several calls.
  bool put(const std::string& name, std::string_view octets, std::chrono::milliseconds lifetime) {
    remove(name);
    ask("INSERT INTO records(hash, name, since, until, octets) VALUES (?2, ?3, ?1, ?1 + ?4, ?5)",
        present(), base::fingerprint(name), name,
        (std::min<std::chrono::milliseconds>)(lifetime, std::chrono::years{100}).count(), octets);
    return true;
  }

  bool remove(const std::string& name) {
    ask("DELETE FROM records WHERE hash = ? AND name = ?", base::fingerprint(name), name);
    return true;
  }

  /// Records that `store` has changed `key`. Keeps only the last 4,000 changes.
  bool tell(std::string_view key, std::string_view store) {
    ask("INSERT INTO changes(key, store) VALUES (?, ?)", key, store);
    ask("DELETE FROM changes WHERE number <= last_insert_rowid() - 4000");
    return true;
  }

  /// Makes the tables of a new file. Throws `store_error` if the file belongs to another program.
  void prepare() {
    constexpr std::int64_t application = 0x726F6201;  // "rob", format 1
    transact("BEGIN IMMEDIATE", [this] {
      const std::int64_t owner = number("PRAGMA application_id");
      if (owner == 0 && number("SELECT count(*) FROM sqlite_master") == 0) {
        // The oldest records have the lowest numbers, so their rows are next to each other.
        ask("CREATE TABLE records(number INTEGER PRIMARY KEY, hash INTEGER, name BLOB,"
            " since INTEGER, until INTEGER, octets BLOB)");
        ask("CREATE INDEX records_by_hash ON records(hash)");
        ask("CREATE INDEX records_by_until ON records(until)");
        ask("CREATE TABLE changes(number INTEGER PRIMARY KEY, key BLOB, store BLOB)");
        ask("PRAGMA application_id=" + std::to_string(application));
      } else if (owner != application) {
        fail("it belongs to another program or version. Name another file");
      }
      // The schema is in the first page. Reading the tables themselves here would make damage in
      // one of them an error of the constructor.
      if (number("SELECT count(*) FROM sqlite_master WHERE name = 'ruling_head'") == 0) {
        prepare_rulings();
      }
      return true;
    });
    ask("PRAGMA journal_mode=WAL");
  }

 private:
  static constexpr int file_step = 65'536;  // octets: the file grows by 16 pages at a time

  /// Makes the tables of a `SqliteRulingLedger`: the last order of each ruling, all orders as they
  /// were made, the numbers of their ids, and one row each for the head and for the octets in use.
  void prepare_rulings() {
    ask("CREATE TABLE rulings(name BLOB PRIMARY KEY, generation INTEGER,"
        " number INTEGER, octets BLOB) WITHOUT ROWID");
    ask("CREATE TABLE ruling_log(number INTEGER PRIMARY KEY, generation INTEGER,"
        " id BLOB, octets BLOB)");
    ask("CREATE TABLE ruling_ids(id BLOB PRIMARY KEY, generation INTEGER,"
        " number INTEGER) WITHOUT ROWID");
    ask("CREATE TABLE ruling_head(part INTEGER PRIMARY KEY, generation INTEGER,"
        " number INTEGER, octets BLOB)");
    ask("INSERT INTO ruling_head VALUES (1, 0, 0, ''), (2, 0, 0, '')");
  }

  static int bind(sqlite3_stmt* statement, int index, std::integral auto value) {
    return ::sqlite3_bind_int64(statement, index, static_cast<std::int64_t>(value));
  }
  static int bind(sqlite3_stmt* statement, int index, std::string_view value) {
    const char* const octets = value.empty() ? "" : value.data();
    return ::sqlite3_bind_blob64(statement, index, octets, value.size(), SQLITE_STATIC);
  }

  /// The busy handler of SQLite. Each call sleeps for at most 1.3 ms. Returns 0 after the timeout.
  static int wait(void* self, int times) {
    std::this_thread::sleep_for(std::chrono::microseconds{20LL << (std::min)(times, 6)});
    return std::chrono::steady_clock::now() < static_cast<sqlite_file*>(self)->give_up_ ? 1 : 0;
  }

  /// Returns the error of the system for a file that cannot be opened. If a file is missing, SQLite
  /// first tries to make it, then to read it, and knows only the error of the second try. So this
  /// function makes it again. No lock is lost when it closes the file, since the file is new.
  [[nodiscard]] int reason_of_refusal() const {
    const int error = ::sqlite3_system_errno(handle_.get());
    constexpr ::mode_t permissions = 0644;
    const int new_file =
        error == ENOENT
            ? ::open(options_.path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, permissions)
            : -1;
    if (new_file >= 0) {
      ::close(new_file);
      return error;
    }
    return error == ENOENT && errno != EEXIST ? errno : error;
  }

  [[noreturn]] void fail(const std::string& why) const {
    throw store_error{std::string{owner_} + ": " + options_.path + ": " + why};
  }

  void check(int code) {
    if (code == SQLITE_OK || code == SQLITE_DONE) {
      return;
    }
    is_full_ = code == SQLITE_FULL || code == SQLITE_IOERR_WRITE || code == SQLITE_IOERR_SHMSIZE;
    std::string why = ::sqlite3_errmsg(handle_.get());
    if ((code & 0xFF) == SQLITE_BUSY) {
      throw sqlite_lock_error{std::string{owner_} + ": " + options_.path + ": " + why +
                              ". End the program that locks it, or give it a longer timeout"};
    }
    if ((code & 0xFF) == SQLITE_READONLY) {
      why += ". Permit this process to write the file and its folder, and mount them for writing";
    } else if ((code & 0xFF) == SQLITE_CANTOPEN) {
      why += ": " + std::system_category().message(reason_of_refusal());
    } else if ((code & 0xFF) == SQLITE_CORRUPT || (code & 0xFF) == SQLITE_NOTADB) {
      why += ". Name another file, or end the programs that use it and delete it and its -wal";
    }
    fail(why);
  }

  const sqlite_options options_;
  const char* const owner_;          // the class that uses the file, for messages
  std::optional<open_file> open_{};  // destroyed after `handle_`
  std::chrono::steady_clock::time_point give_up_{};
  bool is_full_ = false;  // true if the last error was that the disk, a quota or the file is full
  std::shared_ptr<sqlite3> handle_{};
  std::map<std::string, std::shared_ptr<sqlite3_stmt>> statements_{};  // destroyed before `handle_`
};

}  // namespace robots::adapters_detail

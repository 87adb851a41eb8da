// A connection to the file of a `SqliteStore`. It throws the errors of SQLite as exceptions.
#pragma once

#include <robots/adapters/sqlite/sqlite_options.hpp>
#include <robots/base/fingerprint.hpp>
#include <robots/base/saturating_add.hpp>
#include <robots/store/shared_store.hpp>

#include <sqlite3.h>

#include <algorithm>
#include <chrono>
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
#include <vector>

namespace robots::adapters_detail {

/// There is no room, because of the disk, a quota or `max_bytes`.
struct sqlite_full : store_error {
  using store_error::store_error;
};

/// The first three columns of a row, or only the first one.
struct sqlite_row {
  std::int64_t number = 0;
  std::string octets{};
  std::int64_t more = 0;
};

/// A connection; only one call at a time may use it.
class sqlite_file {
 public:
  explicit sqlite_file(const sqlite_options& options) : options_{options} {
    if (std::error_code missing; std::filesystem::is_other(options.path, missing)) {
      fail("it is no regular file");
    }
    // Without a slash, SQLite reads some names as a URI or as a database in memory.
    const std::string name = (options.path.starts_with('/') ? "" : "./") + options.path;
    constexpr int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
    sqlite3* opened = nullptr;
    const int code = ::sqlite3_open_v2(name.c_str(), &opened, flags | SQLITE_OPEN_EXRESCODE, {});
    handle_.reset(opened);
    check(code);
    ::sqlite3_busy_handler(opened, &wait, this);
    int step = file_step;
    ::sqlite3_file_control(opened, nullptr, SQLITE_FCNTL_CHUNK_SIZE, &step);
    ask("PRAGMA mmap_size=0");  // with mmap, a shortened file would end the process with SIGBUS
    ask("PRAGMA synchronous=NORMAL");
    ask("PRAGMA secure_delete=OFF");
  }

  /// Runs a statement, and returns the rows of its result.
  template <class... Values>
  std::vector<sqlite_row> ask(const std::string& sql, const Values&... values) {
    auto& prepared = statements_[sql];
    if (prepared == nullptr) {
      sqlite3_stmt* statement = nullptr;
      check(::sqlite3_prepare_v2(handle_.get(), sql.c_str(), -1, &statement, nullptr));
      prepared.reset(statement);
    }
    sqlite3_stmt* const statement = prepared.get();
    const std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt*)> ends{statement, &::sqlite3_reset};
    int index = 0;
    (check(bind(statement, ++index, values)), ...);
    int code = 0;
    while ((code = ::sqlite3_step(statement)) == SQLITE_BUSY && wait(this, 6) != 0) {
    }  // SQLite does not wait for the change to WAL
    std::vector<sqlite_row> rows;
    for (; code == SQLITE_ROW; code = ::sqlite3_step(statement)) {
      rows.push_back({.number = ::sqlite3_column_int64(statement, 0)});
      if (::sqlite3_data_count(statement) == 3) {
        const auto* const octets = static_cast<const char*>(::sqlite3_column_blob(statement, 1));
        rows.back().octets.assign(octets, octets + ::sqlite3_column_bytes(statement, 1));
        rows.back().more = ::sqlite3_column_int64(statement, 2);
      }
    }
    check(code == SQLITE_DONE ? SQLITE_OK : code);
    return rows;
  }

  /// Returns the number that a statement yields, or 0.
  std::int64_t number(const std::string& sql) {
    const std::vector<sqlite_row> rows = ask(sql);
    return rows.empty() ? 0 : rows[0].number;
  }

  /// Returns the result of `work(*this)`, which sees one state of the file. If `work` throws, the
  /// file does not change.
  template <class Work>
  auto transact(const Work& work, const char* begin = "BEGIN") {
    give_up_ = base::saturating_add(std::chrono::steady_clock::now(), options_.timeout);
    ask(begin);
    try {
      auto result = work(*this);
      ask("COMMIT");
      return result;
    } catch (...) {
      ::sqlite3_exec(handle_.get(), "ROLLBACK", nullptr, nullptr, nullptr);
      throw;
    }
  }

  /// Returns the result of `change(*this)`, which adds `octets` octets. If there is no room for
  /// them, drops the oldest records first.
  template <class Change>
  auto write(std::size_t octets, const Change& change) {
    if (octets > options_.max_bytes / 8) {
      fail("a value of more than an eighth of max_bytes is not kept");
    }
    const auto added = static_cast<std::int64_t>(octets) / 4'000 + 16;
    auto most = static_cast<std::int64_t>(options_.max_bytes / file_step * 16);
    const auto make_room_and_change = [&](sqlite_file& /*self*/) {
      while (number("PRAGMA page_count") - number("PRAGMA freelist_count") + added > most &&
             !ask("DELETE FROM records WHERE number IN"
                  " (SELECT number FROM records ORDER BY number LIMIT 8) RETURNING number")
                  .empty()) {
      }
      auto result = change(*this);
      // Reserves room in the file for the contents of the log, so that the log can be emptied on a
      // full disk.
      std::int64_t size = number("PRAGMA page_count") * file_step / 16;
      check(::sqlite3_file_control(handle_.get(), nullptr, SQLITE_FCNTL_SIZE_HINT, &size));
      return result;
    };
    try {
      return transact(make_room_and_change, "BEGIN IMMEDIATE");
    } catch (const sqlite_full&) {
      most = number("PRAGMA page_count");
      if (number("PRAGMA wal_checkpoint(RESTART)") != 0) {
        throw;
      }
    }
    return transact(make_room_and_change, "BEGIN IMMEDIATE");
  }

  /// Returns the octets for a name, unless they have expired.
  [[nodiscard]] std::optional<std::string> find(const std::string& name) {
    const auto found =
        ask("SELECT 0, octets, 0 FROM records WHERE hash = ?2 AND name = ?3 AND " + holds,
            present(), hash(name), name);
    return found.empty() ? std::nullopt : std::optional{found[0].octets};
  }

  /// Stores octets for a name. Returns true.
  bool put(const std::string& name, std::string_view octets, std::chrono::milliseconds lifetime) {
    constexpr std::chrono::milliseconds longest = std::chrono::years{100};
    remove(name);
    ask("INSERT INTO records(hash, name, since, until, octets) VALUES (?2, ?3, ?1, ?1 + ?4, ?5)",
        present(), hash(name), name, (std::min)(lifetime, longest).count(), octets);
    return true;
  }

  /// Removes the record of a name, and some of the oldest records if they have expired. Returns
  /// true.
  bool remove(const std::string& name) {
    ask("DELETE FROM records WHERE hash = ? AND name = ?", hash(name), name);
    ask("DELETE FROM records WHERE NOT (" + holds +
            ") AND number IN (SELECT number FROM records ORDER BY number LIMIT 2)",
        present());
    return true;
  }

  /// Returns number, name and remaining time of the next unexpired records after number `last`.
  [[nodiscard]] std::vector<sqlite_row> next(std::int64_t last) {
    return ask("SELECT number, name, until - ?1 FROM records WHERE number > ?2 AND " + holds +
                   " ORDER BY number LIMIT 1000",
               present(), last);
  }

  /// Notes a change by a store. Forgets all but the last 4,000. Returns true.
  bool tell(std::string_view key, std::string_view store) {
    ask("INSERT INTO changes(key, store) VALUES (?, ?)", key, store);
    ask("DELETE FROM changes WHERE number <= last_insert_rowid() - 4000");
    return true;
  }

  /// Returns the next changes after number `last`: number, key, and whether this store made it.
  [[nodiscard]] std::vector<sqlite_row> changes(std::string_view store, std::int64_t last) {
    return ask(
        "SELECT number, key, store = ? FROM changes WHERE number > ? ORDER BY number LIMIT 1000",
        store, last);
  }

  /// Makes the tables of a new file. Throws `store_error` if the file belongs to another program.
  void prepare() {
    constexpr std::int64_t application = 0x726F6201;  // "rob", format 1
    const auto make_tables = [this](sqlite_file& /*self*/) {
      const std::int64_t owner = number("PRAGMA application_id");
      if (owner == 0 && number("SELECT count(*) FROM sqlite_master") == 0) {
        // Numbers grow with each publication, so the oldest records are next to each other. A
        // record is found by a hash, and its name is compared: a damaged index must not return the
        // record of another site.
        ask("CREATE TABLE records(number INTEGER PRIMARY KEY, hash INTEGER, name BLOB,"
            " since INTEGER, until INTEGER, octets BLOB)");
        ask("CREATE INDEX records_by_hash ON records(hash)");
        ask("CREATE TABLE changes(number INTEGER PRIMARY KEY, key BLOB, store BLOB)");
        ask("PRAGMA application_id=" + std::to_string(application));
      } else if (owner != application) {
        fail("it belongs to another program or version. Name another file");
      }
      return true;
    };
    transact(make_tables, "BEGIN IMMEDIATE");
    ask("PRAGMA journal_mode=WAL");
  }

 private:
  struct end {
    void operator()(sqlite3* ended) const { ::sqlite3_close(ended); }
    void operator()(sqlite3_stmt* ended) const { ::sqlite3_finalize(ended); }
  };
  static constexpr int file_step = 65'536;  // the file grows by 16 pages

  /// The condition that a record has not expired at the time ?1. A record from more than a minute
  /// after that time was written before the clock was set back, and counts as expired.
  static inline const std::string holds = "until > ?1 AND since <= ?1 + 60000";

  /// Returns the time in milliseconds since 1970.
  [[nodiscard]] static std::int64_t present() {
    const auto today = std::chrono::system_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::milliseconds>(today).count();
  }

  [[nodiscard]] static std::int64_t hash(std::string_view name) {
    return static_cast<std::int64_t>(base::fingerprint(name));
  }

  static int bind(sqlite3_stmt* statement, int index, std::int64_t value) {
    return ::sqlite3_bind_int64(statement, index, value);
  }
  static int bind(sqlite3_stmt* statement, int index, std::string_view value) {
    const char* const octets = value.empty() ? "" : value.data();
    return ::sqlite3_bind_blob64(statement, index, octets, value.size(), SQLITE_STATIC);
  }

  /// Sleeps, longer with each call. Returns 0 if the timeout has passed.
  static int wait(void* self, int times) {
    std::this_thread::sleep_for(std::chrono::microseconds{20LL << (std::min)(times, 6)});
    return std::chrono::steady_clock::now() < static_cast<sqlite_file*>(self)->give_up_ ? 1 : 0;
  }

  template <class Error = store_error>
  [[noreturn]] void fail(const std::string& why) const {
    throw Error{"SqliteStore: " + options_.path + ": " + why};
  }

  /// Throws if `code` is an error.
  void check(int code) const {
    if (code == SQLITE_OK) {
      return;
    }
    std::string why = ::sqlite3_errmsg(handle_.get());
    if (code == SQLITE_FULL || code == SQLITE_IOERR_WRITE || code == SQLITE_IOERR_SHMSIZE) {
      fail<sqlite_full>(why);
    }
    if ((code & 0xFF) == SQLITE_CANTOPEN) {
      why += ": " + std::system_category().message(::sqlite3_system_errno(handle_.get()));
    } else if ((code & 0xFF) == SQLITE_CORRUPT || (code & 0xFF) == SQLITE_NOTADB) {
      why += ". Name another file, or end the programs that use it and delete it and its -wal";
    }
    fail(why);
  }

  const sqlite_options options_;
  std::chrono::steady_clock::time_point give_up_{};
  std::unique_ptr<sqlite3, end> handle_{};
  std::map<std::string, std::unique_ptr<sqlite3_stmt, end>> statements_{};
};

}  // namespace robots::adapters_detail

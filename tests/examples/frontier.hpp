// The URLs of a crawl in a SQLite file, so that a crawl can be stopped and started again.
#pragma once

#include "crawl_url.hpp"

#include <sqlite3.h>

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

namespace robots::example {

/// The URLs that a crawl has seen: new ones, those in progress, and those that are done. Any thread
/// may call it. A host has at most one URL in progress, so that no thread waits behind another.
class frontier {
 public:
  explicit frontier(const std::string& path) {
    sqlite3* opened = nullptr;
    const int code = ::sqlite3_open(path.c_str(), &opened);
    file_.reset(opened, &::sqlite3_close);
    check(code);
    run("CREATE TABLE IF NOT EXISTS urls(url TEXT PRIMARY KEY, host TEXT, depth INTEGER, "
        "state INTEGER DEFAULT 0, result TEXT, use TEXT) WITHOUT ROWID");
    run("CREATE INDEX IF NOT EXISTS by_state ON urls(state, host)");
    run("UPDATE urls SET state = 0 WHERE state = 1");  // an earlier run was stopped
  }

  /// Adds a URL that is not known yet.
  void add(const std::string& url, const std::string& host, std::int64_t depth) {
    const std::scoped_lock lock{mutex_};
    run("INSERT OR IGNORE INTO urls(url, host, depth) VALUES(?1, ?2, ?3)", url, host,
        std::to_string(depth));
  }

  /// Takes a new URL of a host without a URL in progress.
  [[nodiscard]] std::optional<crawl_url> take() {
    const std::scoped_lock lock{mutex_};
    const auto rows = query(
        "SELECT url, depth FROM urls WHERE state = 0 AND host NOT IN "
        "(SELECT host FROM urls WHERE state = 1) LIMIT 1");
    if (rows.empty()) {
      return std::nullopt;
    }
    const auto& [url, depth] = *rows.begin();
    run("UPDATE urls SET state = 1 WHERE url = ?1", url);
    return crawl_url{url, depth};
  }

  /// Gives back a URL that was taken, as if it was new.
  void give_back(const crawl_url& taken) {
    const std::scoped_lock lock{mutex_};
    run("UPDATE urls SET state = 0 WHERE url = ?1", taken.url);
  }

  /// Ends the work on a URL. `use` is the answer for the purpose of the crawl, or empty.
  void end(const crawl_url& taken, const std::string& result, const std::string& use) {
    const std::scoped_lock lock{mutex_};
    run("UPDATE urls SET state = 2, result = ?2, use = ?3 WHERE url = ?1", taken.url, result, use);
  }

  /// Returns true if no URL is new or in progress.
  [[nodiscard]] bool is_done() {
    const std::scoped_lock lock{mutex_};
    return query("SELECT url, depth FROM urls WHERE state < 2 LIMIT 1").empty();
  }

  /// Returns the number of URLs by state: `new`, `in progress` and `done`.
  [[nodiscard]] std::map<std::string, std::int64_t> states() {
    const std::scoped_lock lock{mutex_};
    return query(
        "SELECT CASE state WHEN 0 THEN 'new' WHEN 1 THEN 'in progress' ELSE 'done' END, COUNT(*) "
        "FROM urls GROUP BY state");
  }

  /// Returns the number of URLs that are done, by result.
  [[nodiscard]] std::map<std::string, std::int64_t> results() {
    const std::scoped_lock lock{mutex_};
    return query("SELECT result, COUNT(*) FROM urls WHERE state = 2 GROUP BY result");
  }

  /// Returns the number of pages, by the answer for the purpose of the crawl.
  [[nodiscard]] std::map<std::string, std::int64_t> uses() {
    const std::scoped_lock lock{mutex_};
    return query("SELECT use, COUNT(*) FROM urls WHERE state = 2 AND use != '' GROUP BY use");
  }

 private:
  void check(int code) const {
    if (code != SQLITE_OK && code != SQLITE_ROW && code != SQLITE_DONE) {
      throw std::runtime_error(std::string{"the state: "} + ::sqlite3_errmsg(file_.get()));
    }
  }

  /// Returns the rows, which have a text and a number.
  template <class... Texts>
  std::map<std::string, std::int64_t> query(const char* sql, const Texts&... values) {
    sqlite3_stmt* prepared = nullptr;
    check(::sqlite3_prepare_v2(file_.get(), sql, -1, &prepared, nullptr));
    const std::shared_ptr<sqlite3_stmt> statement{prepared, &::sqlite3_finalize};
    int place = 0;
    (check(::sqlite3_bind_text(prepared, ++place, values.data(), static_cast<int>(values.size()),
                               SQLITE_TRANSIENT)),
     ...);
    std::map<std::string, std::int64_t> rows;
    int code = ::sqlite3_step(prepared);
    for (; code == SQLITE_ROW; code = ::sqlite3_step(prepared)) {
      const auto* const text = ::sqlite3_column_text(prepared, 0);
      rows.emplace(text == nullptr ? "" : reinterpret_cast<const char*>(text),
                   ::sqlite3_column_int64(prepared, 1));
    }
    check(code);
    return rows;
  }

  template <class... Texts>
  void run(const char* sql, const Texts&... values) {
    static_cast<void>(query(sql, values...));
  }

  std::mutex mutex_;
  std::shared_ptr<sqlite3> file_;
};

}  // namespace robots::example

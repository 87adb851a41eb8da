#pragma once

#include <robots/adapters/detail/handle_pool.hpp>
#include <robots/adapters/detail/store_token.hpp>
#include <robots/adapters/sqlite/detail/sqlite_file.hpp>
#include <robots/adapters/sqlite/sqlite_options.hpp>
#include <robots/base/process.hpp>
#include <robots/rulings/ruling_ledger.hpp>
#include <robots/store/shared_store.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace robots {

/// A `RulingLedger` in a SQLite file, for all processes of one machine. It can be the file of a
/// `SqliteStore`: the rulings have their own tables, `sqlite_options::max_bytes` does not count
/// them, and a full store never drops them.
///
/// An order is one transaction. When `append` returns, the order is on the disk, and outlasts
/// `kill -9` and a power failure. There are no messages, so other processes learn of an order at
/// their next poll. If your program forks, open each ledger after the fork.
class SqliteRulingLedger final : public RulingLedger {
 public:
  /// Opens or makes the file at the first call. Throws `std::invalid_argument` for bad options.
  explicit SqliteRulingLedger(const sqlite_options& options) {
    if (options.path.empty() || options.timeout <= options.timeout.zero()) {
      throw std::invalid_argument{"sqlite_options: set path, and a timeout above 0"};
    }
    files_ = base::make_home<pool>(
        [=] {
          auto opened = std::make_unique<sqlite>(options, "SqliteRulingLedger");
          opened->ask("PRAGMA synchronous=FULL");
          return opened;
        },
        8);
  }

  /// See `RulingLedger`. Throws `store_error` if the file cannot be written.
  [[nodiscard]] std::optional<ruling_number> append(const ruling_order& order,
                                                    const ledger_head& known) override {
    const std::string token = adapters_detail::store_token();
    const auto file = lend();
    return file->transact("BEGIN IMMEDIATE", [&]() -> std::optional<ruling_number> {
      const auto earlier =
          file->ask("SELECT number, '', generation FROM ruling_ids WHERE id = ?", order.id);
      if (!earlier.empty()) {
        return number_of(earlier[0]);
      }
      ledger_head head = read_head(*file);
      if (rulings_detail::has_lost(head, known)) {
        return std::nullopt;
      }
      if (head.last.generation == 0) {
        head = {.last = {.generation = 1}, .token = token};
      }
      ++head.last.number;
      head.last_id = order.id;
      ruling_order added = order;
      added.number = head.last;
      store(*file, added);
      log(*file, head.last, order.id, packed(added));
      write_head(*file, head);
      return head.last;
    });
  }

  /// See `RulingLedger`. Returns at most a thousand orders at once. Throws like `append`.
  [[nodiscard]] ledger_news read(const ledger_head& known) override {
    const auto file = lend();
    return file->transact("BEGIN", [&] {
      ledger_news news{.head = read_head(*file)};
      const auto last = file->ask("SELECT number FROM ruling_log WHERE number = ? AND id = ?",
                                  known.last.number, known.last_id);
      news.is_continued = known.token == news.head.token && (known == news.head || !last.empty());
      if (!news.is_continued) {
        take(news, file->ask("SELECT number, octets, generation FROM rulings"));
        return news;
      }
      constexpr std::size_t most = 1'000;
      const auto rows = file->ask(
          "SELECT number, octets, generation FROM ruling_log WHERE number > ? ORDER BY number"
          " LIMIT " +
              std::to_string(most),
          known.last.number);
      take(news, rows);
      if (rows.size() == most) {
        news.has_more = true;
        news.head.last = number_of(rows.back());
        std::string_view id = rows.back().octets;
        news.head.last_id = rulings_detail::take_until(id, '\n');
      }
      return news;
    });
  }

  /// See `RulingLedger`. Throws like `append`.
  [[nodiscard]] bool put_back(const ledger_head& expected, const ledger_head& next,
                              std::span<const ruling_order> orders) override {
    const auto file = lend();
    return file->transact("BEGIN IMMEDIATE", [&] {
      if (read_head(*file) != expected) {
        return false;
      }
      for (const ruling_order& order : orders) {
        store(*file, order);
      }
      log(*file, next.last, next.last_id, next.last_id + "\n\n");  // a mark, without a site
      write_head(*file, next);
      return true;
    });
  }

 private:
  using sqlite = adapters_detail::sqlite_file;
  using row = adapters_detail::sqlite_row;
  using pool = adapters_detail::handle_pool<sqlite>;

  // The names of the tables of version 1 have no number. Another version of the format needs tables
  // with other names, so that no version reads or changes the orders of another.
  static_assert(rulings_detail::order_format == 1);

  [[nodiscard]] pool::loan lend() {
    home_.require("SqliteRulingLedger");
    auto lent = files_->lend();
    if (!is_prepared_) {
      lent->prepare();
      is_prepared_ = true;
    }
    return lent;
  }

  [[nodiscard]] static ruling_number number_of(const row& stored) {
    return {static_cast<std::uint64_t>(stored.more), static_cast<std::uint64_t>(stored.number)};
  }

  /// Returns the id, the name and the octets of an order, in lines.
  [[nodiscard]] static std::string packed(const ruling_order& order) {
    return order.id + '\n' + rulings_detail::name_of(order) + '\n' + rulings_detail::encode(order);
  }

  static void take(ledger_news& news, const std::vector<row>& rows) {
    for (const row& stored : rows) {
      std::string_view octets = stored.octets;
      const std::string_view id = rulings_detail::take_until(octets, '\n');
      const std::string_view name = rulings_detail::take_until(octets, '\n');
      if (auto order = rulings_detail::decode_order(name, id, octets, number_of(stored))) {
        news.orders.push_back(*std::move(order));
      }
    }
  }

  [[nodiscard]] static ledger_head read_head(sqlite& file) {
    const row stored =
        file.ask("SELECT number, octets, generation FROM ruling_head WHERE part = 1").at(0);
    std::string_view last_id = stored.octets;
    const std::string_view token = rulings_detail::take_until(last_id, '\n');
    return {
        .last = number_of(stored), .token = std::string{token}, .last_id = std::string{last_id}};
  }
  static void write_head(sqlite& file, const ledger_head& head) {
    file.ask("UPDATE ruling_head SET generation = ?, number = ?, octets = ? WHERE part = 1",
             head.last.generation, head.last.number, head.token + '\n' + head.last_id);
  }

  static void store(sqlite& file, const ruling_order& order) {
    const std::string octets = packed(order);
    file.ask("INSERT OR REPLACE INTO rulings VALUES (?, ?, ?, ?)", rulings_detail::name_of(order),
             order.number.generation, order.number.number, octets);
    file.ask("INSERT OR REPLACE INTO ruling_ids VALUES (?, ?, ?)", order.id,
             order.number.generation, order.number.number);
    count(file, octets.size() + order.id.size());
  }
  static void log(sqlite& file, const ruling_number& number, const std::string& id,
                  const std::string& octets) {
    file.ask("INSERT INTO ruling_log VALUES (?, ?, ?, ?)", number.number, number.generation, id,
             octets);
    count(file, octets.size() + id.size());
  }
  /// Adds to the octets in use, with about 40 octets for each row and its entry in an index. Does
  /// not subtract replaced rows, so the sum can only be too large.
  static void count(sqlite& file, std::size_t octets) {
    file.ask("UPDATE ruling_head SET number = number + ? WHERE part = 2", octets + 40);
  }

  base::home_process home_{};
  base::home_ptr<pool> files_{};
  std::atomic<bool> is_prepared_ = false;
};

}  // namespace robots

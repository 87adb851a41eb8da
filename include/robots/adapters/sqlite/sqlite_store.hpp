#pragma once

#include <robots/adapters/detail/handle_pool.hpp>
#include <robots/adapters/detail/store_token.hpp>
#include <robots/adapters/detail/stored_value.hpp>
#include <robots/adapters/sqlite/detail/sqlite_file.hpp>
#include <robots/adapters/sqlite/sqlite_options.hpp>
#include <robots/base/process.hpp>
#include <robots/base/stop_token.hpp>
#include <robots/store/shared_store.hpp>
#include <robots/time/steady_clock.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace robots {

/// A `SharedStore` in one SQLite file, for all processes of one machine. A process that starts
/// later finds the records of earlier processes.
///
/// The file survives `kill -9` at any time. If the power fails, the latest changes can be lost. If
/// the file reaches `sqlite_options::max_bytes` or the disk is full, the store drops the oldest
/// records. A call that finds damage throws `store_error`. Records expire by the clock of the
/// machine. A record also counts as expired if its date is more than a minute in the future.
///
/// Calls that read do not wait for calls that write. `watch` starts a thread that looks for changes
/// ten times a second. If your program forks, open each store after the fork. If a store was open
/// at the fork, the child cannot use it, nor open the file: both throw `std::logic_error`.
class SqliteStore : public SharedStore {
  using sqlite = adapters_detail::sqlite_file;
  using pool = adapters_detail::handle_pool<sqlite>;

 public:
  /// Opens or makes the file. Throws `std::invalid_argument` for bad options. Throws `store_error`
  /// if the file cannot be opened, is damaged, or belongs to another program or version.
  ///
  /// If another process locks the file for longer than the timeout, the constructor does not throw,
  /// so that a crawler can start. Calls throw `store_error` until the file is free.
  explicit SqliteStore(const sqlite_options& options)
      : compresses_{options.compress}, max_value_bytes_{sqlite::largest_value(options)} {
    if (options.path.empty() || options.max_bytes < std::size_t{1} << 20U ||
        options.timeout <= options.timeout.zero()) {
      throw std::invalid_argument{
          "sqlite_options: set path, max_bytes of 1 MiB at least, and a timeout above 0"};
    }
    files_ = base::make_home<pool>([=] { return std::make_unique<sqlite>(options); }, 8);
    try {
      static_cast<void>(lend());
    } catch (const adapters_detail::sqlite_lock_error&) {
      return;  // the next call tries again
    }
  }

  /// See `SharedStore`. Reads all values in one transaction, so they are from one moment. A
  /// compressed value that is damaged, or decodes to more than an eighth of `max_bytes`, is
  /// returned as it is stored.
  [[nodiscard]] std::vector<std::optional<std::string>> load_all(
      std::span<const std::string> keys) override {
    std::vector<std::optional<std::string>> loaded;
    const auto file = lend();
    file->transact("BEGIN", [&] {
      for (const std::string& key : keys) {
        loaded.push_back(file->find(site(key)));
      }
      return true;
    });
    for (std::optional<std::string>& value : loaded) {
      if (value) {
        value = adapters_detail::original_value(*std::move(value), max_value_bytes_);
      }
    }
    return loaded;
  }

  void publish(std::string_view key, std::string_view value,
               std::chrono::milliseconds lifetime) override {
    if (lifetime <= lifetime.zero()) {
      return erase(key);
    }
    const std::string stored = adapters_detail::stored_value(value, compresses_);
    lend()->write(key.size() + value.size(),
                  [&](sqlite& file) { return file.put(site(key), stored, lifetime); });
  }

  [[nodiscard]] bool publish(std::string_view key, std::string_view value,
                             std::chrono::milliseconds lifetime, const store_lease& held) override {
    const std::string stored = adapters_detail::stored_value(value, compresses_);
    return lend()->write(key.size() + value.size(), [&](sqlite& file) {
      return file.find(lease(held.key)) == held.token && file.remove(lease(held.key)) &&
             file.put(site(key), stored, lifetime);
    });
  }

  void erase(std::string_view key) override {
    lend()->write(key.size(), [&](sqlite& file) {
      return file.remove(site(key)) && file.remove(lease(key)) && file.tell(key, origin_);
    });
  }

  void announce(std::string_view key) override {
    lend()->write(key.size(), [&](sqlite& file) { return file.tell(key, origin_); });
  }

  /// See `SharedStore`. If somebody holds the lease, returns without waiting for other writers.
  [[nodiscard]] std::optional<store_lease> try_lease(std::string_view key,
                                                     std::chrono::milliseconds duration) override {
    store_lease granted{std::string{key}, adapters_detail::store_token()};
    const auto own = lend();
    const bool is_free =
        duration > duration.zero() && !own->find(lease(key)) &&
        own->write(key.size(), [&](sqlite& file) {
          return !file.find(lease(key)) && file.put(lease(key), granted.token, duration);
        });
    return is_free ? std::optional{std::move(granted)} : std::nullopt;
  }

  [[nodiscard]] store_lease take_lease(std::string_view key,
                                       std::chrono::milliseconds duration) override {
    store_lease taken{std::string{key}, adapters_detail::store_token()};
    lend()->write(key.size(),
                  [&](sqlite& file) { return file.put(lease(key), taken.token, duration); });
    return taken;
  }

  void release(const store_lease& held) override {
    lend()->write(0, [&](sqlite& file) {
      return file.find(lease(held.key)) == held.token && file.remove(lease(held.key));
    });
  }

  void watch(std::function<void(std::string_view)> on_change) override {
    check_process();
    const std::scoped_lock lock{*watching_};
    watcher_.reset();
    if (on_change) {
      const std::int64_t newest = lend()->number("SELECT max(number) FROM changes");
      watcher_ = base::make_home<base::jthread>(&SqliteStore::follow, files_, origin_,
                                                std::move(on_change), newest);
    }
  }

  /// Calls `visit` with the key and the remaining lifetime of each unexpired value, the oldest
  /// first. Values that are published meanwhile can be included. `visit` may call the store.
  void for_each(
      const std::function<void(std::string_view key, std::chrono::milliseconds left)>& visit) {
    for (std::int64_t before = -1, last = 0; before < last;) {
      before = last;
      for (const auto& [number, key, left] : lend()->ask(
               "SELECT number, substr(name, 6), until - ?1 FROM records WHERE " + sqlite::holds +
                   " AND number > ?2 AND substr(name, 1, 5) = ?3"
                   " ORDER BY number LIMIT 1000",
               sqlite::present(), last, site({}))) {
        last = number;
        visit(key, std::chrono::milliseconds{left});
      }
    }
  }

 private:
  /// Lends a connection. Makes the tables first, unless an earlier call has done so.
  [[nodiscard]] pool::loan lend() {
    check_process();
    auto lent = files_->lend();
    if (!*is_prepared_) {
      lent->prepare();
      *is_prepared_ = true;
    }
    return lent;
  }

  /// Until a stop is requested, reports each change that another store makes after change `last`.
  static void follow(const stop_token& stop, const std::shared_ptr<pool>& files,
                     const std::string& origin,
                     const std::function<void(std::string_view)>& on_change, std::int64_t last) {
    for (constexpr std::chrono::milliseconds pause{100}; !stop.stop_requested();
         SteadyClock{}.sleep_until(std::chrono::steady_clock::now() + pause, stop)) {
      try {
        for (const auto& [number, key, is_own] :
             files->lend()->ask("SELECT number, key, store = ? FROM changes WHERE number > ?"
                                " ORDER BY number LIMIT 1000",
                                origin, last)) {
          if (number > last + 1) {
            on_change({});  // the file no longer has some changes
          }
          if (is_own == 0 && !stop.stop_requested()) {
            on_change(key);
          }
          last = number;
        }
      } catch (const store_error&) {
        continue;  // the next round reads the change
      }
    }
  }

  static std::string site(std::string_view key) { return std::string{"site:"}.append(key); }
  static std::string lease(std::string_view key) { return std::string{"lease:"}.append(key); }

  void check_process() const { home_.require("SqliteStore"); }

  base::home_process home_{};
  bool compresses_;
  std::size_t max_value_bytes_;
  std::shared_ptr<pool> files_;
  std::unique_ptr<std::atomic<bool>> is_prepared_ = std::make_unique<std::atomic<bool>>(false);
  std::string origin_ = adapters_detail::store_token();  // identifies changes by this store
  std::unique_ptr<std::mutex> watching_ = std::make_unique<std::mutex>();
  base::home_ptr<base::jthread> watcher_{};
};

}  // namespace robots

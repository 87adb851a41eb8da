#pragma once

#include <robots/adapters/detail/handle_pool.hpp>
#include <robots/adapters/detail/store_token.hpp>
#include <robots/adapters/sqlite/detail/file.hpp>
#include <robots/base/stop_token.hpp>
#include <robots/time/steady_clock.hpp>

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

/// A `SharedStore` in one SQLite file, for the processes of one machine. Processes that start later
/// can use the file, too.
///
/// The file survives `kill -9` at any time. If the power fails, the latest changes can be lost. The
/// size of the file stays within `sqlite_options::max_bytes`. If the file or the disk has no room,
/// the store drops the oldest records. If the file is damaged, the constructor throws, or the first
/// call that finds the damage. Records expire by the clock of the machine. If the clock is set
/// back, a record with a date more than a minute in the future is treated as expired.
///
/// Calls that read do not wait for calls that write, and only one call at a time writes. `watch`
/// starts a thread that looks for changes ten times a second. Open stores after a fork, never
/// before. A child process must not use or destroy the stores of its parent, and must not open
/// their files.
class SqliteStore : public SharedStore {
  using sqlite = adapters_detail::sqlite_file;
  using pool = adapters_detail::handle_pool<sqlite>;

 public:
  /// Opens the file, or makes it. Throws `store_error` for a file that cannot be opened, is damaged
  /// or belongs to another program or version, and `std::invalid_argument` if the options are not
  /// valid.
  explicit SqliteStore(const sqlite_options& options) {
    if (options.path.empty() || options.max_bytes < std::size_t{1} << 20U ||
        options.timeout <= options.timeout.zero()) {
      throw std::invalid_argument{
          "sqlite_options: set path, max_bytes of 1 MiB at least, and a timeout above 0"};
    }
    files_ = std::make_shared<pool>([=] { return std::make_unique<sqlite>(options); }, 8);
    files_->lend()->prepare();
  }

  /// See `SharedStore`. All values are from one moment.
  [[nodiscard]] std::vector<std::optional<std::string>> load_all(
      std::span<const std::string> keys) override {
    const auto file = files_->lend();
    return file->transact("BEGIN", [&] {
      std::vector<std::optional<std::string>> loaded;
      for (const std::string& key : keys) {
        loaded.push_back(file->find(site(key)));
      }
      return loaded;
    });
  }

  /// See `SharedStore`. A value with its key can have at most an eighth of the octets in
  /// `sqlite_options::max_bytes`.
  void publish(std::string_view key, std::string_view value,
               std::chrono::milliseconds lifetime) override {
    if (lifetime <= lifetime.zero()) {
      return erase(key);
    }
    files_->lend()->write(key.size() + value.size(),
                          [&](sqlite& file) { return file.put(site(key), value, lifetime); });
  }

  [[nodiscard]] bool publish(std::string_view key, std::string_view value,
                             std::chrono::milliseconds lifetime, const store_lease& held) override {
    return files_->lend()->write(key.size() + value.size(), [&](sqlite& file) {
      return file.find(lease(held.key)) == held.token && file.remove(lease(held.key)) &&
             file.put(site(key), value, lifetime);
    });
  }

  void erase(std::string_view key) override {
    files_->lend()->write(key.size(), [&](sqlite& file) {
      return file.remove(site(key)) && file.remove(lease(key)) && file.tell(key, origin_);
    });
  }

  void announce(std::string_view key) override {
    files_->lend()->write(key.size(), [&](sqlite& file) { return file.tell(key, origin_); });
  }

  /// See `SharedStore`. Does not wait for other writers if somebody holds the lease.
  [[nodiscard]] std::optional<store_lease> try_lease(std::string_view key,
                                                     std::chrono::milliseconds duration) override {
    if (duration <= duration.zero() || files_->lend()->find(lease(key))) {
      return std::nullopt;
    }
    std::optional granted{store_lease{std::string{key}, adapters_detail::store_token()}};
    const bool is_free = files_->lend()->write(key.size(), [&](sqlite& file) {
      return !file.find(lease(key)) && file.put(lease(key), granted->token, duration);
    });
    return is_free ? granted : std::nullopt;
  }

  [[nodiscard]] store_lease take_lease(std::string_view key,
                                       std::chrono::milliseconds duration) override {
    store_lease taken{std::string{key}, adapters_detail::store_token()};
    files_->lend()->write(
        key.size(), [&](sqlite& file) { return file.put(lease(key), taken.token, duration); });
    return taken;
  }

  void release(const store_lease& held) override {
    files_->lend()->write(0, [&](sqlite& file) {
      return file.find(lease(held.key)) == held.token && file.remove(lease(held.key));
    });
  }

  void watch(std::function<void(std::string_view)> on_change) override {
    const std::scoped_lock lock{*watching_};
    watcher_ = {};
    if (on_change) {
      const std::int64_t newest = files_->lend()->number("SELECT max(number) FROM changes");
      watcher_ = base::jthread{&SqliteStore::follow, files_, origin_, std::move(on_change), newest};
    }
  }

  /// Calls `visit(key, left)` for each value that has not expired, the oldest first. `left` is the
  /// remaining lifetime. The calls can include values that are published meanwhile. `visit` may
  /// call the store.
  void for_each(
      const std::function<void(std::string_view key, std::chrono::milliseconds left)>& visit) {
    for (std::int64_t before = -1, last = 0; before < last;) {
      before = last;
      for (const auto& [number, key, left] : files_->lend()->next(site({}), last)) {
        last = number;
        visit(key, std::chrono::milliseconds{left});
      }
    }
  }

 private:
  static std::string site(std::string_view key) { return std::string{"site:"}.append(key); }
  static std::string lease(std::string_view key) { return std::string{"lease:"}.append(key); }

  /// Calls `on_change` with the key of each change by another store after change number `last`,
  /// until a stop is requested. Calls it with an empty key if the file has lost changes.
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
            on_change({});
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

  std::shared_ptr<pool> files_;
  std::string origin_ = adapters_detail::store_token();  // identifies changes by this store
  std::unique_ptr<std::mutex> watching_ = std::make_unique<std::mutex>();
  base::jthread watcher_{};
};

}  // namespace robots

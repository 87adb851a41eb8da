#pragma once

#include <robots/adapters/detail/handle_pool.hpp>
#include <robots/adapters/detail/store_token.hpp>
#include <robots/adapters/sqlite/detail/file.hpp>
#include <robots/base/stop_token.hpp>
#include <robots/time/steady_clock.hpp>

#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <stdexcept>
#include <utility>

namespace robots {

/// A `SharedStore` in one SQLite file, for the processes of one machine and for later ones.
///
/// The file survives `kill -9` at any time. If the power fails, the latest changes may be lost. Its
/// size stays within `sqlite_options::max_bytes`: the oldest records are dropped first, also if the
/// disk is full. A damaged file is refused when it is opened, or a call throws when it finds the
/// damage. Records expire by the clock of the machine. If the clock is set back by more than a
/// minute, earlier records count as expired.
///
/// A look-up does not wait for changes. Changes happen one after another. A store that watches has
/// a thread, which checks ten times a second. Open stores after a fork, never before: a child
/// process must not use or destroy the stores of its parent, and must not open their files.
class SqliteStore : public SharedStore {
  using sqlite = adapters_detail::sqlite_file;

 public:
  /// Opens the file, or makes it. Throws `store_error` for a file that cannot be opened, is damaged
  /// or belongs to another program or version, and `std::invalid_argument` for impossible options.
  explicit SqliteStore(const sqlite_options& options) : state_{std::make_unique<state>(options)} {
    if (options.path.empty() || options.max_bytes < std::size_t{1} << 20U ||
        options.timeout <= options.timeout.zero()) {
      throw std::invalid_argument{
          "sqlite_options: set path, max_bytes of 1 MiB at least, and a timeout above 0"};
    }
    state_->files.lend()->prepare();
  }

  /// See `SharedStore`.
  [[nodiscard]] std::optional<std::string> load(std::string_view key) override {
    return state_->files.lend()->transact([&](sqlite& file) { return file.find(site(key)); });
  }

  /// See `SharedStore`. All values are of one moment.
  [[nodiscard]] std::vector<std::optional<std::string>> load_all(
      std::span<const std::string> keys) override {
    return state_->files.lend()->transact([&](sqlite& file) {
      std::vector<std::optional<std::string>> loaded;
      for (const std::string& key : keys) {
        loaded.push_back(file.find(site(key)));
      }
      return loaded;
    });
  }

  /// See `SharedStore`.
  [[nodiscard]] std::vector<store_reply> load_or_lease(
      std::span<const store_question> questions, std::chrono::milliseconds duration) override {
    std::vector<store_reply> replies;
    for (const store_question& question : questions) {
      const auto look = [&](sqlite& file) {
        store_reply reply{
            file.find(site(question.key)), file.find(site(question.other_key)), {}, true};
        const bool is_missing = !reply.value && !reply.other_value;
        const bool asks = question.wish == lease_wish::if_free ||
                          (question.wish == lease_wish::if_missing && is_missing);
        if (question.wish == lease_wish::take || (asks && !file.find(lease(question.lease_key)))) {
          reply.lease = {question.lease_key, adapters_detail::store_token()};
        }
        return reply;
      };
      replies.push_back(state_->files.lend()->transact(look));
      if (replies.back().lease) {  // only a change waits for others
        replies.back() = state_->files.lend()->write(question.lease_key.size(), [&](sqlite& file) {
          store_reply reply = look(file);
          if (reply.lease) {
            file.put(lease(question.lease_key), reply.lease->token, duration);
          }
          return reply;
        });
      }
    }
    return replies;
  }

  /// See `SharedStore`. A value and its key may have an eighth of `sqlite_options::max_bytes`.
  void publish(std::string_view key, std::string_view value,
               std::chrono::milliseconds lifetime) override {
    if (lifetime <= lifetime.zero()) {
      return erase(key);
    }
    state_->files.lend()->write(key.size() + value.size(),
                                [&](sqlite& file) { return file.put(site(key), value, lifetime); });
  }

  /// See `SharedStore`.
  [[nodiscard]] bool publish(std::string_view key, std::string_view value,
                             std::chrono::milliseconds lifetime, const store_lease& held) override {
    return state_->files.lend()->write(key.size() + value.size(), [&](sqlite& file) {
      return file.find(lease(held.key)) == held.token && file.remove(lease(held.key)) &&
             file.put(site(key), value, lifetime);
    });
  }

  /// See `SharedStore`.
  void erase(std::string_view key) override {
    state_->files.lend()->write(key.size(), [&](sqlite& file) {
      return file.remove(site(key)) && file.remove(lease(key)) && file.tell(key, state_->origin);
    });
  }

  /// See `SharedStore`.
  void announce(std::string_view key) override {
    state_->files.lend()->write(key.size(),
                                [&](sqlite& file) { return file.tell(key, state_->origin); });
  }

  /// See `SharedStore`.
  [[nodiscard]] std::optional<store_lease> try_lease(std::string_view key,
                                                     std::chrono::milliseconds duration) override {
    const store_question question{{}, {}, std::string{key}, lease_wish::if_free};
    return duration > duration.zero() ? load_or_lease({&question, 1}, duration)[0].lease
                                      : std::nullopt;
  }

  /// See `SharedStore`.
  [[nodiscard]] store_lease take_lease(std::string_view key,
                                       std::chrono::milliseconds duration) override {
    const store_question question{{}, {}, std::string{key}, lease_wish::take};
    return load_or_lease({&question, 1}, duration)[0].lease.value();
  }

  /// See `SharedStore`.
  void release(const store_lease& held) override {
    state_->files.lend()->write(0, [&](sqlite& file) {
      return file.find(lease(held.key)) == held.token && file.remove(lease(held.key));
    });
  }

  /// See `SharedStore`.
  void watch(std::function<void(std::string_view)> on_change) override {
    const std::scoped_lock lock{state_->watching};
    state_->watcher = {};
    if (on_change) {
      const std::int64_t newest = state_->files.lend()->transact(
          [](sqlite& file) { return file.number("SELECT max(number) FROM changes"); });
      state_->watcher =
          base::jthread{&SqliteStore::follow, std::ref(*state_), std::move(on_change), newest};
    }
  }

  /// Calls `visit(key, left)` for each value that has not expired, the oldest first. `left` is the
  /// rest of its lifetime. It may include values that are published meanwhile. `visit` may call the
  /// store.
  void for_each(
      const std::function<void(std::string_view key, std::chrono::milliseconds left)>& visit) {
    std::int64_t last = 0;
    for (std::int64_t before = -1; before < last;) {
      before = last;
      const auto next = [&](sqlite& file) { return file.next(last); };
      for (const auto& [number, name, left] : state_->files.lend()->transact(next)) {
        last = number;
        if (name.starts_with(site({}))) {
          visit(name.substr(site({}).size()), std::chrono::milliseconds{left});
        }
      }
    }
  }

 private:
  struct state {
    explicit state(const sqlite_options& options)
        : files{[=] { return std::make_unique<sqlite>(options); }, 8} {}

    adapters_detail::handle_pool<sqlite> files;
    const std::string origin = adapters_detail::store_token();  // identifies own changes
    std::mutex watching;
    base::jthread watcher{};  // destroyed first
  };

  static std::string site(std::string_view key) { return std::string{"site:"}.append(key); }
  static std::string lease(std::string_view key) { return std::string{"lease:"}.append(key); }

  /// Calls `on_change` with each change after number `last`, until it is stopped.
  static void follow(const stop_token& stop, state& here,
                     const std::function<void(std::string_view)>& on_change, std::int64_t last) {
    for (constexpr std::chrono::milliseconds pause{100}; !stop.stop_requested();
         SteadyClock{}.sleep_until(std::chrono::steady_clock::now() + pause, stop)) {
      const auto changes = [&](sqlite& file) { return file.changes(here.origin, last); };
      try {
        for (const auto& [number, key, is_own] : here.files.lend()->transact(changes)) {
          if (number > last + 1) {
            on_change({});
          }
          if (is_own == 0 && !stop.stop_requested()) {
            on_change(key);
          }
          last = number;
        }
      } catch (const store_error&) {
        continue;  // a change that cannot be read now is read later
      }
    }
  }

  std::unique_ptr<state> state_;
};

}  // namespace robots

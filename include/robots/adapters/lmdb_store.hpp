#pragma once

#include <robots/adapters/detail/lmdb_entry.hpp>
#include <robots/adapters/detail/lmdb_file.hpp>
#include <robots/adapters/detail/lmdb_transaction.hpp>
#include <robots/adapters/detail/store_token.hpp>
#include <robots/adapters/lmdb_options.hpp>
#include <robots/store/shared_store.hpp>
#include <robots/time/steady_clock.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace robots {

/// A `SharedStore` in one file, for the processes of one machine and for those that come after
/// them.
///
/// The file outlives every process, whenever that ends, `kill -9` in the middle of a change
/// included. It keeps within `lmdb_options::max_bytes`: what was published longest ago goes first.
/// Times are those of the machine's clock; what was published before that was set back by more
/// than a minute counts as over.
///
/// Reading waits for nobody. Changes are made one after another, and wait for each other no longer
/// than `lmdb_options::timeout`. Each store has a thread of its own while it watches, which looks
/// ten times a second. A process that was forked needs a store of its own; those it inherited
/// throw. For POSIX systems.
class LmdbStore {
 public:
  /// Opens the file, or makes it. Reads it whole once, since LMDB itself would not survive a
  /// damaged one. Throws `store_error` for a file that cannot be opened, is damaged, or is not of
  /// this version of this library, and `std::invalid_argument` for options that cannot be.
  explicit LmdbStore(const lmdb_options& options) : state_{new state{options}} {}

  /// See `SharedStore`.
  [[nodiscard]] std::optional<std::string> load(std::string_view key) {
    const file::snapshot now{*state_->opened};
    return find(*now, key);
  }

  /// See `SharedStore`. All are those of one moment.
  [[nodiscard]] std::vector<std::optional<std::string>> load_all(
      std::span<const std::string> keys) {
    std::vector<std::optional<std::string>> loaded;
    loaded.reserve(keys.size());
    const file::snapshot now{*state_->opened};
    for (const std::string& key : keys) {
      loaded.push_back(find(*now, key));
    }
    return loaded;
  }

  /// See `SharedStore`. A value and its key may have an eighth of `lmdb_options::max_bytes`.
  void publish(std::string_view key, std::string_view value, std::chrono::milliseconds lifetime) {
    if (lifetime <= lifetime.zero()) {
      return erase(key);
    }
    static_cast<void>(store_value(key, value, lifetime, nullptr));
  }

  /// See `SharedStore`.
  [[nodiscard]] bool publish(std::string_view key, std::string_view value,
                             std::chrono::milliseconds lifetime, const store_lease& lease) {
    return store_value(key, value, lifetime, &lease);
  }

  /// See `SharedStore`.
  void erase(std::string_view key) {
    state_->opened->write([&](const transaction& now) {
      remove(now, key);
      now.erase(table::leases, adapters_detail::stored_key(key));
      tell(now, key);
    });
  }

  /// See `SharedStore`.
  void announce(std::string_view key) {
    state_->opened->write([&](const transaction& now) { tell(now, key); });
  }

  /// See `SharedStore`.
  [[nodiscard]] std::optional<store_lease> try_lease(std::string_view key,
                                                     std::chrono::milliseconds duration) {
    const std::int64_t present = time::now();
    // A look costs nothing, a change has to wait for others.
    if (duration <= duration.zero() ||
        holder_of(*file::snapshot{*state_->opened}, key, present).has_value()) {
      return std::nullopt;
    }
    std::optional<store_lease> lease;
    state_->opened->write([&](const transaction& now) {
      lease.reset();
      if (!holder_of(now, key, present)) {
        lease = put_lease(now, key, present, duration);
      }
    });
    return lease;
  }

  /// See `SharedStore`.
  [[nodiscard]] store_lease take_lease(std::string_view key, std::chrono::milliseconds duration) {
    store_lease lease;
    state_->opened->write(
        [&](const transaction& now) { lease = put_lease(now, key, time::now(), duration); });
    return lease;
  }

  /// See `SharedStore`.
  void release(const store_lease& lease) {
    state_->opened->write([&](const transaction& now) {
      if (holder_of(now, lease.key, time::now()) == lease.token) {
        now.erase(table::leases, adapters_detail::stored_key(lease.key));
      }
    });
  }

  /// See `SharedStore`.
  void watch(std::function<void(std::string_view)> told) {
    const std::scoped_lock lock{state_->watching};
    state_->watcher = {};
    if (told) {
      const file::snapshot now{*state_->opened};
      const auto newest = now->last(table::changes);
      state_->watcher = std::jthread{&LmdbStore::follow, std::ref(*state_), std::move(told),
                                     newest ? adapters_detail::lmdb_number(newest->first) : 0};
    }
  }

  /// Calls `visit(key, left)` for each value that has some of its lifetime left, the one published
  /// longest ago first. What is published meanwhile may be visited, too. It may call the store.
  void for_each(
      const std::function<void(std::string_view key, std::chrono::milliseconds left)>& visit) {
    for (pairs some = some_from(*state_->opened, table::values, 0); !some.empty();
         some = some_from(*state_->opened, table::values, some.back().first + 1)) {
      for (const auto& [number, text] : some) {
        const entry_type entry = entry_type::read(text);
        const std::chrono::milliseconds left = entry.time.left(time::now());
        if (left > left.zero()) {
          visit(entry.key, left);
        }
      }
    }
  }

 private:
  using file = adapters_detail::lmdb_file;
  using table = adapters_detail::lmdb_table;
  using time = adapters_detail::lmdb_time;
  using entry_type = adapters_detail::lmdb_entry;
  using transaction = adapters_detail::lmdb_transaction;
  using pairs = std::vector<std::pair<std::uint64_t, std::string>>;

  struct state {
    explicit state(const lmdb_options& options) : opened{file::open(options)} {}

    std::shared_ptr<file> opened;
    // Tells the changes of this process from those of the others.
    const std::string origin = adapters_detail::store_token().substr(0, 8);
    std::mutex watching;
    std::jthread watcher{};  // ends first
  };

  /// In a process that was forked neither the thread nor the locks are there to be ended.
  struct end_state {
    void operator()(state* ended) const {
      std::unique_ptr<state> owned{ended};
      if (ended->opened->is_forked()) {
        static_cast<void>(owned.release());
      }
    }
  };

  static constexpr std::size_t at_once = 1'000;

  [[nodiscard]] static std::optional<std::string> find(const transaction& now,
                                                       std::string_view key) {
    const auto number = now.get(table::keys, adapters_detail::stored_key(key));
    const auto text = number ? now.get(table::values, *number) : std::nullopt;
    const entry_type entry = entry_type::read(text.value_or(std::string_view{}));
    if (!text || entry.key != key || entry.time.left(time::now()).count() == 0) {
      return std::nullopt;
    }
    return std::string{entry.octets};
  }

  /// The first pairs from a number on, all of one moment.
  [[nodiscard]] static pairs some_from(file& opened, table where, std::uint64_t first) {
    pairs some;
    const file::snapshot now{opened};
    auto found = now->from(where, adapters_detail::lmdb_text(first));
    while (found && some.size() < at_once) {
      const std::uint64_t number = adapters_detail::lmdb_number(found->first);
      if (number < first || number + 1 == 0) {
        break;  // not written by a store
      }
      some.emplace_back(number, found->second);
      first = number + 1;
      found = now->from(where, adapters_detail::lmdb_text(first));
    }
    return some;
  }

  /// Stores a value if `lease` is held, or is null; returns whether it was stored.
  [[nodiscard]] bool store_value(std::string_view key, std::string_view value,
                                 std::chrono::milliseconds lifetime, const store_lease* lease) {
    const std::size_t most = state_->opened->options().max_bytes;
    if (key.size() + value.size() > most / 8) {
      throw store_error{"LmdbStore: " + state_->opened->options().path +
                        ": a value of more than an eighth of max_bytes is not kept"};
    }
    const std::int64_t present = time::now();
    const std::string entry = entry_type{time::from(present, lifetime), key, value}.text();
    bool is_stored = false;
    state_->opened->write([&](const transaction& now) {
      is_stored = lease == nullptr || holder_of(now, lease->key, present) == lease->token;
      if (!is_stored) {
        return;
      }
      if (lease != nullptr) {
        now.erase(table::leases, adapters_detail::stored_key(lease->key));
      }
      remove(now, key);
      const std::uint64_t number = now.append(table::values, entry);
      now.put(table::keys, adapters_detail::stored_key(key), adapters_detail::lmdb_text(number));
      drop_surplus(now, number, present, most / 4 * 3);
    });
    return is_stored;
  }

  /// Returns the token of the lease of `key`, or nothing if no lease is held at `present`.
  [[nodiscard]] static std::optional<std::string_view> holder_of(const transaction& now,
                                                                 std::string_view key,
                                                                 std::int64_t present) {
    const auto held = now.get(table::leases, adapters_detail::stored_key(key));
    if (!held || held->size() <= time::size || time::read(*held).left(present).count() == 0) {
      return std::nullopt;
    }
    return held->substr(time::size);
  }

  [[nodiscard]] static store_lease put_lease(const transaction& now, std::string_view key,
                                             std::int64_t present,
                                             std::chrono::milliseconds duration) {
    const std::string stored = adapters_detail::stored_key(key);
    store_lease lease{.key = std::string{key}, .token = adapters_detail::store_token()};
    now.put(table::leases, stored, time::from(present, duration).text() + lease.token);
    // Those of processes that died are cleared away one by one.
    const auto next = now.from(table::leases, stored + '\0');
    if (next && time::read(next->second).left(present).count() == 0) {
      now.erase(table::leases, std::string{next->first});
    }
    return lease;
  }

  static void remove(const transaction& now, std::string_view key) {
    const std::string stored = adapters_detail::stored_key(key);
    if (const auto found = now.get(table::keys, stored)) {
      const std::string number{*found};
      now.erase(table::keys, stored);
      now.erase(table::values, number);
    }
  }

  /// Drops what there is no room for, and some of what is over, but not the newest.
  static void drop_surplus(const transaction& now, std::uint64_t newest, std::int64_t present,
                           std::size_t most) {
    constexpr std::size_t sweeps = 2;
    for (std::size_t dropped = 0; dropped < at_once; ++dropped) {
      const auto oldest = now.from(table::values, {});
      if (!oldest || adapters_detail::lmdb_number(oldest->first) == newest) {
        return;
      }
      const bool is_over = time::read(oldest->second).left(present).count() == 0;
      if ((dropped >= sweeps || !is_over) && now.bytes() <= most) {
        return;
      }
      adapters_detail::drop_oldest(now, 1);
    }
  }

  /// Notes a change for the other stores, and drops notes that all have read. The newest stays: its
  /// number tells the others how far they have read.
  void tell(const transaction& now, std::string_view key) {
    constexpr std::chrono::minutes kept{1};
    constexpr std::size_t most = 10'000;
    const std::int64_t present = time::now();
    now.append(table::changes, time::from(present, kept).text().append(state_->origin).append(key));
    for (int i = 0; i < 2 && now.size(table::changes) > 1; ++i) {
      const auto oldest = now.from(table::changes, {});
      if (oldest && (time::read(oldest->second).left(present).count() == 0 ||
                     now.size(table::changes) > most)) {
        now.erase(table::changes, std::string{oldest->first});
      }
    }
  }

  /// Tells of the changes behind the one of number `last`, until it is stopped.
  static void follow(const std::stop_token& stop, state& here,
                     const std::function<void(std::string_view)>& told, std::uint64_t last) {
    constexpr std::chrono::milliseconds pause{100};
    std::uint64_t seen = 0;
    for (;;) {
      SteadyClock{}.sleep_until(std::chrono::steady_clock::now() + pause, stop);
      if (stop.stop_requested()) {
        return;
      }
      pairs some;
      try {
        const std::uint64_t latest = here.opened->last_change();
        if (latest == seen) {
          continue;
        }
        some = some_from(*here.opened, table::changes, last + 1);
        seen = some.size() < at_once ? latest : seen;
      } catch (const store_error&) {
        continue;  // what cannot be read now is read later
      }
      if (!some.empty() && some.front().first > last + 1) {
        told({});
      }
      for (const auto& [number, text] : some) {
        if (stop.stop_requested()) {
          return;
        }
        const std::string_view change = text;
        constexpr std::size_t key_start = time::size + 8;
        if (change.size() > key_start && change.substr(time::size, 8) != here.origin) {
          told(change.substr(key_start));
        }
        last = number;
      }
    }
  }

  std::unique_ptr<state, end_state> state_;
};

static_assert(SharedStore<LmdbStore>);

}  // namespace robots

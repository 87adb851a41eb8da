#pragma once

#include <robots/base/config.hpp>
#include <robots/base/enum_text.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace robots {

/// A call of a shared store failed: the store is down, slow or full, or it refuses. The message
/// names the store and has its answer.
class store_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A part of a shared store is down, while other parts answer: calls for their keys can succeed.
class store_part_error : public store_error {
 public:
  using store_error::store_error;
};

/// The values of some keys, while a part of the store may be down.
struct partial_values {
  std::vector<std::optional<std::string>> values{};  ///< in the order of the keys
  std::vector<bool> lost{};  ///< of each key, whether its part is down; empty if none is

  /// Returns true if nobody knows whether there is a value of the key at index `i`.
  [[nodiscard]] bool is_lost(std::size_t i) const {
    return i >= values.size() || (i < lost.size() && lost[i]);
  }
};

/// The right to bring the value of a key while others wait for it.
struct store_lease {
  std::string key;    ///< whose value it is about
  std::string token;  ///< identifies the lease among those of the key
};

/// The ways in which a question to a shared store asks for the lease, too.
enum class lease_wish : std::uint8_t {
  none,
  if_missing,  ///< if there is no value and nobody has the lease
  if_free,     ///< if nobody has the lease
  take,        ///< also if somebody has it
};

/// The name of a wish, as its enumerator is spelled.
[[nodiscard]] constexpr std::string_view to_string(lease_wish wish) noexcept {
  return base::enum_text<lease_wish::take>(wish, {"none", "if_missing", "if_free", "take"});
}

/// A question about one site: its values under two names, and its lease.
struct store_question {
  std::string key;                     ///< a name of the site
  std::string other_key;               ///< the other name that may have the same value
  std::string lease_key;               ///< whose lease it is
  lease_wish wish = lease_wish::none;  ///< whether it asks for that lease
};

/// The reply of a shared store about one site.
struct store_reply {
  std::optional<std::string> value{};        ///< under `key`
  std::optional<std::string> other_value{};  ///< under `other_key`
  std::optional<store_lease> lease{};        ///< if the question asked for it and got it
  bool is_answered = false;                  ///< false if the store, or its part, is down
};

/// A store that the processes of a crawl share, by the keys of `site::key`. It lies outside of the
/// process, and may be down, wiped or written by a stranger at any time.
///
/// Stores derive from this class. Any thread may call them at any time. A call blocks at most for
/// the timeouts of the store, and throws `store_error` if it fails. Keys and values may hold any
/// octets. The store does not check them: the reader of a value does. A key is not empty.
///
/// - `load(key)` returns the value that any process published last under `key`, unless it has
/// expired
///   or was erased or evicted. `load_all(keys)` returns the values of many keys, in their order, in
///   few round trips.
/// - `publish(key, value, lifetime)` replaces the value for all processes. A value that cannot be
///   stored whole is not stored. A lifetime of 0 or less erases. The longest
///   lifetime lasts until the room is needed.
/// - `publish(key, value, lifetime, lease)` publishes only while `lease` is held, and ends it, in
/// one
///   step. The lease may be that of another key. If it was erased or has expired, the call stores
///   nothing and returns false. So nothing that was fetched under a lease comes back after `erase`.
/// - `erase(key)` removes the value of `key` and ends its lease, also one of another process. Every
///   `load` that begins after it returns sees that. The other processes get the key, even without a
///   value.
/// - `announce(key)` reports to the other processes that their copies of the value are out of date.
/// - `try_lease(key, duration)` returns a lease if no process holds one and `duration` is above 0.
///   After `duration` it expires. `take_lease(key, duration)` takes the lease also from another
///   process, which loses it; `duration` is above 0. `release(lease)` ends a lease. It has no
///   effect on a lease that expired or was taken meanwhile. Publishing without a lease does not
///   touch leases.
/// - `watch(on_change)` calls `on_change(key)` for each key that another process erased or
/// announced,
///   within a second, from a thread of the store. It calls `on_change("")` if some keys may have
///   been missed. It replaces an earlier watch. After `watch({})`, or the destruction of the store,
///   no call is under way. `on_change` must not call the store and must not throw.
///
/// A store that is moved continues, with its watch, if nobody calls it meanwhile.
///
/// A store of several parts, such as a cluster, continues while one of them is down: `load_all`
/// counts the values of that part as missing, and a call that needs that part throws
/// `store_part_error`. `load_partly(keys)` is like `load_all`, but says which values are lost with
/// their part, so that a cache does not take them for erased values.
///
/// `load_or_lease(questions, duration)` returns the `store_reply` to each `store_question`. A store
/// over a network overrides it, to answer in few round trips, with the values and the lease of a
/// question of one moment. By itself it loads the values, tries the lease, and loads them again.
///
/// The test suite `tests/store/store_conformance.hpp` runs these sentences against any store.
///
/// Exemplar: after `s.publish(key, value, 1h)`, `s.load(key) == value`, in this process and in any
/// other. Stores: `RedisStore` and `SqliteStore`; `MemoryStore` for
/// tests.
class SharedStore {
 public:
  virtual ~SharedStore() = default;

  /// Returns the value of a key.
  [[nodiscard]] virtual std::optional<std::string> load(std::string_view key) = 0;
  /// Returns the values of some keys, in their order.
  [[nodiscard]] virtual std::vector<std::optional<std::string>> load_all(
      std::span<const std::string> keys) = 0;
  /// Returns the values of some keys, and which of them are lost with a part of the store.
  [[nodiscard]] virtual partial_values load_partly(std::span<const std::string> keys) {
    return {.values = load_all(keys)};
  }
  /// Returns the replies to some questions, in their order.
  [[nodiscard]] virtual std::vector<store_reply> load_or_lease(
      std::span<const store_question> questions, std::chrono::milliseconds duration);
  /// Stores a value.
  virtual void publish(std::string_view key, std::string_view value,
                       std::chrono::milliseconds lifetime) = 0;
  /// Stores a value if a lease is held, and ends the lease. Returns true if it was held.
  [[nodiscard]] virtual bool publish(std::string_view key, std::string_view value,
                                     std::chrono::milliseconds lifetime,
                                     const store_lease& lease) = 0;
  /// Removes a value, ends its lease, and notifies the other processes.
  virtual void erase(std::string_view key) = 0;
  /// Notifies the other processes that a value is out of date.
  virtual void announce(std::string_view key) = 0;
  /// Returns the lease of a key, or nothing if somebody has it.
  [[nodiscard]] virtual std::optional<store_lease> try_lease(
      std::string_view key, std::chrono::milliseconds duration) = 0;
  /// Takes the lease of a key, also from another process.
  [[nodiscard]] virtual store_lease take_lease(std::string_view key,
                                               std::chrono::milliseconds duration) = 0;
  /// Releases a lease.
  virtual void release(const store_lease& lease) = 0;
  /// Calls `on_change` with each key that another process changes, or with "" if some may be
  /// missing.
  virtual void watch(std::function<void(std::string_view)> on_change) = 0;

 protected:
  SharedStore() = default;
  SharedStore(const SharedStore&) = default;
  SharedStore(SharedStore&&) = default;
  SharedStore& operator=(const SharedStore&) = default;
  SharedStore& operator=(SharedStore&&) = default;

 private:
  [[nodiscard]] store_reply load_then_lease(const store_question& question,
                                            std::chrono::milliseconds duration);
  [[nodiscard]] store_reply load_both(const store_question& question);
};

}  // namespace robots

#ifndef ROBOTS_COMPILED
#include <robots/store/shared_store.ipp>
#endif

#pragma once

#include <robots/time/clock.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

namespace robots {

class policy;

/// The entry of one site in a cache.
struct cache_entry {
  std::shared_ptr<const robots::policy> policy{};  ///< never null in a stored entry
  time_point fresh_until{};                        ///< the entry needs no request until this time
  /// From this time on, `find` does not return the entry. `fresh_until` is never later than
  /// `keep_until`.
  time_point keep_until{};
  /// The epoch in which the cache last asked the shared store about the entry, or 0. A new epoch
  /// begins when the cache may have missed changes of the store.
  std::uint32_t epoch = 0;
};

/// Stores the entries of a cache. The key of an entry is the `site::key` of its site.
///
/// Several threads may call a model at once. If a call throws, the cache counts the failure and
/// continues without the result. `find(key, now)` returns the last entry stored under `key`, unless
/// `keep_until <= now`. A storage may forget any entry at any time, but must never return the entry
/// of another key. A `find` that begins after an `erase` or `clear` returns no erased entry.
///
/// Five members are optional. `evictions() const` returns the number of entries dropped to make
/// room. `memory_bytes() const` returns the octets in use. `remove_expired(now)` drops the expired
/// entries and returns their number. After `on_drop(f)`, the storage calls `f(key, expired)` for
/// each entry that it drops, as in `LruStorage`. `visit(key, now, look)` is `find` without a copy
/// of the entry (`VisitableStorage`).
///
/// Example: after `s.store(key, entry, now)`, `s.find(key, now)->policy == entry.policy`. Models:
/// `LruStorage<N>`, `TieredStorage<Near, Far>`.
template <class S>
concept Storage = std::movable<S> && requires(S& storage, const S& constant, std::string_view key,
                                              const cache_entry& entry, time_point now) {
  { storage.find(key, now) } -> std::same_as<std::optional<cache_entry>>;
  storage.store(key, entry, now);
  storage.erase(key);
  storage.clear();
  { constant.size() } -> std::convertible_to<std::size_t>;
};

namespace detail {

/// A `Storage` whose `visit(key, now, look)` calls `look(entry)` with the entry that `find` would
/// return a copy of, and returns false if there is none. The cache uses it for `allowed`, since the
/// copy of an entry counts an owner of the policy. The counts of a policy that many threads use are
/// a cache line for which the threads wait. Models: `LruStorage<N>`, `TieredStorage<Near, Far>`.
template <class S>
concept VisitableStorage = Storage<S> && requires(S& storage, std::string_view key, time_point now,
                                                  void (*look)(const cache_entry&)) {
  { storage.visit(key, now, look) } -> std::same_as<bool>;
};

}  // namespace detail

}  // namespace robots

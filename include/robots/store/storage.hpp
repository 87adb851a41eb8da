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
  time_point fresh_until{};                        ///< until then it answers without asking again
  time_point keep_until{};  ///< then it may be dropped; not before `fresh_until`
  /// The epoch of the shared store in which it was found up to date: a new one begins whenever
  /// changes of that store may have been missed. 0 without such a store.
  std::uint32_t epoch = 0;
};

/// The place of a cache's entries, by the key of `site::key`.
///
/// A model may be called from any thread at once. An exception costs the cache only that look-up or
/// store, and is counted. `find(key, now)` returns the entry last stored under `key`, unless
/// `keep_until <= now`, or the model dropped it to stay within its bounds: a storage may forget at
/// any time, and must never return the entry of another key. `store` replaces. `erase` and `clear`
/// hold for every `find` that begins after they return. A model that also has `evictions() const`,
/// the number of entries it dropped for want of room, is asked for it by
/// `basic_robots_cache::stats`; one with `on_drop(told)` is to call `told(key, expired)` with each
/// entry that it drops. If the model has `remove_expired(now)`, which drops expired entries and
/// returns their number, `basic_robots_cache::remove_expired` calls it.
///
/// Exemplar: after `s.store(key, entry, now)`, `s.find(key, now)->policy == entry.policy`.
///
/// Models: `LruStorage<N>`, `TieredStorage<Near, Far>`.
template <class S>
concept Storage = std::movable<S> && requires(S& storage, const S& constant, std::string_view key,
                                              const cache_entry& entry, time_point now) {
  { storage.find(key, now) } -> std::same_as<std::optional<cache_entry>>;
  storage.store(key, entry, now);
  storage.erase(key);
  storage.clear();
  { constant.size() } -> std::convertible_to<std::size_t>;
};

}  // namespace robots

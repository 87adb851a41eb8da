#pragma once

#include <robots/cache/cache_controls.hpp>
#include <robots/cache/cache_options.hpp>
#include <robots/cache/detail/cache_parts.hpp>
#include <robots/fetch/fetcher.hpp>
#include <robots/fwd.hpp>
#include <robots/observe/cache_stats.hpp>
#include <robots/observe/observer.hpp>
#include <robots/store/lru_storage.hpp>
#include <robots/store/storage.hpp>
#include <robots/time/clock.hpp>

#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>

namespace robots {

/// Decides for any URL whether a crawler may fetch it now, with the reason.
///
/// Fetches the robots.txt of a site at the first call about the site. Keeps the rules of the
/// crawler, and fetches the file again after the rules expire (SPYDER's robots component; RFC 9309,
/// sections 2.3 and 2.4). Threads that ask for one site at the same time share one fetch. The site
/// of a URL is its origin. A host without a scheme means the https origin of the host or, if that
/// origin cannot be reached, the http origin.
///
/// With a `TieredStorage`, the cache shares answers and rulings with the other processes of the
/// crawl, so that only one process fetches the file of a site. The cache checks each record that it
/// reads from the shared store. If the store fails, each process fetches for itself. Circuit
/// breakers are not shared.
///
/// Any thread may call any member function. Network failures and bad content never throw. A look-up
/// without a fetch takes constant time on average, plus the time of `rule_set::match`.
template <Fetcher F, Clock C, Storage S, Observer O>
class basic_robots_cache : private cache_detail::parts_holder<F, C, S, O>, public cache_controls {
 public:
  /// Makes a cache from its parts. Starts to listen to the shared store, if there is one. Throws
  /// `std::invalid_argument` if options contradict each other. The message says what to change.
  explicit basic_robots_cache(cache_options options, F fetcher = {}, C clock = {}, S storage = {},
                              O observer = {})
      : holder{{std::move(fetcher), std::move(clock), std::move(storage), std::move(observer)}},
        cache_controls(std::move(options), holder::parts_,
                       cache_detail::shared_by(parts_.storage)) {
    if constexpr (detail::ObserverOf<O, drop_event> && requires { parts_.storage.on_drop({}); }) {
      parts_.storage.on_drop([this](std::string_view key, bool expired) {
        parts_.tell(drop_event{parts_.about(key), expired});
      });
    }
  }

  basic_robots_cache(const basic_robots_cache&) = delete;
  basic_robots_cache& operator=(const basic_robots_cache&) = delete;

  /// Stops the background threads and waits for them.
  ~basic_robots_cache() = default;

  /// Drops the expired entries, and returns their number. Without this call, an expired entry stays
  /// until its site is looked up or another entry needs the room. Has an effect only if the storage
  /// has `remove_expired`, as `LruStorage` does. Takes linear time in the number of entries.
  std::size_t remove_expired() {
    if constexpr (requires { parts_.storage.remove_expired(parts_.clock.now()); }) {
      return parts_.storage.remove_expired(parts_.clock.now());
    } else {
      return 0;
    }
  }

  /// Returns the statistics of the cache. The counts are read one after another, so other threads
  /// can change some of them meanwhile.
  [[nodiscard]] cache_stats stats() const {
    const S& storage = parts_.storage;
    cache_stats result = counted();
    result.size = storage.size();
    if constexpr (requires { storage.evictions(); }) {
      result.evictions = storage.evictions();
    }
    return result;
  }

  /// Returns the octets of memory that the rules use, or an empty optional if the storage does not
  /// count the octets.
  [[nodiscard]] std::optional<std::size_t> memory_bytes() const {
    const S& storage = parts_.storage;
    if constexpr (requires { storage.memory_bytes(); }) {
      return storage.memory_bytes();
    } else {
      return std::nullopt;
    }
  }

  /// Returns the clock of the cache.
  [[nodiscard]] C& clock() noexcept { return parts_.clock; }

 private:
  using holder = cache_detail::parts_holder<F, C, S, O>;
  using holder::parts_;
};

}  // namespace robots

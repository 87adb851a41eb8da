#pragma once

#include <robots/base/exceptions.hpp>
#include <robots/fetch/breaker_options.hpp>
#include <robots/store/shared_store.hpp>
#include <robots/store/storage.hpp>

#include <chrono>
#include <concepts>
#include <utility>

// Two tiers, of which a cache asks the near one first:
//
//     look-up --> Near (Storage): compiled policies of this process      no entry, or one that may
//                    |                                                   have changed: ask Far
//                    v
//                 Far (SharedStore): encoded records of all processes    no fresh record: take the
//                    |                                                   lease and ask the web, or
//                    v                                                   wait for its holder
//                 the web, and then publish to Far, and keep in Near
//
// This class owns both tiers and the options; the steps above are in `cache/detail/`.

namespace robots {

/// The options for a store that several processes share.
struct tiered_options {
  /// The time that a process has to fetch the robots.txt of a site. After this time, the process is
  /// considered dead, and another process fetches the file. `lease` must be above 0.
  std::chrono::milliseconds lease{60'000};
  /// The time for which a process waits for the fetch of another process. After this time, the
  /// waiting process uses a stale entry, if that is allowed. Otherwise, it fetches the file itself.
  /// With 0, a process does not wait.
  std::chrono::milliseconds wait{5'000};
  /// While a process waits for another process, it reads the store repeatedly. `poll` is the
  /// minimum interval between two reads. Each interval is half of the time waited so far, but at
  /// least `poll`. `poll` must be above 0.
  std::chrono::milliseconds poll{50};
  /// If at least this much time is left before the deadline of a call, the calling thread asks the
  /// store. Otherwise, a background thread asks. `patience` must be at least as long as the slowest
  /// call to the store.
  std::chrono::milliseconds patience{3'000};
  /// The maximum time by which the clock of another machine can be ahead. Records with a date
  /// further in the future are ignored.
  std::chrono::seconds clock_skew{60};
  /// If true, records that are older than this cache are ignored. Then a restarted crawl fetches
  /// each robots.txt again. If all processes of the crawl start together, only one of them fetches
  /// each robots.txt.
  bool ignore_older = false;
  /// The circuit breaker: after `failures` failures in a row, the store is not used for `cooldown`.
  breaker_options breaker{.failures = 3, .cooldown = std::chrono::seconds{5}};
};

namespace detail {

/// Throws `std::invalid_argument` if an option is out of range. The message says what to change.
inline void validate(const tiered_options& options) {
  const auto require_ms = [](const char* name, std::chrono::milliseconds value, int least) {
    base::require(value.count() >= least, name, value.count(),
                  least > 0 ? " ms: use 1 ms or more" : " ms: use 0 ms or more");
  };
  require_ms("tiered_options: lease", options.lease, 1);
  require_ms("tiered_options: poll", options.poll, 1);
  require_ms("tiered_options: wait", options.wait, 0);
  require_ms("tiered_options: patience", options.patience, 0);
  base::require(options.clock_skew.count() >= 0 && options.clock_skew <= std::chrono::years{100},
                "tiered_options: clock_skew", options.clock_skew.count(),
                " s: use 0 s to 100 years");
  validate(options.breaker);
}

/// A `Storage` that also has a store that several processes share. Models: `TieredStorage<Near,
/// Far>`.
template <class S>
concept SharingStorage = Storage<S> && requires(S& storage, const S& constant) {
  { constant.options() } -> std::same_as<const tiered_options&>;
  { storage.shared() } -> std::convertible_to<SharedStore&>;
};

}  // namespace detail

/// Keeps compiled policies in the process. Keeps records in a store that several processes share.
///
///     basic_robots_cache<CurlFetcher, SteadyClock, TieredStorage<LruStorage<4096>, RedisStore>>
///         cache{options, {}, {}, TieredStorage{LruStorage<4096>{}, RedisStore{redis}}};
///
/// The members of a `Storage` come from `Near`, so `erase` and `clear` drop entries of this process
/// only. `basic_robots_cache::invalidate` drops entries in all processes. If `Near` has no fresh
/// entry, or another process may have changed the entry, the cache asks `Far` before the web.
template <Storage Near, std::derived_from<SharedStore> Far>
class TieredStorage : public Near {
 public:
  /// Makes a storage with a default `Near`. Throws like the other constructor.
  explicit TieredStorage(Far shared, tiered_options options = {})
    requires std::default_initializable<Near>
      : TieredStorage(Near{}, std::move(shared), options) {}

  /// Makes a storage from both parts. Throws `std::invalid_argument` if an option is out of range.
  TieredStorage(Near local, Far shared, tiered_options options = {})
      : Near(std::move(local)), shared_(std::move(shared)), options_(options) {
    detail::validate(options);
  }

  /// Returns the store that several processes share.
  [[nodiscard]] Far& shared() noexcept { return shared_; }

  /// Returns the options for the store.
  [[nodiscard]] const tiered_options& options() const noexcept { return options_; }

 private:
  Far shared_;
  tiered_options options_;
};

}  // namespace robots

#pragma once

#include <robots/cache/detail/far_side.hpp>
#include <robots/store/shared_store.hpp>
#include <robots/store/storage.hpp>
#include <robots/store/tiered_options.hpp>

#include <concepts>
#include <memory>
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
// This class owns both tiers and the options. It brings what does the steps below Near: a
// `far_side`. A cache over another storage compiles nothing of that.

namespace robots {

namespace cache_detail {

class look_up_environment;

/// Makes the far side of `cache`. All three must outlive it.
[[nodiscard]] std::unique_ptr<far_side> make_far_side(SharedStore& shared,
                                                      const tiered_options& options,
                                                      look_up_environment& cache);

}  // namespace cache_detail

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

  /// Makes what a cache adds for the other processes. Only a cache calls this function.
  [[nodiscard]] std::unique_ptr<cache_detail::far_side> far_side_of(
      cache_detail::look_up_environment& cache) {
    return cache_detail::make_far_side(shared_, options_, cache);
  }

 private:
  Far shared_;
  tiered_options options_;
};

}  // namespace robots

#ifndef ROBOTS_COMPILED
#include <robots/cache/tiered_storage.bodies.hpp>
#endif

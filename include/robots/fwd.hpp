#pragma once

#include <robots/cache/fwd.hpp>
#include <robots/fetch/fetcher.hpp>
#include <robots/fetch/fwd.hpp>
#include <robots/http/fwd.hpp>
#include <robots/observe/fwd.hpp>
#include <robots/observe/observer.hpp>
#include <robots/policy/policy_source.hpp>
#include <robots/polite/fwd.hpp>
#include <robots/rep/fwd.hpp>
#include <robots/rulings/no_rulings.hpp>
#include <robots/store/fwd.hpp>
#include <robots/store/storage.hpp>
#include <robots/time/clock.hpp>
#include <robots/time/fwd.hpp>
#include <robots/time/steady_clock.hpp>

/// Declarations for headers that only mention the library's types. This header defines the
/// concepts. It declares most types without their definitions. A program that uses a type needs the
/// header of the type, or `robots/robots.hpp`. This header has the defaults of template
/// parameters, and `cache/detail/checked_parts.hpp` repeats those of a cache. The `fwd.hpp` of each
/// folder declares the other types of the folder.
namespace robots {

template <Fetcher F, Clock C = SteadyClock, Storage S = LruStorage<4096>, Observer O = NullObserver,
          Rulings R = NoRulings>
class basic_robots_cache;

template <Clock C = SteadyClock, Observer O = NullObserver>
class basic_host_gate;
template <PolicySource S>
class basic_admission;

/// The cache with default parameters, such as `robots_cache<CurlFetcher>`. Include the headers of
/// the fetcher and of `LruStorage` first, since concepts need complete types.
template <Fetcher F>
using robots_cache = basic_robots_cache<F>;

/// The gate with default parameters.
using host_gate = basic_host_gate<>;

}  // namespace robots

#pragma once

#include <robots/fetch/fetcher.hpp>
#include <robots/observe/observer.hpp>
#include <robots/store/storage.hpp>
#include <robots/time/clock.hpp>

#include <cstddef>

/// The cache's name and defaults, for headers that only mention it.
namespace robots {

class SteadyClock;
template <std::size_t Capacity>
class LruStorage;

template <Fetcher F, Clock C = SteadyClock, Storage S = LruStorage<4096>, Observer O = NullObserver>
class basic_robots_cache;

}  // namespace robots

#pragma once

#include <robots/cache/fwd.hpp>
#include <robots/fetch/fetcher.hpp>
#include <robots/observe/observer.hpp>
#include <robots/policy/fwd.hpp>
#include <robots/polite/fwd.hpp>
#include <robots/rep/fwd.hpp>
#include <robots/store/fwd.hpp>
#include <robots/store/storage.hpp>
#include <robots/time/clock.hpp>
#include <robots/time/steady_clock.hpp>

#include <cstdint>

/// Declarations for headers that only mention the library's types. The concepts in this header are
/// complete. A program that uses a type needs the header of the type, or `robots/robots.hpp`. Only
/// this header has the defaults of template parameters. The `fwd.hpp` of a folder declares the
/// other types of the folder.
namespace robots {

template <Fetcher F, Clock C = SteadyClock, Storage S = LruStorage<4096>, Observer O = NullObserver>
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

class JsonLog;
enum class log_level : std::uint8_t;
class Metrics;
class address_guard;
struct breaker_options;
enum class breaker_state : std::uint8_t;
struct cache_stats;
struct call_context;
struct call_options;
struct json_log_options;
struct metrics_options;
struct metrics_snapshot;
struct origin;
enum class outcome : std::uint8_t;
struct retry_options;
struct site;
enum class url_scheme;
struct wall_anchor;

}  // namespace robots

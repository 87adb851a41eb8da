#pragma once

/// Forward declarations of `cache/`. `robots/fwd.hpp` declares `basic_robots_cache`.
namespace robots {

class any_robots_cache;
class look_up;
enum class prefetch_outcome;
struct cache_options;
struct prefetch_limits;
struct prefetch_progress;
struct prefetch_summary;

}  // namespace robots

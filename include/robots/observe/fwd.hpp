#pragma once

#include <cstdint>

/// Declares the types of `observe/`. `robots/fwd.hpp` has the definitions of the events.
namespace robots {

enum class log_level : std::uint8_t;

class JsonLog;
class Metrics;
struct cache_stats;
struct json_log_options;
struct metrics_options;
struct metrics_snapshot;

}  // namespace robots

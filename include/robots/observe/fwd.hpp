#pragma once

#include <cstdint>

/// Declarations of the types of `observe/`.
namespace robots {

struct event_base;
struct access_revoked_event;
struct admission_event;
struct breaker_event;
struct decision_event;
struct drop_event;
struct exchange_event;
struct exclusions_event;
struct fallback_event;
struct far_copy_event;
struct far_hit_event;
struct far_store_event;
struct halt_event;
struct ledger_event;
struct look_up_event;
struct lost_invalidation_event;
struct override_event;
struct parse_event;
struct policy_change_event;
struct quarantine_event;
struct retrieval_event;
struct sign_off_event;

enum class admission_reason : std::uint8_t;
enum class log_level : std::uint8_t;
enum class look_up_result : std::uint8_t;

struct NullObserver;
class JsonLog;
class Metrics;
struct cache_stats;
struct json_log_options;
struct metrics_options;
struct metrics_snapshot;

}  // namespace robots

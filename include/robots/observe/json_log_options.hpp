#pragma once

#include <robots/base/enum_text.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>

namespace robots {

/// The importance of a log line.
enum class log_level : std::uint8_t {
  debug,  ///< frequent events: hits, dropped entries
  info,   ///< the events of a normal crawl
  /// Mistakes that the site should correct, such as malformed lines or a charset other than UTF-8;
  /// also high-risk sites that wait for a sign-off.
  warn,
  error,  ///< failures, such as that of a retrieval; sudden changes of rules
  /// Events that an operator must see: files too malformed to be obeyed, quarantine, sites that
  /// turn hostile, halts, revoked access.
  critical,
};

/// The name of a level, as the log has it.
[[nodiscard]] constexpr std::string_view to_string(log_level level) noexcept {
  return base::enum_text<log_level::critical>(level,
                                              {"DEBUG", "INFO", "WARN", "ERROR", "CRITICAL"});
}

/// The options of a `JsonLog`.
struct json_log_options {
  log_level least = log_level::info;  ///< lines of a lower level are not written
  /// The level of decisions and admissions that deny. If the fallback policy made them, the level
  /// is at least ERROR.
  log_level denied_level = log_level::info;
  /// The share of decisions and admissions that are written, from 0 to 1, picked at random. Those
  /// that the fallback policy made are always written.
  double decision_share = 1;
  /// The most lines of one kind of event and one site per `rate_period`; 0 for no limit. Decisions
  /// and admissions that the fallback policy allowed are always written.
  std::size_t rate_lines = 60;
  std::chrono::seconds rate_period{60};  ///< see `rate_lines`
  std::size_t rate_sites = 4096;  ///< pairs of event and site that are counted, 200 octets each
  std::size_t text_bytes = 2048;  ///< longer texts are cut; the line has the full length
  /// With 0, the thread that reports an event calls the sink, one thread at a time. Otherwise a
  /// background thread calls it, and up to about `queue_bytes` octets of lines may wait. If there
  /// is no room, a line is lost and counted.
  std::size_t queue_bytes = 0;
};

}  // namespace robots

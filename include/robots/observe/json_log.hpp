#pragma once

#include <robots/base/config.hpp>
#include <robots/base/enum_text.hpp>
#include <robots/observe/any_event.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <memory>
#include <string_view>

namespace robots {

/// The importance of a log line.
enum class log_level : std::uint8_t {
  debug,  ///< frequent events, such as hits and dropped entries
  info,   ///< the events of a normal crawl
  /// Mistakes of a site (malformed lines, a charset other than UTF-8), failed requests, open
  /// circuit breakers, and high-risk sites that wait for a sign-off.
  warn,
  error,  ///< failures, such as a failed retrieval, and sudden changes of rules
  /// Events that an operator must see: files too malformed to be obeyed, quarantines, sites that
  /// turn hostile, halts, and revoked access.
  critical,
};

/// The name of a level, as the log writes it.
[[nodiscard]] constexpr std::string_view to_string(log_level level) noexcept {
  return base::enum_text<log_level::critical>(level,
                                              {"DEBUG", "INFO", "WARN", "ERROR", "CRITICAL"});
}

/// The options of a `JsonLog`.
struct json_log_options {
  log_level least = log_level::info;  ///< lines below this level are not written
  /// The level of decisions and admissions that deny the URL. If the fallback policy decided, the
  /// level is at least ERROR, unless the call ended before the robots.txt came.
  log_level denied_level = log_level::info;
  /// The probability, from 0 to 1, that a decision or an admission is written. Decisions of the
  /// fallback policy are always written.
  double decision_share = 1;
  std::size_t text_bytes = 2048;  ///< maximum length of a text, in octets; see `JsonLog`
  /// The size of the queue of lines, in octets. A background thread passes the lines to the sink. A
  /// line for which the queue has no room is lost and counted. With 0, there is no queue, and the
  /// thread that reports an event calls the sink.
  std::size_t queue_bytes = 0;
};

/// An observer that writes events as JSON (RFC 8259), one object per line, in ASCII.
///
/// Each line has `timestamp` (RFC 3339, UTC), `level`, `event`, the members of the event, and
/// `message`, which is a sentence for people. A line also has, if known, `site` and its `domain`,
/// the product token of the `crawler`, and the caller's `trace_id` and `span_id`. Backslashes and
/// octets that are not UTF-8 are written as `\xNN`: see `base::append_json`. If a text is cut to
/// `text_bytes`, another member has the full length of the text. For example, `url_bytes` is the
/// full length of `url`. A `policy_change` lists at most 32 changed rules and 32 other changed
/// lines of the robots.txt. The guide `events.md` lists the level of each event.
///
/// A line is lost if the sink throws or the queue has no room. The next line then has the number of
/// lost lines (`lost`).
///
/// A `JsonLog` is a handle, and its copies write the same log. Several caches and gates may share a
/// log. Any thread may call any member. An event below the level `least` costs a few nanoseconds. A
/// line that is written costs some microseconds and, without a queue, the time of the sink.
class JsonLog {
 public:
  /// The output of a log. One thread at a time calls the sink, with one line and its line feed. If
  /// the sink throws, the line is lost. Without a queue, the sink must not call a cache or a gate
  /// that this log observes.
  using line_sink = std::function<void(std::string_view line)>;

  /// The counts of written and lost lines.
  struct counts {
    std::uint64_t written = 0;  ///< lines that the sink took
    std::uint64_t lost = 0;     ///< lines for which the sink threw or the queue had no room
  };

  /// Writes to `sink`. Throws `std::invalid_argument` if `sink` is empty or an option is invalid.
  explicit JsonLog(line_sink sink, const json_log_options& options = {});

  /// Writes to a stream, and flushes the stream after each line. The stream must outlive the log.
  /// After a failed write, the log writes a line feed before the next line.
  explicit JsonLog(std::ostream& stream, const json_log_options& options = {});

  /// Returns the counts of lines.
  [[nodiscard]] counts stats() const noexcept;

  /// Waits until the sink has every line that `on` queued before this call. Without a queue,
  /// returns at once. The sink must not call this function.
  void flush() const;

  /// Writes a line for the event, unless the options exclude the event.
  void on(const any_event& event) const;

 private:
  struct state;

  std::shared_ptr<state> state_;
};

}  // namespace robots

#ifndef ROBOTS_COMPILED
#include <robots/observe/json_log.bodies.hpp>
#endif

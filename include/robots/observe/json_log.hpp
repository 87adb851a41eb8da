#pragma once

#include <robots/base/json_writer.hpp>
#include <robots/observe/event_json.hpp>
#include <robots/observe/event_message.hpp>
#include <robots/observe/events.hpp>
#include <robots/observe/json_log_options.hpp>
#include <robots/observe/observer.hpp>

#include <concepts>
#include <cstdio>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

namespace robots {

/// An observer that writes events as JSON (RFC 8259), one object per line, in ASCII.
///
/// Each line has `timestamp` (RFC 3339, UTC), `level`, `event` and `message`, a sentence for
/// people. If known, it also has `site` and its `domain`, the product token of the `crawler`, and
/// the caller's `trace_id` and `span_id`. The members of the event follow under their names. Octets
/// that are not UTF-8 are written as `\xNN`, and so are backslashes: see `base::append_json`. If a
/// text was cut to `text_bytes`, `NAME_bytes` follows with its full length. A `policy_change` has
/// at most 32 rules and 32 other lines.
///
/// | event             | level |
/// |-------------------|-------|
/// | `look_up`         | INFO for a miss, else DEBUG |
/// | `exchange`        | INFO; WARN without a response, and for 4xx and 5xx, except 404 and 410 |
/// | `parse`           | INFO; WARN for malformed lines, or not in UTF-8; CRITICAL over the limit |
/// | `retrieval`       | INFO; ERROR for a failure; CRITICAL over the malformed limit |
/// | `far_hit`         | INFO |
/// | `far_copy`        | INFO |
/// | `fallback`        | ERROR |
/// | `decision`        | INFO; ERROR for one by the fallback policy; `denied_level` for a denial |
/// | `policy_change`   | INFO; ERROR for a fast one; CRITICAL for one that turns hostile |
/// | `access_revoked`  | CRITICAL |
/// | `halt`            | CRITICAL; INFO for a site that is resumed |
/// | `sign_off`        | INFO; WARN for a site that waits for one |
/// | `breaker`         | INFO; WARN when it opens |
/// | `drop`            | DEBUG |
/// | `quarantine`      | CRITICAL; INFO for a release |
/// | `override`        | INFO |
/// | `exclusions`      | INFO |
/// | `admission`       | as `decision` |
/// | `far_store`       | ERROR when it fails; INFO when it answers again |
/// | `lost_invalidation` | ERROR |
/// | `ledger`          | ERROR when it fails; INFO when it answers again |
///
/// Lines beyond `rate_lines` are counted, not written. The next line of that event and site has the
/// count (`suppressed`). If the site was forgotten meanwhile, the next line of any site has it
/// (`suppressed_elsewhere`). The limit does not apply to decisions and admissions that the fallback
/// policy allowed: each is written (the pipeline guide: "Log the decision aggressively"). If the
/// sink throws, the line is lost, and the next line has the number of lost lines (`lost`). See
/// `stats`.
///
/// A handle: copies write one log. Several caches and gates may share it. Any thread may call its
/// members. A line that is not wanted costs about 3 ns. A line that is written costs some
/// microseconds and the time of the sink, unless there is a queue (`queue_bytes`).
class JsonLog {
 public:
  /// The output of a log. It gets one line at a time, with its line feed; one thread at a time
  /// calls it. If it throws, the line counts as lost. Without a queue, it must not call a cache or
  /// a gate that this log observes.
  using line_sink = std::function<void(std::string_view line)>;

  /// The number of lines, by what became of them.
  struct counts {
    std::uint64_t written = 0;     ///< lines that the sink took
    std::uint64_t lost = 0;        ///< lines at which the sink threw, or without room in the queue
    std::uint64_t suppressed = 0;  ///< lines beyond `rate_lines`
  };

  /// Writes to `sink`. Throws `std::invalid_argument` if an option makes no sense.
  explicit JsonLog(line_sink sink, const json_log_options& options = {});

  /// Writes to a stream, which must outlive the log, and flushes it after each line.
  explicit JsonLog(std::ostream& stream, const json_log_options& options = {});

  /// Writes to an open file, which must outlive the log, and flushes it after each line.
  explicit JsonLog(std::FILE* file, const json_log_options& options = {});

  /// Returns the counts of lines.
  [[nodiscard]] counts stats() const noexcept;

  /// Waits until the sink has the lines of all calls that have returned; without a queue, returns
  /// at once. Must not be called from the sink.
  void flush() const;

  /// Writes the event, if it is wanted.
  template <std::derived_from<event> Event>
    requires requires(base::json_writer& line, const Event& event) {
      Event::name;
      observe_detail::add_members(line, event);
    }
  void on(const Event& event) const {
    const log_level level = level_of(event);
    if (!is_wanted(level)) {
      return;
    }
    bool is_limited = true;
    if constexpr (requires { event.decision; }) {
      if (!is_sampled(event.decision)) {
        return;
      }
      is_limited = !is_default_allow(event.decision);
    }
    if (auto line = begin(level, Event::name, event, is_limited)) {
      add_event(*line, event);
      line->long_text("message", explain(event));
      write(*std::move(line));
    }
  }

 private:
  struct state;

  [[nodiscard]] bool is_wanted(log_level level) const noexcept;

  /// Returns true if the sample includes the lines of a decision.
  [[nodiscard]] bool is_sampled(const decision& decided) const noexcept;

  /// Returns true if the fallback policy allowed the URL of a decision.
  [[nodiscard]] static bool is_default_allow(const decision& decided) noexcept;

  void write(base::json_writer line) const;

  using enum log_level;

  static log_level level_of(const event& /*event*/) { return info; }
  static log_level level_of(const look_up_event& event) {
    return event.result == look_up_result::miss ? info : debug;
  }
  static log_level level_of(const exchange_event& event);
  static log_level level_of(const parse_event& event);
  static log_level level_of(const retrieval_event& event);
  static log_level level_of(const fallback_event& /*event*/) { return error; }
  [[nodiscard]] log_level level_of(const decision& decided) const;
  [[nodiscard]] log_level level_of(const decision_event& event) const {
    return level_of(event.decision);
  }
  [[nodiscard]] log_level level_of(const admission_event& event) const {
    return level_of(event.decision);
  }
  static log_level level_of(const policy_change_event& event) {
    return event.turned_hostile ? critical : event.fast ? error : info;
  }
  static log_level level_of(const access_revoked_event& /*event*/) { return critical; }
  static log_level level_of(const halt_event& event) { return event.resumed ? info : critical; }
  static log_level level_of(const sign_off_event& event) { return event.awaited ? warn : info; }
  static log_level level_of(const breaker_event& event) {
    return event.state == breaker_state::open ? warn : info;
  }
  static log_level level_of(const drop_event& /*event*/) { return debug; }
  static log_level level_of(const quarantine_event& event) {
    return event.released ? info : critical;
  }
  static log_level level_of(const far_store_event& event) { return event.up ? info : error; }
  static log_level level_of(const ledger_event& event) { return event.up ? info : error; }
  static log_level level_of(const lost_invalidation_event& /*event*/) { return error; }

  /// Returns the line of an event, or an empty text if there were too many.
  [[nodiscard]] std::optional<base::json_writer> begin(log_level level, std::string_view name,
                                                       const event& event, bool is_limited) const;

  std::shared_ptr<state> state_;
};

static_assert(Observer<JsonLog>);

}  // namespace robots

#ifndef ROBOTS_COMPILED
#include <robots/observe/json_log.ipp>
#endif

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

/// An observer that writes what it is told of as JSON (RFC 8259), an object a line, in ASCII.
///
/// Each line has `timestamp` (RFC 3339, UTC), `level` and `event`; where they are known, `site` and
/// its `domain`, the product token of the `crawler`, and the `trace_id` and `span_id` of the
/// caller; what the event tells, under its own names; and `message`, one sentence for people. What
/// is no UTF-8 reads as `\xNN`, octet by octet, and so does a backslash: see `base::append_json`. A
/// text that was cut (`text_bytes`) is followed by `NAME_bytes`, how long it was. Of the rules that
/// a `policy_change` tells of, the first 32 are written, and so of the other lines.
///
/// | event             | level |
/// |-------------------|-------|
/// | `look_up`         | INFO for a miss, else DEBUG |
/// | `exchange`        | INFO; WARN without a response, and for 4xx and 5xx but 404 and 410 |
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
/// | `admission`       | as `decision` |
/// | `far_store`       | ERROR when it goes; INFO when it is back |
/// | `lost_invalidation` | ERROR |
/// | `ledger`          | ERROR when it fails; INFO when it answers again |
///
/// What is above `rate_lines` is counted: the next line of that event and site says how many
/// there were (`suppressed`), or the next line of any, where the site was forgotten meanwhile
/// (`suppressed_elsewhere`). The limit does not hold for decisions and admissions that the fallback
/// policy allowed: each of these is written (the pipeline guide: "Log the decision aggressively").
/// A line that the sink throws at is lost, and the next one that it takes says how many were
/// (`lost`). See `stats`.
///
/// A handle: copies write one log. It can be given to several caches and gates, and all its
/// members may be called from any thread. A line that is not wanted costs some 3 ns; one that is,
/// some microseconds and what the sink takes, unless there is a queue (`queue_bytes`).
class JsonLog {
 public:
  /// Writes to `sink`. Throws `std::invalid_argument` for options that mean nothing.
  explicit JsonLog(log_sink sink, const json_log_options& options = {});

  /// Writes to a stream, which must outlive the log, and flushes it after each line.
  explicit JsonLog(std::ostream& stream, const json_log_options& options = {});

  /// Writes to an open file, which must outlive the log, and flushes it after each line.
  explicit JsonLog(std::FILE* file, const json_log_options& options = {});

  /// What became of the lines so far.
  [[nodiscard]] json_log_stats stats() const noexcept;

  /// Returns when the sink has seen all lines of calls that have ended: at once without a queue.
  /// Not from the sink.
  void flush() const;

  /// Writes the event, if it is wanted.
  template <std::derived_from<event> Event>
    requires requires(base::json_writer& line, const Event& told) {
      Event::name;
      observe_detail::add_members(line, told);
    }
  void on(const Event& told) const {
    const log_level level = level_of(told);
    if (!is_wanted(level)) {
      return;
    }
    bool is_limited = true;
    if constexpr (requires { told.decision; }) {
      if (!is_sampled(told.decision)) {
        return;
      }
      is_limited = !is_default_allow(told.decision);
    }
    if (auto line = begin(level, Event::name, told, is_limited)) {
      add_event(*line, told);
      line->long_text("message", explain(told));
      write(*std::move(line));
    }
  }

 private:
  struct state;

  [[nodiscard]] bool is_wanted(log_level level) const noexcept;

  /// Whether the sample takes what tells of a decision.
  [[nodiscard]] bool is_sampled(const decision& made) const noexcept;

  /// Whether the fallback policy allowed what a decision is about.
  [[nodiscard]] static bool is_default_allow(const decision& made) noexcept;

  void write(base::json_writer line) const;

  using enum log_level;

  static log_level level_of(const event& /*told*/) { return info; }
  static log_level level_of(const look_up_event& told) {
    return told.result == look_up_result::miss ? info : debug;
  }
  static log_level level_of(const exchange_event& told);
  static log_level level_of(const parse_event& told);
  static log_level level_of(const retrieval_event& told);
  static log_level level_of(const fallback_event& /*told*/) { return error; }
  [[nodiscard]] log_level level_of(const decision& made) const;
  [[nodiscard]] log_level level_of(const decision_event& told) const {
    return level_of(told.decision);
  }
  [[nodiscard]] log_level level_of(const admission_event& told) const {
    return level_of(told.decision);
  }
  static log_level level_of(const policy_change_event& told) {
    return told.turned_hostile ? critical : told.fast ? error : info;
  }
  static log_level level_of(const access_revoked_event& /*told*/) { return critical; }
  static log_level level_of(const halt_event& told) { return told.resumed ? info : critical; }
  static log_level level_of(const sign_off_event& told) { return told.awaited ? warn : info; }
  static log_level level_of(const breaker_event& told) {
    return told.state == breaker_state::open ? warn : info;
  }
  static log_level level_of(const drop_event& /*told*/) { return debug; }
  static log_level level_of(const quarantine_event& told) {
    return told.released ? info : critical;
  }
  static log_level level_of(const far_store_event& told) { return told.up ? info : error; }
  static log_level level_of(const ledger_event& event) { return event.up ? info : error; }
  static log_level level_of(const lost_invalidation_event& /*told*/) { return error; }

  /// The line of an event, with what all lines have, unless it is limited and there were too many
  /// of these.
  [[nodiscard]] std::optional<base::json_writer> begin(log_level level, std::string_view name,
                                                       const event& told, bool is_limited) const;

  std::shared_ptr<state> state_;
};

static_assert(Observer<JsonLog>);

}  // namespace robots

#ifndef ROBOTS_COMPILED
#include <robots/observe/json_log.ipp>
#endif

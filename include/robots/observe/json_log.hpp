#pragma once

#include <robots/base/json_writer.hpp>
#include <robots/base/sampler.hpp>
#include <robots/fetch/call_options.hpp>
#include <robots/fetch/circuit_breaker.hpp>
#include <robots/fetch/outcome.hpp>
#include <robots/fetch/retrieval_result.hpp>
#include <robots/http/charset.hpp>
#include <robots/http/message.hpp>
#include <robots/observe/admission_reason.hpp>
#include <robots/observe/detail/line_limit.hpp>
#include <robots/observe/detail/line_output.hpp>
#include <robots/observe/events.hpp>
#include <robots/observe/json_log_options.hpp>
#include <robots/observe/observer.hpp>
#include <robots/policy/decision.hpp>
#include <robots/policy/decision_reason.hpp>
#include <robots/policy/halt_reason.hpp>
#include <robots/policy/policy.hpp>
#include <robots/policy/record.hpp>
#include <robots/policy/site_override.hpp>
#include <robots/rep/audit/change_report.hpp>
#include <robots/rep/read/diagnostic.hpp>
#include <robots/rep/read/directive.hpp>
#include <robots/rep/rules/verdict.hpp>
#include <robots/time/wall_time.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <optional>
#include <ostream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace robots {

/// An observer that writes what it is told of as JSON (RFC 8259), an object a line, in ASCII.
///
/// Each line has `timestamp` (RFC 3339, UTC), `level` and `event`; `site`, and the `trace_id` and
/// `span_id` of the caller, where they are known; and what the event tells, under its own names.
/// What is no UTF-8 reads as `\xNN`, octet by octet, and so does a backslash: see
/// `base::append_json`. A text that was cut (`text_bytes`) is followed by `NAME_bytes`, how long it
/// was.
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
/// | `decision`        | INFO; ERROR for one by the fallback policy |
/// | `policy_change`   | INFO; ERROR for a fast one; CRITICAL for one that turns hostile |
/// | `access_revoked`  | CRITICAL |
/// | `halt`            | CRITICAL; INFO for a site that is resumed |
/// | `sign_off`        | INFO |
/// | `breaker`         | INFO; WARN when it opens |
/// | `drop`            | DEBUG |
/// | `quarantine`      | CRITICAL; INFO for a release |
/// | `override`        | INFO |
/// | `admission`       | INFO |
/// | `far_store`       | ERROR when it goes; INFO when it is back |
///
/// What is above `rate_lines` is counted: the next line of that event and site says how many
/// there were (`suppressed`), or the next line of any, where the site was forgotten meanwhile
/// (`suppressed_elsewhere`). A line that the sink throws at is lost, and the next one that it
/// takes says how many were (`lost`). See `stats`.
///
/// A handle: copies write one log. It can be given to several caches and gates, and all its
/// members may be called from any thread. A line that is not wanted costs some 3 ns; one that is,
/// some microseconds and what the sink takes, unless there is a queue (`queue_bytes`).
class JsonLog {
 public:
  /// Writes to `sink`. Throws `std::invalid_argument` for options that mean nothing.
  explicit JsonLog(log_sink sink, const json_log_options& options = {})
      : state_{std::make_shared<state>(checked(std::move(sink), options), options)} {}

  /// Writes to a stream, which must outlive the log, and flushes it after each line.
  explicit JsonLog(std::ostream& stream, const json_log_options& options = {})
      : JsonLog{ending_torn_lines([&stream](std::string_view text) {
                  stream.clear();
                  stream.write(text.data(), static_cast<std::streamsize>(text.size())).flush();
                  return stream.good();
                }),
                options} {}

  /// Writes to an open file, which must outlive the log, and flushes it after each line.
  explicit JsonLog(std::FILE* file, const json_log_options& options = {})
      : JsonLog{ending_torn_lines([file](std::string_view text) {
                  std::clearerr(file);
                  return std::fwrite(text.data(), 1, text.size(), file) == text.size() &&
                         std::fflush(file) == 0;
                }),
                options} {}

  /// What became of the lines so far.
  [[nodiscard]] json_log_stats stats() const noexcept {
    return {.written = state_->output.written(),
            .lost = state_->output.lost(),
            .suppressed = state_->limit.suppressed()};
  }

  /// Returns when the sink has seen all lines of calls that have ended: at once without a queue.
  /// Not from the sink.
  void flush() const { state_->output.flush(); }

  /// Writes the event, if it is wanted.
  void on(const look_up_event& told) const {
    const bool miss = told.result == look_up_result::miss;
    if (auto line = begin(miss ? log_level::info : log_level::debug, "look_up", told)) {
      line->text("result", to_string(told.result));
      if (told.policy != nullptr) {
        add_policy(*line, *told.policy);
      }
      end(*line);
    }
  }

  /// Writes the event, if it is wanted.
  void on(const exchange_event& told) const {
    const exchange& made = told.exchange;
    const bool failed = made.error != fetch_error::none ||
                        (made.status >= 400 && outcome_of(made.status) != outcome::not_found);
    if (auto line = begin(failed ? log_level::warn : log_level::info, "exchange", told)) {
      add_text(*line, "url", made.url);
      add_status(*line, made.status, made.error);
      line->seconds("duration_seconds", told.duration).number("bytes", told.bytes);
      line->number("hop", told.hop).number("attempt", told.attempt);
      end(*line);
    }
  }

  /// Writes the event, if it is wanted.
  void on(const parse_event& told) const {
    const file_findings& found = told.policy.findings();
    const charset written_in = told.policy.source().charset;
    const bool malformed = told.policy.source().outcome == outcome::malformed;
    const bool odd = found.lines.malformed > 0 || written_in != charset::utf_8;
    const log_level level = malformed ? log_level::critical
                            : odd     ? log_level::warn
                                      : log_level::info;
    if (auto line = begin(level, "parse", told)) {
      line->seconds("duration_seconds", told.duration).number("rules", told.policy.rules().size());
      line->number("lines", found.lines.non_blank);
      line->number("malformed_lines", found.lines.malformed);
      line->flag("not_robots_txt", found.lines.not_robots_txt);
      line->text("charset", to_string(written_in)).open_list("findings");
      for (const diagnostic& each : found.diagnostics) {
        line->open().number("line", each.line).number("column", each.column);
        line->text("severity", to_string(each.severity)).text("code", to_string(each.code));
        line->close();
      }
      line->close_list();
      add_policy(*line, told.policy);
      end(*line);
    }
  }

  /// Writes the event, if it is wanted.
  void on(const retrieval_event& told) const {
    const record_head& source = told.policy.source();
    const bool failed = is_failure(source.outcome) && source.outcome != outcome::cancelled;
    const log_level level = source.outcome == outcome::malformed ? log_level::critical
                            : failed                             ? log_level::error
                                                                 : log_level::info;
    if (auto line = begin(level, "retrieval", told)) {
      add_source(*line, source);
      line->seconds("duration_seconds", told.duration).number("attempts", source.attempts);
      line->number("redirects", source.redirects).number("bytes", told.record.body.size());
      line->flag("not_modified", source.not_modified).flag("truncated", source.truncated);
      line->seconds("lifetime_seconds", source.lifetime);
      add_policy(*line, told.policy);
      end(*line);
    }
  }

  /// Writes the event, if it is wanted.
  void on(const far_hit_event& told) const { write_far("far_hit", told); }

  /// Writes the event, if it is wanted.
  void on(const far_copy_event& told) const { write_far("far_copy", told); }

  /// Writes the event, if it is wanted.
  void on(const fallback_event& told) const {
    if (auto line = begin(log_level::error, "fallback", told)) {
      add_source(*line, told.policy.source());
      line->number("failures", told.policy.source().failures);
      add_policy(*line, told.policy);
      end(*line);
    }
  }

  /// Writes the event, if it is wanted.
  void on(const decision_event& told) const {
    const decision& made = told.decision;
    if (auto line = begin_decision("decision", told, made)) {
      add_text(*line, "url", told.url);
      line->flag("allowed", made.allowed).text("reason", to_string(made.reason));
      if (made.reason == decision_reason::rule) {
        line->text("directive", to_string(*made.verdict.directive));
        add_text(*line, "pattern", *made.verdict.pattern);
        line->number("line", made.verdict.line);
        add_text(*line, "user_agent", made.verdict.user_agent);
      }
      line->seconds("age_seconds", made.age)
          .flag("from_cache", made.from_cache)
          .flag("stale", made.stale);
      if (made.policy != nullptr) {
        add_policy(*line, *made.policy);
        add_text(*line, "message", explain(made));
      }
      end(*line);
    }
  }

  /// Writes the event, if it is wanted: of the rules and lines that have changed, the first 32
  /// each.
  void on(const policy_change_event& told) const {
    const log_level level = told.turned_hostile ? log_level::critical
                            : told.fast         ? log_level::error
                                                : log_level::info;
    if (auto line = begin(level, "policy_change", told)) {
      const change_report& found = told.changes;
      line->flag("turned_hostile", told.turned_hostile).flag("fast", told.fast);
      line->seconds("interval_seconds", told.interval).number("changed", found.changed());
      line->number("unchanged", found.unchanged).open_list("rules");
      constexpr std::size_t most = 32;
      for (std::size_t i = 0; i < std::min(most, found.rules.size()); ++i) {
        const rule_change& each = found.rules[i];
        line->open().text("change", to_string(each.change)).text("directive", to_string(each.kind));
        add_if(*line, "before", each.before ? std::optional{each.before->pattern} : std::nullopt);
        add_if(*line, "after", each.after ? std::optional{each.after->pattern} : std::nullopt);
        line->close();
      }
      line->close_list().open_list("other_lines");
      for (std::size_t i = 0; i < std::min(most, found.lines.size()); ++i) {
        line->open().text("directive", to_string(found.lines[i].kind));
        add_if(*line, "before", found.lines[i].before);
        add_if(*line, "after", found.lines[i].after);
        line->close();
      }
      line->close_list();
      add_policy(*line, told.after);
      end(*line);
    }
  }

  /// Writes the event, if it is wanted.
  void on(const access_revoked_event& told) const {
    if (auto line = begin(log_level::critical, "access_revoked", told)) {
      add_text(*line, "url", told.url);
      line->number("status", told.status);
      end(*line);
    }
  }

  /// Writes the event, if it is wanted.
  void on(const halt_event& told) const {
    if (auto line = begin(told.resumed ? log_level::info : log_level::critical, "halt", told)) {
      line->text("reason", to_string(told.reason)).flag("resumed", told.resumed);
      end(*line);
    }
  }

  /// Writes the event, if it is wanted.
  void on(const sign_off_event& told) const {
    if (auto line = begin(log_level::info, "sign_off", told)) {
      line->flag("given", told.given);
      end(*line);
    }
  }

  /// Writes the event, if it is wanted.
  void on(const breaker_event& told) const {
    const bool opened = told.state == breaker_state::open;
    if (auto line = begin(opened ? log_level::warn : log_level::info, "breaker", told)) {
      line->text("state", to_string(told.state));
      end(*line);
    }
  }

  /// Writes the event, if it is wanted.
  void on(const drop_event& told) const {
    if (auto line = begin(log_level::debug, "drop", told)) {
      line->flag("expired", told.expired);
      end(*line);
    }
  }

  /// Writes the event, if it is wanted.
  void on(const quarantine_event& told) const {
    if (auto line =
            begin(told.released ? log_level::info : log_level::critical, "quarantine", told)) {
      line->flag("released", told.released);
      end(*line);
    }
  }

  /// Writes the event, if it is wanted.
  void on(const override_event& told) const {
    if (auto line = begin(log_level::info, "override", told)) {
      line->text("value", to_string(told.value));
      end(*line);
    }
  }

  /// Writes the event, if it is wanted.
  void on(const admission_event& told) const {
    if (auto line = begin_decision("admission", told, told.decision)) {
      add_text(*line, "url", told.url);
      line->text("reason", to_string(told.reason)).seconds("waited_seconds", told.waited);
      line->flag("allowed", told.decision.allowed);
      line->text("decision_reason", to_string(told.decision.reason));
      end(*line);
    }
  }

  /// Writes the event, if it is wanted.
  void on(const far_store_event& told) const {
    if (auto line = begin(told.up ? log_level::info : log_level::error, "far_store", told)) {
      line->flag("up", told.up);
      add_text(*line, "message", told.message);
      end(*line);
    }
  }

 private:
  struct state {
    state(log_sink sink, const json_log_options& given)
        : options{given},
          sample{given.decision_share},
          limit{given},
          output{std::move(sink), given.queue_bytes} {}

    const json_log_options options;
    const base::sampler sample;
    observe_detail::line_limit limit;
    observe_detail::line_output output;
  };

  [[nodiscard]] static log_sink checked(log_sink sink, const json_log_options& options) {
    if (!sink) {
      throw std::invalid_argument{"JsonLog: give a sink that can be called"};
    }
    if (!(options.decision_share >= 0 && options.decision_share <= 1)) {
      throw std::invalid_argument{"json_log_options::decision_share: give a share from 0 to 1"};
    }
    return sink;
  }

  /// The line of an event about what the shared store had.
  template <class Event>
  void write_far(std::string_view name, const Event& told) const {
    if (auto line = begin(log_level::info, name, told)) {
      add_source(*line, told.record);
      line->text("fetched_at", date_text(told.record.fetched_at));
      add_policy(*line, told.policy);
      end(*line);
    }
  }

  /// What is left of a line that was written in part only ends before the next one.
  [[nodiscard]] static log_sink ending_torn_lines(std::function<bool(std::string_view)> write) {
    return [write = std::move(write), torn = false](std::string_view line) mutable {
      torn = !((!torn || write("\n")) && write(line));
      if (torn) {
        throw std::runtime_error{"the line could not be written"};
      }
    };
  }

  /// The line of an event that is to be written, with what all lines have.
  [[nodiscard]] std::optional<base::json_writer> begin(log_level level, std::string_view name,
                                                       const event& told) const {
    if (level < state_->options.least) {
      return std::nullopt;
    }
    return begin_wanted(level, name, told);
  }

  [[nodiscard]] std::optional<base::json_writer> begin_decision(std::string_view name,
                                                                const event& told,
                                                                const decision& made) const {
    if (made.reason == decision_reason::fallback) {
      return begin(log_level::error, name, told);
    }
    if (log_level::info < state_->options.least || !state_->sample.takes()) {
      return std::nullopt;
    }
    return begin_wanted(log_level::info, name, told);
  }

  [[nodiscard]] std::optional<base::json_writer> begin_wanted(log_level level,
                                                              std::string_view name,
                                                              const event& told) const {
    const wall_time now = told.time();
    const auto suppressed = state_->limit.admit(name, told.site, now);
    if (!suppressed) {
      return std::nullopt;
    }
    base::json_writer line;
    line.text("timestamp", date_text(now)).text("level", to_string(level)).text("event", name);
    if (!told.site.empty()) {
      line.text("site", told.site);
    }
    if (told.context != nullptr && !told.context->trace_id.empty()) {
      add_text(line, "trace_id", told.context->trace_id);
    }
    if (told.context != nullptr && !told.context->span_id.empty()) {
      add_text(line, "span_id", told.context->span_id);
    }
    if (*suppressed > 0) {
      line.number("suppressed", *suppressed);
    }
    if (const std::uint64_t elsewhere = state_->limit.take_forgotten(); elsewhere > 0) {
      line.number("suppressed_elsewhere", elsewhere);
    }
    return line;
  }

  void end(base::json_writer& line) const { state_->output.add(std::move(line).finish()); }

  void add_text(base::json_writer& line, std::string_view name, std::string_view text) const {
    line.text(name, text.substr(0, state_->options.text_bytes));
    if (text.size() > state_->options.text_bytes) {
      line.number(std::string{name} + "_bytes", text.size());
    }
  }

  void add_if(base::json_writer& line, std::string_view name,
              const std::optional<std::string>& text) const {
    if (text) {
      add_text(line, name, *text);
    }
  }

  static void add_status(base::json_writer& line, int status, fetch_error error) {
    if (error != fetch_error::none) {
      line.text("error", to_string(error));
    } else if (status != 0) {
      line.number("status", status);
    }
  }

  void add_source(base::json_writer& line, const record_head& source) const {
    line.text("outcome", to_string(source.outcome));
    add_status(line, source.status, source.error);
    if (!source.error_text.empty()) {
      add_text(line, "error_text", source.error_text);
    }
    add_text(line, "url", source.url);
    if (source.final_url != source.url) {
      add_text(line, "final_url", source.final_url);
    }
  }

  static void add_policy(base::json_writer& line, const policy& known) {
    line.text("basis", to_string(known.basis())).number("policy_version", known.version());
  }

  std::shared_ptr<state> state_;
};

static_assert(Observer<JsonLog>);

}  // namespace robots

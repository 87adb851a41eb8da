#pragma once

#include <robots/base/exceptions.hpp>
#include <robots/base/json_writer.hpp>
#include <robots/base/random.hpp>
#include <robots/base/work_queue.hpp>
#include <robots/fetch/call_options.hpp>
#include <robots/fetch/exchange.hpp>
#include <robots/fetch/outcome.hpp>
#include <robots/http/charset.hpp>
#include <robots/http/host.hpp>
#include <robots/observe/detail/guessed_lines.hpp>
#include <robots/observe/event_text.hpp>
#include <robots/observe/json_log.hpp>
#include <robots/policy/decision.hpp>
#include <robots/policy/decision_reason.hpp>
#include <robots/policy/policy.hpp>
#include <robots/policy/record.hpp>
#include <robots/rep/read/diagnostic.hpp>
#include <robots/rep/read/file_findings.hpp>
#include <robots/time/clock.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <optional>
#include <ostream>
#include <stdexcept>
#include <string>
#include <utility>

namespace robots {

namespace observe_detail {

using enum log_level;

/// A function object that returns the log level of an event.
struct event_level {
  log_level denied;  // the level of decisions that deny

  log_level operator()(const event_base& /*event*/) const { return info; }
  log_level operator()(const look_up_event& event) const {
    return event.result == look_up_result::miss ? info : debug;
  }
  log_level operator()(const exchange_event& event) const {
    const detail::exchange& ended = event.exchange;
    const bool failed =
        ended.error != fetch_error::none ||
        (ended.status >= 400 && detail::outcome_of(ended.status) != outcome::not_found);
    return failed ? warn : info;
  }
  log_level operator()(const parse_event& event) const {
    const record_head source = event.policy.last_retrieval();
    const file_findings found = event.policy.findings();
    const bool odd = found.lines.malformed > 0 || has_dead_pattern(found) ||
                     observe_detail::guessed_lines::in(found).count > 0 ||
                     source.charset != detail::charset::utf_8 || event.invalid_utf8;
    if (source.outcome == outcome::malformed) {
      return critical;
    }
    return odd ? warn : info;
  }
  /// Returns true if a rule begins with neither `/` nor `*`, so that it has no effect.
  static bool has_dead_pattern(const file_findings& found) {
    return std::any_of(found.diagnostics.begin(), found.diagnostics.end(),
                       [](const diagnostic& finding) {
                         return finding.code == diagnostic_code::pattern_never_matches;
                       });
  }
  log_level operator()(const retrieval_event& event) const {
    const outcome got = event.policy.outcome();
    const bool failed = !detail::is_successful(got) && got != outcome::cancelled;
    if (got == outcome::malformed) {
      return critical;
    }
    return failed ? error : info;
  }
  log_level operator()(const fallback_event& /*event*/) const { return error; }
  log_level operator()(const decision& decided) const {
    const log_level usual = decided.allowed ? info : denied;
    const bool failed =
        decided.reason == decision_reason::fallback &&
        (decided.policy == nullptr || decided.policy->outcome() != outcome::cancelled);
    return failed ? (std::max)(usual, error) : usual;
  }
  log_level operator()(const decision_event& event) const { return (*this)(event.decision); }
  log_level operator()(const admission_event& event) const { return (*this)(event.decision); }
  log_level operator()(const policy_change_event& event) const {
    if (event.turned_hostile) {
      return critical;
    }
    return event.fast ? error : info;
  }
  log_level operator()(const access_revoked_event& /*event*/) const { return critical; }
  log_level operator()(const licence_demanded_event& /*event*/) const { return warn; }
  log_level operator()(const halt_event& event) const { return event.resumed ? info : critical; }
  log_level operator()(const sign_off_event& event) const { return event.awaited ? warn : info; }
  log_level operator()(const breaker_event& event) const {
    return event.state == breaker_state::open ? warn : info;
  }
  log_level operator()(const drop_event& /*event*/) const { return debug; }
  log_level operator()(const quarantine_event& event) const {
    return event.released ? info : critical;
  }
  log_level operator()(const far_store_event& event) const { return event.up ? info : error; }
  log_level operator()(const ledger_event& event) const { return event.up ? info : error; }
  log_level operator()(const lost_invalidation_event& /*event*/) const { return error; }
};

}  // namespace observe_detail

struct JsonLog::state {
  using queue = base::work_queue<std::string>;

  state(JsonLog::line_sink to, const json_log_options& user_options)
      : options{user_options}, sink{std::move(to)} {
    if (!sink) {
      throw std::invalid_argument{
          "JsonLog: the sink is an empty function: give one that can be called"};
    }
    base::require(options.decision_share >= 0 && options.decision_share <= 1,
                  "json_log_options::decision_share", options.decision_share,
                  ": use a number from 0 to 1");
    if (options.queue_bytes > 0) {
      lines.emplace(options.queue_bytes, [this](queue::work& now) {
        for (std::string& line : now.items) {
          put(line);
        }
        return std::nullopt;
      });
    }
  }

  /// Passes `line` to the sink. `line` is a JSON object with at least one member, since `put` may
  /// add a comma and another member.
  void put(std::string& line) noexcept {
    try {
      const std::uint64_t all_lost = lost.load();
      if (all_lost != reported) {
        line.back() = ',';
        line.append("\"lost\":").append(std::to_string(all_lost - reported)).append("}");
      }
      line += '\n';
      sink(line);
      reported = all_lost;
      ++written;
    } catch (...) {
      ++lost;
    }
  }

  const json_log_options options;
  const JsonLog::line_sink sink;
  base::counter_random random{std::nullopt};
  std::atomic<std::uint64_t> written = 0;
  std::atomic<std::uint64_t> lost = 0;
  std::uint64_t reported = 0;  // lost lines that the log has reported; only `put` uses it
  std::mutex mutex;            // held during a call to the sink if there is no queue
  std::optional<queue> lines;  // declared last, so that its thread ends first
};

ROBOTS_INLINE JsonLog::JsonLog(JsonLog::line_sink sink, const json_log_options& options)
    : state_{std::make_shared<state>(std::move(sink), options)} {}

ROBOTS_INLINE JsonLog::JsonLog(std::ostream& stream, const json_log_options& options)
    : JsonLog{[&stream, is_torn = false](std::string_view line) mutable {
                stream.clear();
                if (is_torn) {
                  stream.put('\n');
                }
                stream.write(line.data(), static_cast<std::streamsize>(line.size())).flush();
                is_torn = !stream.good();
                if (is_torn) {
                  throw std::runtime_error{
                      "JsonLog: a line cannot be written: check the file and its disk"};
                }
              },
              options} {}

ROBOTS_INLINE JsonLog::counts JsonLog::stats() const noexcept {
  return {.written = state_->written.load(), .lost = state_->lost.load()};
}

ROBOTS_INLINE void JsonLog::flush() const {
  if (state_->lines) {
    static_cast<void>(state_->lines->flush((std::chrono::milliseconds::max)()));
  }
}

ROBOTS_INLINE void JsonLog::on(const any_event& event) const {
  const json_log_options& options = state_->options;
  const log_level level = event.visit(observe_detail::event_level{options.denied_level});
  if (level < options.least) {
    return;
  }
  const auto* const decided = event.get_if<decision_event>();
  const auto* const admitted = event.get_if<admission_event>();
  if (decided != nullptr || admitted != nullptr) {
    const decision& answer = decided != nullptr ? decided->decision : admitted->decision;
    if (answer.reason != decision_reason::fallback &&
        state_->random.draw() >= options.decision_share) {
      return;
    }
  }
  const event_base& common = event.base();
  base::json_writer line{options.text_bytes};
  line.text("timestamp", date_text(common.time())).text("level", to_string(level));
  line.text("event", event.visit([](const auto& typed) { return typed.name; }));
  if (!common.site.empty()) {
    line.text("site", common.site).text("domain", host_of(common.site));
  }
  if (!common.crawler.empty()) {
    line.text("crawler", common.crawler);
  }
  if (common.context != nullptr && !common.context->trace_id.empty()) {
    line.long_text("trace_id", common.context->trace_id);
  }
  if (common.context != nullptr && !common.context->span_id.empty()) {
    line.long_text("span_id", common.context->span_id);
  }
  const std::string message = detail::describe(line, event);
  line.long_text("message", message);
  std::string text = std::move(line).finish();
  if (state_->lines) {
    const std::size_t size = sizeof(std::string) + text.size();
    state_->lost += state_->lines->push(std::move(text), size) ? 0U : 1U;
  } else {
    const std::scoped_lock lock{state_->mutex};
    state_->put(text);
  }
}

}  // namespace robots

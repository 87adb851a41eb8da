#pragma once

#include <robots/base/config.hpp>
#include <robots/base/sampler.hpp>
#include <robots/fetch/call_options.hpp>
#include <robots/fetch/circuit_breaker.hpp>
#include <robots/fetch/outcome.hpp>
#include <robots/http/charset.hpp>
#include <robots/http/host.hpp>
#include <robots/http/message.hpp>
#include <robots/observe/detail/line_limit.hpp>
#include <robots/observe/detail/line_output.hpp>
#include <robots/observe/json_log.hpp>
#include <robots/policy/decision.hpp>
#include <robots/policy/decision_reason.hpp>
#include <robots/policy/policy.hpp>
#include <robots/policy/record.hpp>
#include <robots/time/wall_time.hpp>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <ostream>
#include <stdexcept>

namespace robots {

namespace observe_detail {

[[nodiscard]] inline JsonLog::line_sink checked(JsonLog::line_sink sink,
                                                const json_log_options& options) {
  if (!sink) {
    throw std::invalid_argument{"JsonLog: give a sink that can be called"};
  }
  if (!(options.decision_share >= 0 && options.decision_share <= 1)) {
    throw std::invalid_argument{"json_log_options::decision_share: give a share from 0 to 1"};
  }
  return sink;
}

/// The rest of a partly written line comes before the next line.
[[nodiscard]] inline JsonLog::line_sink ending_torn_lines(
    std::function<bool(std::string_view)> write) {
  return [write = std::move(write), torn = false](std::string_view line) mutable {
    torn = !((!torn || write("\n")) && write(line));
    if (torn) {
      throw std::runtime_error{"the line could not be written"};
    }
  };
}

}  // namespace observe_detail

struct JsonLog::state {
  state(JsonLog::line_sink sink, const json_log_options& given)
      : options{given},
        sample{given.decision_share},
        limit{given},
        output{std::move(sink), given.queue_bytes} {}

  const json_log_options options;
  const base::sampler sample;
  observe_detail::line_limit limit;
  observe_detail::line_output output;
};

ROBOTS_INLINE JsonLog::JsonLog(JsonLog::line_sink sink, const json_log_options& options)
    : state_{std::make_shared<state>(observe_detail::checked(std::move(sink), options), options)} {}

ROBOTS_INLINE JsonLog::JsonLog(std::ostream& stream, const json_log_options& options)
    : JsonLog{observe_detail::ending_torn_lines([&stream](std::string_view text) {
                stream.clear();
                stream.write(text.data(), static_cast<std::streamsize>(text.size())).flush();
                return stream.good();
              }),
              options} {}

ROBOTS_INLINE JsonLog::JsonLog(std::FILE* file, const json_log_options& options)
    : JsonLog{observe_detail::ending_torn_lines([file](std::string_view text) {
                std::clearerr(file);
                return std::fwrite(text.data(), 1, text.size(), file) == text.size() &&
                       std::fflush(file) == 0;
              }),
              options} {}

ROBOTS_INLINE JsonLog::counts JsonLog::stats() const noexcept {
  return {.written = state_->output.written(),
          .lost = state_->output.lost(),
          .suppressed = state_->limit.suppressed()};
}

ROBOTS_INLINE void JsonLog::flush() const { state_->output.flush(); }

ROBOTS_INLINE bool JsonLog::is_wanted(log_level level) const noexcept {
  return level >= state_->options.least;
}

ROBOTS_INLINE bool JsonLog::is_sampled(const decision& decided) const noexcept {
  return decided.reason == decision_reason::fallback || state_->sample.takes();
}

ROBOTS_INLINE void JsonLog::write(base::json_writer line) const {
  state_->output.add(std::move(line).finish());
}

ROBOTS_INLINE log_level JsonLog::level_of(const exchange_event& event) {
  const detail::exchange& answer = event.exchange;
  const bool failed =
      answer.error != fetch_error::none ||
      (answer.status >= 400 && detail::outcome_of(answer.status) != outcome::not_found);
  return failed ? warn : info;
}

ROBOTS_INLINE log_level JsonLog::level_of(const parse_event& event) {
  const record_head& source = event.policy.source();
  const bool odd = event.policy.lines().malformed > 0 || source.charset != detail::charset::utf_8 ||
                   event.invalid_utf8;
  return source.outcome == outcome::malformed ? critical : odd ? warn : info;
}

ROBOTS_INLINE log_level JsonLog::level_of(const retrieval_event& event) {
  const outcome got = event.policy.outcome();
  const bool failed = !detail::is_successful(got) && got != outcome::cancelled;
  return got == outcome::malformed ? critical : failed ? error : info;
}

ROBOTS_INLINE bool JsonLog::is_default_allow(const decision& decided) noexcept {
  return decided.allowed && decided.reason == decision_reason::fallback;
}

ROBOTS_INLINE log_level JsonLog::level_of(const decision& decided) const {
  const log_level usual = decided.allowed ? info : state_->options.denied_level;
  return decided.reason == decision_reason::fallback ? (std::max)(usual, error) : usual;
}

ROBOTS_INLINE std::optional<base::json_writer> JsonLog::begin(log_level level,
                                                              std::string_view name,
                                                              const event& event,
                                                              bool is_limited) const {
  const wall_time now = event.time();
  const std::optional<std::uint64_t> suppressed =
      is_limited ? state_->limit.admit(name, event.site, now) : 0;
  if (!suppressed) {
    return std::nullopt;
  }
  base::json_writer line{state_->options.text_bytes};
  line.text("timestamp", date_text(now)).text("level", to_string(level)).text("event", name);
  if (!event.site.empty()) {
    line.text("site", event.site).text("domain", host_of(event.site));
  }
  if (!event.crawler.empty()) {
    line.text("crawler", event.crawler);
  }
  if (event.context != nullptr && !event.context->trace_id.empty()) {
    line.long_text("trace_id", event.context->trace_id);
  }
  if (event.context != nullptr && !event.context->span_id.empty()) {
    line.long_text("span_id", event.context->span_id);
  }
  if (*suppressed > 0) {
    line.number("suppressed", *suppressed);
  }
  if (const std::uint64_t elsewhere = state_->limit.take_forgotten(); elsewhere > 0) {
    line.number("suppressed_elsewhere", elsewhere);
  }
  return line;
}

}  // namespace robots

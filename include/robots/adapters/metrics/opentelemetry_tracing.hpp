#pragma once

#include <robots/adapters/metrics/opentelemetry_context.hpp>
#include <robots/fetch/outcome.hpp>
#include <robots/http/message.hpp>
#include <robots/observe/events.hpp>
#include <robots/observe/observer.hpp>
#include <robots/policy/decision.hpp>
#include <robots/policy/policy.hpp>
#include <robots/policy/record.hpp>

#include <opentelemetry/common/attribute_value.h>
#include <opentelemetry/common/timestamp.h>
#include <opentelemetry/nostd/shared_ptr.h>
#include <opentelemetry/trace/span.h>
#include <opentelemetry/trace/span_context.h>
#include <opentelemetry/trace/span_metadata.h>
#include <opentelemetry/trace/span_startoptions.h>
#include <opentelemetry/trace/tracer.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>

namespace robots {

/// An observer that makes spans for the work of a call, as children of the caller's span. See
/// `opentelemetry_context`. Makes no spans for a call without a trace.
///
/// | span           | work                                                        |
/// |----------------|-------------------------------------------------------------|
/// | `robots.fetch` | a retrieval, and in it a client span `GET` for each request |
/// | `robots.parse` | parsing a file                                              |
/// | `robots.check` | a decision, with `robots.blocked`, the reason and the rule  |
/// | `robots.admit` | the wait at a gate, with the answer of the gate             |
///
/// Makes each span after the work has ended, and gives the span the start time of the work. Copies
/// use the same tracer. Any thread may call any copy.
class OpenTelemetryTracing {
 public:
  /// Makes spans with `tracer`, which must not be null.
  explicit OpenTelemetryTracing(
      opentelemetry::nostd::shared_ptr<opentelemetry::trace::Tracer> tracer)
      : tracer_(std::move(tracer)) {}

  /// Makes the spans of a retrieval and of its requests.
  void on(const retrieval_event& event) {
    const span_context parent = adapters_detail::span_of(event.context);
    if (!parent.IsValid()) {
      return;
    }
    const record_head& source = event.policy.source();
    past_span span{*tracer_, "robots.fetch", parent, event, event.duration};
    span.set("robots.site", event.site);
    span.set("url.full", source.url);
    span.set("robots.outcome", to_string(source.outcome));
    span.set("robots.basis", to_string(event.policy.basis()));
    span.set("robots.attempts", std::int64_t{source.attempts});
    if (!detail::is_successful(source.outcome)) {
      span.fail(source.error_text);
    }
    if (event.exchanges != nullptr) {
      for (const exchange_event& exchange : *event.exchanges) {
        tell(exchange, span.context());
      }
    }
  }
  /// Makes the span of parsing a file.
  void on(const parse_event& event) {
    const span_context parent = adapters_detail::span_of(event.context);
    if (parent.IsValid()) {
      past_span span{*tracer_, "robots.parse", parent, event, event.duration};
      span.set("robots.site", event.site);
      span.set("robots.rules", static_cast<std::int64_t>(event.policy.rules().size()));
      span.set("robots.malformed_lines", std::int64_t{event.policy.lines().malformed});
    }
  }
  /// Makes the span of a decision.
  void on(const decision_event& event) {
    const span_context parent = adapters_detail::span_of(event.context);
    if (!parent.IsValid()) {
      return;
    }
    const decision& answer = event.decision;
    past_span span{*tracer_, "robots.check", parent, event, {}};
    span.set("robots.site", event.site);
    span.set("url.full", event.url);
    span.set("robots.blocked", !answer.allowed);
    span.set("robots.reason", to_string(answer.reason));
    span.set("robots.from_cache", answer.from_cache);
    if (answer.verdict.pattern) {
      span.set("robots.rule", *answer.verdict.pattern);
      span.set("robots.rule.line", std::int64_t{answer.verdict.line});
    }
    if (answer.policy) {
      span.set("robots.policy.version", static_cast<std::int64_t>(answer.policy->version()));
    }
  }
  /// Makes the span of a gate's answer.
  void on(const admission_event& event) {
    const span_context parent = adapters_detail::span_of(event.context);
    if (parent.IsValid()) {
      past_span span{*tracer_, "robots.admit", parent, event, event.waited};
      span.set("robots.site", event.site);
      span.set("url.full", event.url);
      span.set("robots.reason", to_string(event.reason));
    }
  }

 private:
  using span_context = opentelemetry::trace::SpanContext;
  using span_kind = opentelemetry::trace::SpanKind;

  /// Makes a span for work that has ended. `duration` is the time that the work took, and `ended`
  /// is the time since the end of the work.
  class past_span {
   public:
    past_span(opentelemetry::trace::Tracer& tracer, std::string_view name,
              const span_context& parent, const event_base& event,
              std::chrono::nanoseconds duration, std::chrono::nanoseconds ended = {},
              span_kind kind = span_kind::kInternal) {
      const auto began = (std::max)(duration, std::chrono::nanoseconds{0}) + ended;
      const auto steady = std::chrono::steady_clock::now();
      opentelemetry::trace::StartSpanOptions options;
      options.parent = parent;
      options.kind = kind;
      options.start_system_time = opentelemetry::common::SystemTimestamp{
          std::chrono::time_point_cast<std::chrono::system_clock::duration>(event.time() - began)};
      options.start_steady_time = opentelemetry::common::SteadyTimestamp{steady - began};
      end_.end_steady_time = opentelemetry::common::SteadyTimestamp{steady - ended};
      span_ = tracer.StartSpan(adapters_detail::text_of(name), options);
    }
    past_span(const past_span&) = delete;
    past_span& operator=(const past_span&) = delete;
    ~past_span() { span_->End(end_); }

    void set(std::string_view name, std::string_view value) {
      set_any(name, adapters_detail::text_of(value));
    }
    void set(std::string_view name, std::int64_t value) { set_any(name, value); }
    void set(std::string_view name, bool value) { set_any(name, value); }
    void fail(std::string_view why) {
      span_->SetStatus(opentelemetry::trace::StatusCode::kError, adapters_detail::text_of(why));
    }
    [[nodiscard]] span_context context() const { return span_->GetContext(); }

   private:
    void set_any(std::string_view name, const opentelemetry::common::AttributeValue& value) {
      span_->SetAttribute(adapters_detail::text_of(name), value);
    }

    opentelemetry::nostd::shared_ptr<opentelemetry::trace::Span> span_;
    opentelemetry::trace::EndSpanOptions end_;
  };

  /// Makes the span of a request, according to OpenTelemetry's semantic conventions for HTTP
  /// clients.
  void tell(const exchange_event& event, const span_context& parent) {
    const detail::exchange& asked = event.exchange;
    past_span span{*tracer_, "GET", parent, event, event.duration, event.ended, span_kind::kClient};
    span.set("http.request.method", std::string_view{"GET"});
    span.set("url.full", asked.url);
    if (event.attempt > 1) {
      span.set("http.request.resend_count", std::int64_t{event.attempt} - 1);
    }
    if (asked.error != fetch_error::none) {
      span.set("error.type", to_string(asked.error));
      span.fail({});
      return;
    }
    span.set("http.response.status_code", std::int64_t{asked.status});
    span.set("http.response.body.size", static_cast<std::int64_t>(event.bytes));
    if (asked.status >= 400) {
      span.fail({});
    }
  }

  opentelemetry::nostd::shared_ptr<opentelemetry::trace::Tracer> tracer_;
};

static_assert(Observer<OpenTelemetryTracing>);

}  // namespace robots

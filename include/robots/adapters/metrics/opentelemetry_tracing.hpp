#pragma once

#include <robots/fetch/call_options.hpp>
#include <robots/fetch/exchange.hpp>
#include <robots/fetch/outcome.hpp>
#include <robots/http/message.hpp>
#include <robots/observe/events.hpp>
#include <robots/observe/observer.hpp>
#include <robots/policy/decision.hpp>
#include <robots/policy/policy.hpp>
#include <robots/policy/record.hpp>

#include <opentelemetry/common/timestamp.h>
#include <opentelemetry/nostd/shared_ptr.h>
#include <opentelemetry/nostd/string_view.h>
#include <opentelemetry/trace/propagation/http_trace_context.h>
#include <opentelemetry/trace/span.h>
#include <opentelemetry/trace/span_context.h>
#include <opentelemetry/trace/span_id.h>
#include <opentelemetry/trace/span_metadata.h>
#include <opentelemetry/trace/span_startoptions.h>
#include <opentelemetry/trace/trace_flags.h>
#include <opentelemetry/trace/trace_id.h>
#include <opentelemetry/trace/tracer.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace robots {

/// The OpenTelemetry span of a call, for `call_options::context`. All work for a call with this
/// context belongs to the trace of the span, whatever thread does the work.
///
///     cache.check(url, {.context = robots::opentelemetry_context::current()});
struct opentelemetry_context final : call_context {
  opentelemetry::trace::SpanContext span;  ///< the caller's span

  /// Makes a call context from `of`, the OpenTelemetry context of a span.
  explicit opentelemetry_context(const opentelemetry::trace::SpanContext& of)
      : call_context(hex_of(of.trace_id()), hex_of(of.span_id())), span(of) {}

  /// Makes the context of this thread's active span, or returns null if there is none.
  [[nodiscard]] static std::shared_ptr<const call_context> current() {
    const auto active = opentelemetry::trace::Tracer::GetCurrentSpan()->GetContext();
    return active.IsValid() ? std::make_shared<const opentelemetry_context>(active) : nullptr;
  }

 private:
  template <class Id>
  [[nodiscard]] static std::string hex_of(const Id& id) {
    char digits[2 * Id::kSize];
    id.ToLowerBase16(digits);
    return {digits, sizeof(digits)};
  }
};

/// The options of an `OpenTelemetryTracing`.
struct opentelemetry_tracing_options {
  /// If true, work for a call without a valid span makes root spans. Then each decision is a trace,
  /// and so is each fetch, which can serve several calls. Use a sampler to limit their number.
  bool root_spans = false;
};

/// An observer that makes spans for the work of a call, as children of the caller's span. See
/// `opentelemetry_context`. If neither the call nor the thread has a valid span,
/// `opentelemetry_tracing_options::root_spans` decides.
///
/// | span           | work                                                        |
/// |----------------|-------------------------------------------------------------|
/// | `robots.fetch` | a retrieval, and in it a client span `GET` for each request |
/// | `robots.parse` | parsing a file                                              |
/// | `robots.check` | a decision, with attributes such as `robots.blocked`        |
/// | `robots.admit` | the wait at a gate, with the answer of the gate             |
///
/// Makes each span after the work has ended, and gives the span the start time of the work. Copies
/// use the same tracer. Any thread may call any copy.
class OpenTelemetryTracing {
 public:
  /// Makes spans with `tracer`, which must not be null.
  explicit OpenTelemetryTracing(
      opentelemetry::nostd::shared_ptr<opentelemetry::trace::Tracer> tracer,
      const opentelemetry_tracing_options& options = {})
      : tracer_(std::move(tracer)), options_(options) {}

  /// Makes the spans of a retrieval and of its requests.
  void on(const retrieval_event& event) {
    trace("robots.fetch", span_of(event.context), event, event.duration, [&](span_type& span) {
      const record_head& source = event.policy.last_retrieval();
      span.SetAttribute("robots.site", text_of(event.site));
      span.SetAttribute("url.full", text_of(source.url));
      span.SetAttribute("robots.outcome", text_of(to_string(source.outcome)));
      span.SetAttribute("robots.basis", text_of(to_string(event.policy.basis())));
      span.SetAttribute("robots.attempts", std::int64_t{source.attempts});
      if (!detail::is_successful(source.outcome)) {
        span.SetStatus(status::kError, text_of(source.error_text));
      }
      if (event.exchanges != nullptr) {
        for (const exchange_event& exchange : *event.exchanges) {
          trace_request(exchange, span.GetContext());
        }
      }
    });
  }
  /// Makes the span of parsing a file.
  void on(const parse_event& event) {
    trace("robots.parse", span_of(event.context), event, event.duration, [&](span_type& span) {
      span.SetAttribute("robots.site", text_of(event.site));
      span.SetAttribute("robots.rules", static_cast<std::int64_t>(event.policy.rules().size()));
      span.SetAttribute("robots.malformed_lines", std::int64_t{event.policy.lines().malformed});
    });
  }
  /// Makes the span of a decision.
  void on(const decision_event& event) {
    trace("robots.check", span_of(event.context), event, {}, [&](span_type& span) {
      const decision& answer = event.decision;
      span.SetAttribute("robots.site", text_of(event.site));
      span.SetAttribute("url.full", text_of(event.url));
      span.SetAttribute("robots.blocked", !answer.allowed);
      span.SetAttribute("robots.reason", text_of(to_string(answer.reason)));
      span.SetAttribute("robots.from_cache", answer.from_cache);
      if (answer.verdict.pattern) {
        span.SetAttribute("robots.rule", text_of(*answer.verdict.pattern));
        span.SetAttribute("robots.rule.line", std::int64_t{answer.verdict.line});
      }
      if (answer.policy) {
        span.SetAttribute("robots.policy.version",
                          static_cast<std::int64_t>(answer.policy->version()));
      }
    });
  }
  /// Makes the span of a call that waits at the gate of a `basic_admission`.
  void on(const admission_event& event) {
    trace("robots.admit", span_of(event.context), event, event.waited, [&](span_type& span) {
      span.SetAttribute("robots.site", text_of(event.site));
      span.SetAttribute("url.full", text_of(event.url));
      span.SetAttribute("robots.reason", text_of(to_string(event.reason)));
    });
  }

 private:
  using span_type = opentelemetry::trace::Span;
  using span_context = opentelemetry::trace::SpanContext;
  using span_kind = opentelemetry::trace::SpanKind;
  using status = opentelemetry::trace::StatusCode;

  /// Converts a text for OpenTelemetry. The pointer in the result is never null, since the SDK uses
  /// the pointer even if the text is empty.
  [[nodiscard]] static opentelemetry::nostd::string_view text_of(std::string_view from) noexcept {
    return from.empty() ? opentelemetry::nostd::string_view{""}
                        : opentelemetry::nostd::string_view{from.data(), from.size()};
  }

  /// Returns the span of a call. If `context` is an `opentelemetry_context`, returns the span in
  /// it. If `context` has another type and valid `trace_id` and `span_id`, returns a sampled span
  /// with these ids. Otherwise, returns this thread's active span, which can be invalid.
  [[nodiscard]] static span_context span_of(const call_context* context) {
    namespace trace = opentelemetry::trace;
    if (const auto* own = dynamic_cast<const opentelemetry_context*>(context)) {
      return own->span;
    }
    if (context != nullptr && context->trace_id.size() == 2 * trace::TraceId::kSize &&
        context->span_id.size() == 2 * trace::SpanId::kSize) {
      using identifiers = trace::propagation::HttpTraceContext;
      const span_context remote{identifiers::TraceIdFromHex(context->trace_id),
                                identifiers::SpanIdFromHex(context->span_id),
                                trace::TraceFlags{trace::TraceFlags::kIsSampled}, true};
      if (remote.IsValid()) {
        return remote;
      }
    }
    return trace::Tracer::GetCurrentSpan()->GetContext();
  }

  /// Makes the span of a request, according to OpenTelemetry's semantic conventions for HTTP
  /// clients.
  void trace_request(const exchange_event& event, const span_context& parent) {
    const auto fill = [&](span_type& span) {
      const detail::exchange& asked = event.exchange;
      span.SetAttribute("http.request.method", "GET");
      span.SetAttribute("url.full", text_of(asked.url));
      if (event.attempt > 1) {
        span.SetAttribute("http.request.resend_count", std::int64_t{event.attempt} - 1);
      }
      if (asked.error != fetch_error::none) {
        span.SetAttribute("error.type", text_of(to_string(asked.error)));
      } else {
        span.SetAttribute("http.response.status_code", std::int64_t{asked.status});
        span.SetAttribute("http.response.body.size", static_cast<std::int64_t>(event.bytes));
      }
      if (asked.error != fetch_error::none || asked.status >= 400) {
        span.SetStatus(status::kError, "");
      }
    };
    trace("GET", parent, event, event.duration, fill, event.ended, span_kind::kClient);
  }

  /// If `parent` is valid or may be missing, makes a span for work that has ended, and calls `fill`
  /// with the span.
  /// `duration` is how long the work took. `ended` is how long ago the work ended.
  template <class Fill>
  void trace(const char* name, const span_context& parent, const event_base& event,
             std::chrono::nanoseconds duration, const Fill& fill,
             std::chrono::nanoseconds ended = {}, span_kind kind = span_kind::kInternal) {
    if (!parent.IsValid() && !options_.root_spans) {
      return;
    }
    const auto began = (std::max)(duration, std::chrono::nanoseconds{0}) + ended;
    const auto now = std::chrono::steady_clock::now();
    opentelemetry::trace::StartSpanOptions start;
    start.parent = parent;
    start.kind = kind;
    start.start_system_time = opentelemetry::common::SystemTimestamp{
        std::chrono::time_point_cast<std::chrono::system_clock::duration>(event.time() - began)};
    start.start_steady_time = opentelemetry::common::SteadyTimestamp{now - began};
    opentelemetry::trace::EndSpanOptions end;
    end.end_steady_time = opentelemetry::common::SteadyTimestamp{now - ended};
    const auto span = tracer_->StartSpan(name, start);
    fill(*span);
    span->End(end);
  }

  opentelemetry::nostd::shared_ptr<opentelemetry::trace::Tracer> tracer_;
  opentelemetry_tracing_options options_;
};

static_assert(Observer<OpenTelemetryTracing>);

}  // namespace robots

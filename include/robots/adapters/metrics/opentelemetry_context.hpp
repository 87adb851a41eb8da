#pragma once

#include <robots/fetch/call_options.hpp>

#include <opentelemetry/nostd/string_view.h>
#include <opentelemetry/trace/propagation/http_trace_context.h>
#include <opentelemetry/trace/span.h>
#include <opentelemetry/trace/span_context.h>
#include <opentelemetry/trace/span_id.h>
#include <opentelemetry/trace/trace_flags.h>
#include <opentelemetry/trace/trace_id.h>
#include <opentelemetry/trace/tracer.h>

#include <memory>
#include <string>
#include <string_view>

namespace robots {

/// The OpenTelemetry span of a call, for `call_options::context`. All work for a call with this
/// context belongs to the trace of the span, in any thread.
///
///     cache.check(url, {.context = robots::opentelemetry_context::current()});
struct opentelemetry_context final : call_context {
  opentelemetry::trace::SpanContext span;  ///< the caller's span

  /// Makes the context of the span `of`.
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

namespace adapters_detail {

/// Converts a text for OpenTelemetry. The pointer in the result is never null, since the SDK reads
/// the pointer even if the text is empty.
[[nodiscard]] inline opentelemetry::nostd::string_view text_of(std::string_view from) noexcept {
  return from.empty() ? opentelemetry::nostd::string_view{""}
                      : opentelemetry::nostd::string_view{from.data(), from.size()};
}

/// Returns the span of a call. If `context` is an `opentelemetry_context`, returns the span in it.
/// If `context` has another type and valid `trace_id` and `span_id`, returns a sampled span of
/// them. Otherwise, returns this thread's active span, which can be invalid.
[[nodiscard]] inline opentelemetry::trace::SpanContext span_of(const call_context* context) {
  namespace trace = opentelemetry::trace;
  if (const auto* own = dynamic_cast<const opentelemetry_context*>(context)) {
    return own->span;
  }
  if (context != nullptr && context->trace_id.size() == 2 * trace::TraceId::kSize &&
      context->span_id.size() == 2 * trace::SpanId::kSize) {
    using identifiers = trace::propagation::HttpTraceContext;
    const trace::SpanContext remote{identifiers::TraceIdFromHex(context->trace_id),
                                    identifiers::SpanIdFromHex(context->span_id),
                                    trace::TraceFlags{trace::TraceFlags::kIsSampled}, true};
    if (remote.IsValid()) {
      return remote;
    }
  }
  return trace::Tracer::GetCurrentSpan()->GetContext();
}

}  // namespace adapters_detail

}  // namespace robots

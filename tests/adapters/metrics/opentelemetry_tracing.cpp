#include <robots/adapters/metrics/opentelemetry_tracing.hpp>

#include "cache/cache_fixture.hpp"
#include <robots/cache/basic_robots_cache.hpp>
#include <robots/polite/admission.hpp>
#include <robots/polite/host_gate.hpp>

#include <doctest/doctest.h>
#include <opentelemetry/exporters/memory/in_memory_span_exporter_factory.h>
#include <opentelemetry/nostd/variant.h>
#include <opentelemetry/sdk/trace/simple_processor_factory.h>
#include <opentelemetry/sdk/trace/span_data.h>
#include <opentelemetry/sdk/trace/tracer_provider_factory.h>
#include <opentelemetry/trace/provider.h>
#include <opentelemetry/trace/scope.h>

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace {

using namespace std::chrono_literals;
using opentelemetry::sdk::trace::SpanData;
using robots::call_options;
using robots::ManualClock;
using robots::opentelemetry_context;
using robots::OpenTelemetryTracing;
using robots::ScriptedFetcher;
using robots::test::foo_bot;
using robots::test::ok;

using traced_cache = robots::basic_robots_cache<ScriptedFetcher, ManualClock, robots::LruStorage<8>,
                                                OpenTelemetryTracing>;

/// A cache with a tracer that keeps its spans in memory.
struct traced {
  explicit traced(robots::cache_options options = foo_bot(),
                  const robots::opentelemetry_tracing_options& tracing = {})
      : provider(opentelemetry::sdk::trace::TracerProviderFactory::Create(
            opentelemetry::sdk::trace::SimpleSpanProcessorFactory::Create(
                opentelemetry::exporter::memory::InMemorySpanExporterFactory::Create(spans,
                                                                                     1'000)))),
        tracer(provider->GetTracer("test")),
        cache(std::move(options), web, clock, {}, OpenTelemetryTracing{tracer, tracing}) {}

  /// Returns the last span of each name that has ended since the last call.
  std::map<std::string, std::unique_ptr<SpanData>> take() {
    std::map<std::string, std::unique_ptr<SpanData>> by_name;
    for (auto& span : spans->GetSpans()) {
      by_name.insert_or_assign(std::string{span->GetName()}, std::move(span));
    }
    return by_name;
  }

  std::shared_ptr<opentelemetry::exporter::memory::InMemorySpanData> spans;
  std::unique_ptr<opentelemetry::trace::TracerProvider> provider;
  opentelemetry::nostd::shared_ptr<opentelemetry::trace::Tracer> tracer;
  ScriptedFetcher web;
  ManualClock clock;
  traced_cache cache;
};

template <class T>
T attribute(const SpanData& of, const std::string& name) {
  const auto found = of.GetAttributes().find(name);
  REQUIRE_MESSAGE(found != of.GetAttributes().end(), name);
  return opentelemetry::nostd::get<T>(found->second);
}

}  // namespace

TEST_CASE("The work for one call is one trace, from the gateway to the decision") {
  traced bot;
  bot.web.on_call(robots::test::robots_url, [&bot](const robots::fetch_request&) {
    bot.clock.advance(30ms);
    return ok("User-agent: *\nDisallow: /a\n");
  });
  const auto gateway = bot.tracer->StartSpan("gateway");
  {
    const opentelemetry::trace::Scope active{gateway};
    CHECK_FALSE(bot.cache.allowed("https://example.com/a"));
  }
  gateway->End();

  auto spans = bot.take();
  REQUIRE(spans.size() == 5);
  const SpanData& fetch = *spans.at("robots.fetch");
  const SpanData& get = *spans.at("GET");
  const SpanData& check = *spans.at("robots.check");
  for (const auto& [name, span] : spans) {
    INFO(name);
    CHECK(span->GetTraceId() == gateway->GetContext().trace_id());
    if (name != "gateway" && name != "GET") {
      CHECK(span->GetParentSpanId() == gateway->GetContext().span_id());
    }
  }
  CHECK(get.GetParentSpanId() == fetch.GetSpanId());
  CHECK(get.GetSpanKind() == opentelemetry::trace::SpanKind::kClient);
  CHECK(attribute<std::string>(get, "url.full") == "https://example.com/robots.txt");
  CHECK(attribute<std::int64_t>(get, "http.response.status_code") == 200);
  CHECK(get.GetDuration() == 30ms);
  CHECK(fetch.GetDuration() == 30ms);
  const auto ended =
      std::chrono::duration_cast<std::chrono::nanoseconds>(bot.clock.wall_now().time_since_epoch());
  CHECK(fetch.GetStartTime().time_since_epoch() == ended - 30ms);
  CHECK(attribute<std::string>(fetch, "robots.outcome") == "success");
  CHECK(attribute<std::int64_t>(*spans.at("robots.parse"), "robots.rules") == 1);
  CHECK(attribute<bool>(check, "robots.blocked"));
  CHECK(attribute<std::string>(check, "robots.rule") == "/a");
  CHECK(attribute<std::int64_t>(check, "robots.rule.line") == 2);
  CHECK(attribute<std::string>(check, "url.full") == "https://example.com/a");
}

TEST_CASE("A trace continues in other threads") {
  robots::cache_options options = foo_bot();
  options.stale_while_revalidate = 1h;
  traced bot{options};
  bot.web.otherwise(ok());
  const auto gateway = bot.tracer->StartSpan("gateway");
  std::shared_ptr<const robots::call_context> context;
  {
    const opentelemetry::trace::Scope active{gateway};
    context = opentelemetry_context::current();
  }
  REQUIRE(context);
  std::jthread{[&] {
    CHECK(bot.cache.allowed("https://example.com/", {.context = context}));
  }}.join();
  CHECK(bot.take().size() == 4);

  // A thread of the cache renews the rules.
  bot.clock.advance(24h + 1min);
  CHECK(bot.cache.check("https://example.com/", {.context = context}).stale);
  std::map<std::string, std::unique_ptr<SpanData>> spans;
  while (!spans.contains("robots.fetch")) {
    for (auto& [name, span] : bot.take()) {
      spans.insert_or_assign(name, std::move(span));
    }
    std::this_thread::yield();
  }
  for (const auto& [name, span] : spans) {
    INFO(name);
    CHECK(span->GetTraceId() == gateway->GetContext().trace_id());
  }
  CHECK(spans.at("robots.fetch")->GetParentSpanId() == gateway->GetContext().span_id());
  gateway->End();
}

TEST_CASE("A call that has only the identifiers of a trace continues that trace") {
  traced bot;
  bot.web.otherwise(ScriptedFetcher::status(503));
  const auto context = std::make_shared<robots::call_context>("0af7651916cd43dd8448eb211c80319c",
                                                              "b7ad6b7169203331");
  CHECK_FALSE(bot.cache.allowed("https://example.com/", {.context = context}));
  auto spans = bot.take();
  REQUIRE(spans.size() == 3);
  for (const auto& [name, span] : spans) {
    const opentelemetry_context of{span->GetSpanContext()};
    CHECK(of.trace_id == context->trace_id);
  }
  CHECK(spans.at("robots.fetch")->GetStatus() == opentelemetry::trace::StatusCode::kError);
  CHECK(spans.at("GET")->GetStatus() == opentelemetry::trace::StatusCode::kError);
  CHECK(attribute<std::string>(*spans.at("robots.check"), "robots.reason") == "fallback");
}

TEST_CASE("Work outside a trace makes no span") {
  traced bot;
  bot.web.otherwise(ok());
  CHECK(bot.cache.allowed("https://example.com/"));
  const auto broken = std::make_shared<robots::call_context>("no trace", "0000000000000000");
  CHECK(bot.cache.allowed("https://example.org/", {.context = broken}));
  CHECK(bot.take().empty());
  CHECK(opentelemetry_context::current() == nullptr);
}

TEST_CASE(
    "With root_spans, work outside a trace begins a trace, and requests belong to the fetch") {
  traced bot{foo_bot(), {.root_spans = true}};
  bot.web.otherwise(ok());
  CHECK(bot.cache.allowed("https://example.com/"));
  auto spans = bot.take();
  REQUIRE(spans.size() == 4);
  for (const char* const root : {"robots.fetch", "robots.parse", "robots.check"}) {
    CAPTURE(root);
    CHECK_FALSE(spans.at(root)->GetParentSpanId().IsValid());
  }
  CHECK(spans.at("GET")->GetParentSpanId() == spans.at("robots.fetch")->GetSpanId());
  CHECK(spans.at("GET")->GetTraceId() == spans.at("robots.fetch")->GetTraceId());
  CHECK(spans.at("robots.check")->GetTraceId() != spans.at("robots.fetch")->GetTraceId());

  const auto gateway = bot.tracer->StartSpan("gateway");
  const auto context = std::make_shared<opentelemetry_context>(gateway->GetContext());
  CHECK(bot.cache.allowed("https://example.com/", {.context = context}));
  CHECK(bot.take().at("robots.check")->GetTraceId() == gateway->GetContext().trace_id());
}

TEST_CASE("The span of an admission lasts as long as the wait") {
  traced bot;
  bot.web.otherwise(ok());
  robots::basic_host_gate gate{
      {.delay = {.fixed_delay = 2s}}, bot.clock, OpenTelemetryTracing{bot.tracer}};
  robots::basic_admission front{bot.cache, gate};
  const auto gateway = bot.tracer->StartSpan("gateway");
  const opentelemetry::trace::Scope active{gateway};
  const robots::time_point began = bot.clock.now();
  CHECK(front.admit("https://example.com/", {.context = opentelemetry_context::current()}));
  auto spans = bot.take();
  CHECK(spans.at("robots.admit")->GetDuration() == bot.clock.now() - began);
  CHECK(attribute<std::string>(*spans.at("robots.admit"), "robots.reason") == "go");
}

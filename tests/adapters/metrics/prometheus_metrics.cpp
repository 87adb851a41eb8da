#include <robots/adapters/metrics/prometheus_metrics.hpp>

#include "support/run_program.hpp"
#include <robots/policy/decision.hpp>

#include <doctest/doctest.h>
#include <prometheus/exposer.h>

#include <chrono>
#include <memory>
#include <string>
#include <string_view>

namespace {

using namespace std::chrono_literals;
using robots::decision_reason;

/// Reads a page with the Python client of Prometheus, and prints a line for each sample. The client
/// refuses a page with a wrong format. The assertions are checks that promtool's lint makes.
constexpr const char* scrape = R"(
import sys, urllib.request
from prometheus_client.parser import text_string_to_metric_families
page = urllib.request.urlopen(sys.argv[1], timeout=30).read().decode()
for family in text_string_to_metric_families(page):
    if not family.name.startswith("robots_"):
        continue  # the exposer's own
    assert family.documentation, family.name
    assert family.type in ("counter", "gauge", "histogram"), family.name
    assert (family.name + "_total" in page) == (family.type == "counter"), family.name
    for sample in family.samples:
        labels = ",".join(f'{k}={v}' for k, v in sorted(sample.labels.items()))
        print(f"{family.type} {sample.name}{{{labels}}} {sample.value:g}")
)";

void deny(robots::Metrics& metrics, std::string_view site, decision_reason reason) {
  robots::decision answer;
  answer.reason = reason;
  metrics.on(robots::decision_event{{.site = site}, {}, answer});
}

}  // namespace

TEST_CASE("The Python client of Prometheus reads the page over HTTP") {
  if (std::string_view{ROBOTS_PROMETHEUS_PYTHON}.empty()) {
    MESSAGE("skipped: needs prometheus_client for Python (Debian: python3-prometheus-client)");
    return;
  }
  robots::Metrics metrics{robots::metrics_options{.domains = 1}};
  metrics.on(robots::look_up_event{{.site = "https://a.example"}, robots::look_up_result::hit});
  metrics.on(robots::look_up_event{{.site = "https://b.example"}, robots::look_up_result::hit});
  deny(metrics, "https://a.example", decision_reason::rule);
  deny(metrics, "http://a.example:8080", decision_reason::fallback);
  deny(metrics, "https://b.example:8443", decision_reason::rule);
  const robots::detail::exchange refused{.url = "https://a.example/robots.txt", .status = 403};
  metrics.on(robots::exchange_event{{}, refused, 0ms, 20ms, 7});
  metrics.on(robots::exchange_event{{}, refused, 0ms, 70s});

  prometheus::Exposer exposer{"127.0.0.1:0"};
  robots::cache_stats held;
  held.size = 3;
  const auto exported =
      std::make_shared<robots::PrometheusMetrics>(metrics, [held] { return held; });
  exposer.RegisterCollectable(exported);
  const std::string url =
      "http://127.0.0.1:" + std::to_string(exposer.GetListeningPorts().at(0)) + "/metrics";
  const auto read = robots::test::run_program(ROBOTS_PROMETHEUS_PYTHON, {"-c", scrape, url});
  INFO(read.errors);
  INFO(read.output);
  REQUIRE(read.status == 0);
  const auto has = [&read](const std::string& line) {
    return ("\n" + read.output).find("\n" + line + "\n") != std::string::npos;
  };
  CHECK(has("counter robots_cache_hits_total{kind=fresh} 1"));
  CHECK(has("counter robots_cache_hits_total{domain=a.example,kind=fresh} 1"));
  CHECK(has("counter robots_cache_misses_total{} 0"));
  CHECK(has("counter robots_blocked_requests_total{reason=rule} 1"));
  CHECK(has("counter robots_blocked_requests_total{domain=a.example,reason=rule} 1"));
  CHECK(has("counter robots_blocked_requests_total{domain=a.example,reason=fallback} 1"));
  CHECK(has("counter robots_fetch_responses_total{status=403} 2"));
  CHECK(has("counter robots_fetch_body_bytes_total{} 7"));
  CHECK(has("histogram robots_parse_duration_seconds_count{} 0"));
  CHECK(has("histogram robots_exchange_duration_seconds_bucket{le=0.01} 0"));
  CHECK(has("histogram robots_exchange_duration_seconds_bucket{le=0.025} 1"));
  CHECK(has("histogram robots_exchange_duration_seconds_bucket{le=+Inf} 2"));
  CHECK(has("histogram robots_exchange_duration_seconds_sum{} 70.02"));
  CHECK(has("gauge robots_cache_entries{} 3"));
  CHECK(read.output.find("b.example") == std::string::npos);
}

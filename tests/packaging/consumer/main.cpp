#include <robots/robots.hpp>
#include <robots/testing.hpp>

#include <concepts>
#ifdef CONSUMER_HAS_CURL
#include <robots/adapters/curl/curl_fetcher.hpp>
static_assert(robots::Fetcher<robots::CurlFetcher>);
#endif
#ifdef CONSUMER_HAS_CPR
#include <robots/adapters/cpr/cpr_fetcher.hpp>
static_assert(robots::Fetcher<robots::CprFetcher>);
#endif
#ifdef CONSUMER_HAS_ASIO
#include <robots/adapters/asio/asio_curl_fetcher.hpp>
static_assert(robots::AsyncFetcher<robots::AsioCurlFetcher>);
#endif
#ifdef CONSUMER_HAS_REDIS
#include <robots/adapters/redis/redis_store.hpp>
static_assert(std::derived_from<robots::RedisStore, robots::SharedStore>);
#endif
#ifdef CONSUMER_HAS_SQLITE
#include <robots/adapters/sqlite/sqlite_store.hpp>
static_assert(std::derived_from<robots::SqliteStore, robots::SharedStore>);
#endif
#ifdef CONSUMER_HAS_AUDIT
#include <robots/adapters/audit/audit_trail.hpp>
static_assert(robots::Observer<robots::AuditTrail>);
#endif
#ifdef CONSUMER_HAS_SIGNATURE
#include <robots/adapters/signature/web_bot_auth.hpp>
static_assert(robots::web_bot_auth_options{}.max_hosts == 10'000);
#endif
#ifdef CONSUMER_HAS_HTML
#include <robots/adapters/html/read_html.hpp>
static_assert(robots::html_options{}.max_bytes == 65'536);
#endif
#ifdef CONSUMER_HAS_IDN
#include <robots/adapters/idn/idn_hosts.hpp>
static_assert(noexcept(robots::use_idn()));
bool has_idn() { return robots::idn_to_ascii("\xC3\xBC.example") == "xn--tda.example"; }
#endif
#ifdef CONSUMER_HAS_PROMETHEUS
#include <robots/adapters/metrics/prometheus_metrics.hpp>

#include <prometheus/exposer.h>
// The example in the README links only with robots::prometheus.
prometheus::Exposer expose() { return prometheus::Exposer{"127.0.0.1:0"}; }
static_assert(std::derived_from<robots::PrometheusMetrics, prometheus::Collectable>);
#endif
#ifdef CONSUMER_HAS_OPENTELEMETRY
#include <robots/adapters/metrics/opentelemetry_metrics.hpp>
#include <robots/adapters/metrics/opentelemetry_tracing.hpp>
static_assert(robots::Observer<robots::OpenTelemetryTracing>);
#endif
#ifdef CONSUMER_HAS_REDIS_TLS
#include <robots/adapters/redis/redis_tls.hpp>
static_assert(std::copyable<robots::redis_tls>);
#endif

int main() {
  const auto rules = robots::parse("User-agent: *\nDisallow: /private\n");
  static_assert(robots::Clock<robots::ManualClock>);
  return rules.allows("/public") && !rules.allows("/private/page") ? 0 : 1;
}

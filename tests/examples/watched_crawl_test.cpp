// All observers of the example crawl report the same events, and these events are right.
#include "crawl.hpp"
#include "generated_web.hpp"
#include "polite_options.hpp"
#include "support/run_program.hpp"
#include "support/temporary_folder.hpp"
#include <robots/adapters/audit/audit_trail.hpp>
#include <robots/adapters/metrics/prometheus_metrics.hpp>
#include <robots/observe/json_log.hpp>
#include <robots/observe/metrics.hpp>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>
#include <prometheus/exposer.h>

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

using nlohmann::json;
using robots::example::crawl_options;
using robots::example::crawler;
using robots::example::generated_web;
using robots::example::polite_options;
using robots::example::watched_by;
using robots::test::program_result;
using robots::test::run_program;

namespace {

/// The number of lines of a log with each level, event and site.
using log_counts = std::map<std::tuple<std::string, std::string, std::string>, std::size_t>;

/// Counts the lines of a log, each of which must be a JSON object.
log_counts read_log(const std::string& path) {
  std::ifstream file{path};
  log_counts counts;
  for (std::string line; std::getline(file, line);) {
    CAPTURE(line);
    const json entry = json::parse(line, nullptr, false);
    REQUIRE(entry.is_object());
    const std::string time = entry.at("timestamp");
    CHECK(time.size() == 24);
    CHECK(time.starts_with("2026-01-01T12:0"));
    CHECK(time.ends_with("Z"));
    const bool is_of_call = entry.at("event") != "rulings";  // this one says that the cache began
    CHECK(entry.value("trace_id", "").size() == (is_of_call ? 32 : 0));
    CHECK(entry.value("span_id", "").size() == (is_of_call ? 16 : 0));
    ++counts[{entry.at("level"), entry.at("event"), entry.value("site", "")}];
  }
  return counts;
}

std::size_t sum_of(const log_counts& counts, const std::string& event) {
  std::size_t sum = 0;
  for (const auto& [key, count] : counts) {
    sum += std::get<1>(key) == event ? count : 0;
  }
  return sum;
}

/// Returns the samples of a page, as Prometheus's own client for Python reads them.
std::map<std::string, double> scrape(const std::string& url) {
  const program_result read = run_program(ROBOTS_PROMETHEUS_PYTHON, {"-c", R"(
import sys, urllib.request
from prometheus_client.parser import text_string_to_metric_families
page = urllib.request.urlopen(sys.argv[1], timeout=30).read().decode()
for family in text_string_to_metric_families(page):
    for sample in family.samples:
        print(sample.name, *sorted(sample.labels.values()), sample.value, sep='\t')
)",
                                                                     url});
  INFO(read.errors);
  REQUIRE(read.status == 0);
  std::map<std::string, double> samples;
  for (const std::string& line : read.lines()) {
    const std::size_t value = line.rfind('\t');
    samples[line.substr(0, value)] = std::stod(line.substr(value + 1));
  }
  return samples;
}

}  // namespace

TEST_CASE("Log, metrics and audit trail agree about a crawl whose sites change midway") {
  const robots::test::temporary_folder folder;
  const std::string log_path = folder.path() / "crawl.jsonl";
  const std::string audit_path = folder.path() / "audit";
  const generated_web web{true};
  crawl_options options = polite_options(web);
  options.threads = 16;
  std::ofstream log_file{log_path};
  robots::JsonLog log{log_file, {.least = robots::log_level::debug, .queue_bytes = 1 << 26}};
  const robots::Metrics metrics{robots::metrics_options{.domains = 1'000}};
  robots::AuditTrail audit{{.path = audit_path, .queue_bytes = 1 << 26}, options.cache};
  options.watchers.all = {watched_by(log), watched_by(metrics), watched_by(audit)};
  crawler crawl{std::move(options)};
  crawl.run(web.seeds());
  log.flush();
  REQUIRE(audit.flush());
  CHECK(log.stats().lost == 0);
  CHECK(audit.stats().lost == 0);
  const robots::cache_stats stats = crawl.stats();
  CHECK(stats.observer_failures == 0);

  const log_counts logged = read_log(log_path);
  const auto count = [&logged](const char* level, const char* event, const char* site) {
    const auto found = logged.find({level, event, site});
    return found == logged.end() ? 0 : found->second;
  };
  CHECK(count("ERROR", "fallback", "http://fails.test") == 1);
  CHECK(count("ERROR", "retrieval", "http://fails.test") == 1);
  CHECK(count("WARN", "exchange", "http://fails.test") == 3);
  CHECK(count("CRITICAL", "parse", "http://garbles.test") == 1);
  CHECK(count("CRITICAL", "quarantine", "http://garbles.test") == 1);
  CHECK(count("ERROR", "policy_change", "http://changes.test") == 1);
  CHECK(count("CRITICAL", "policy_change", "http://hostile.test") == 1);
  CHECK(count("CRITICAL", "halt", "hostile.test") == 1);
  CHECK(count("CRITICAL", "access_revoked", "http://revokes.test") == 1);
  CHECK(count("CRITICAL", "halt", "revokes.test") == 1);
  CHECK(count("DEBUG", "look_up", "http://host09.test") > 90);
  CHECK(count("INFO", "parse", "http://changes.test") >= 2);
  CHECK(sum_of(logged, "decision") == stats.allowed + stats.denied);
  CHECK(sum_of(logged, "retrieval") == stats.retrievals);

  const program_result verified =
      run_program(ROBOTS_CHECK_PROGRAM, {"audit", "verify", audit_path + ".000001.jsonl"});
  INFO(verified.output);
  CHECK(verified.status == 0);
  CHECK(verified.output.starts_with("intact: "));
  CHECK(verified.output.find(audit.stats().last_hash) != std::string::npos);
  CHECK(verified.output.find("confirmed: " + std::to_string(stats.allowed + stats.denied) +
                             " decisions") != std::string::npos);

  if (std::string{ROBOTS_PROMETHEUS_PYTHON}.empty()) {
    MESSAGE("not scraped: needs prometheus_client for Python");
  } else {
    const auto exported =
        std::make_shared<robots::PrometheusMetrics>(metrics, [&crawl] { return crawl.stats(); });
    prometheus::Exposer exposer{"127.0.0.1:0"};
    exposer.RegisterCollectable(exported);
    auto samples = scrape("http://127.0.0.1:" + std::to_string(exposer.GetListeningPorts().at(0)) +
                          "/metrics");
    const auto sample = [&samples](const std::string& name) {
      CAPTURE(name);
      CHECK(samples.contains(name));
      return static_cast<std::size_t>(samples[name]);
    };
    /// Returns the sum of the samples of a family that have a label, whatever their domains.
    const auto all_with = [&samples](const std::string& name, const std::string& label) {
      double sum = 0;
      for (const auto& [key, value] : samples) {
        const bool has_label = (key + '\t').find('\t' + label + '\t') != std::string::npos;
        sum += key.starts_with(name + '\t') && has_label ? value : 0;
      }
      return static_cast<std::size_t>(sum);
    };
    CHECK(all_with("robots_cache_hits_total", "fresh") == stats.hits);
    CHECK(all_with("robots_cache_hits_total", "host09.test") > 90);
    CHECK(sample("robots_cache_misses_total\thost09.test") >= 1);
    CHECK(sample("robots_parse_duration_seconds_count") == sum_of(logged, "parse"));
    CHECK(sample("robots_exchange_duration_seconds_count") == sum_of(logged, "exchange"));
    CHECK(all_with("robots_blocked_requests_total", "excluded") == 1);
    CHECK(all_with("robots_blocked_requests_total", "hostile.test") > 18);
    CHECK(sample("robots_fallbacks_total\tlast_good\tserver_error") == 1);
    CHECK(sample("robots_quarantines_total") == 1);
    CHECK(sample("robots_observer_failures_total") == 0);
  }
}

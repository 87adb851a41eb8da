// robots-crawler [--log FILE] [--metrics PORT] [--audit PREFIX]: makes a web of twenty-five hosts
// on this machine, and crawls it politely over real sockets, with several threads. Some hosts
// change, fail or turn hostile midway. At the end, prints a table of the pages that were fetched,
// refused and delayed, with reasons.
#include "crawl.hpp"
#include "generated_web.hpp"
#include "polite_options.hpp"
#ifdef ROBOTS_CRAWLER_AUDIT
#include <robots/adapters/audit/audit_trail.hpp>
#endif
#ifdef ROBOTS_CRAWLER_PROMETHEUS
#include <robots/adapters/metrics/prometheus_metrics.hpp>
#endif
#include <robots/observe/json_log.hpp>
#include <robots/observe/metrics.hpp>

#ifdef ROBOTS_CRAWLER_PROMETHEUS
#include <prometheus/exposer.h>
#endif

#include <chrono>
#include <condition_variable>
#include <exception>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace robots::example {
namespace {

/// Shows the progress of the crawl in one line, until it is stopped.
void show_progress(const crawler& of, const std::stop_token& stop) {
  constexpr std::chrono::milliseconds often{100};
  std::mutex mutex;
  std::condition_variable_any never;
  std::unique_lock lock(mutex);
  while (!stop.stop_requested()) {
    const crawler::progress now = of.so_far();
    std::cerr << '\r' << now.done << " of " << now.known << " known pages done" << std::flush;
    never.wait_for(lock, stop, often, [] { return false; });
  }
  std::cerr << '\r' << of.so_far().done << " pages done                    \n";
}

/// Returns the values of `--log`, `--metrics` and `--audit`, by their names.
std::map<std::string_view, std::string> options_of(const std::vector<std::string_view>& given) {
  std::map<std::string_view, std::string> options{
      {"--log", ""}, {"--metrics", ""}, {"--audit", ""}};
  for (std::size_t i = 0; i < given.size(); i += 2) {
    const auto option = options.find(given[i]);
    if (option == options.end() || i + 1 == given.size()) {
      throw std::invalid_argument(
          "usage: robots-crawler [--log FILE] [--metrics PORT] [--audit PREFIX]");
    }
    option->second = given[i + 1];
  }
  return options;
}

void run(const std::vector<std::string_view>& given) {
  const auto chosen = options_of(given);
  const generated_web web(true);
  crawl_options options = polite_options(web);
  std::vector<watcher>& watchers = options.watchers.all;
  std::ofstream log_file;
  if (const std::string& path = chosen.at("--log"); !path.empty()) {
    log_file.open(path, std::ios::app);
    watchers.push_back(watched_by(JsonLog{log_file, {.queue_bytes = std::size_t{16} << 20U}}));
  }
  const Metrics metrics{metrics_options{.domains = 25}};
  watchers.push_back(watched_by(metrics));
  if (const std::string& prefix = chosen.at("--audit"); !prefix.empty()) {
#ifdef ROBOTS_CRAWLER_AUDIT
    watchers.push_back(watched_by(AuditTrail{{.path = prefix}, options.cache}));
#else
    throw std::invalid_argument(
        "--audit: this robots-crawler was built without OpenSSL: build it with OpenSSL");
#endif
  }
  crawler crawl(std::move(options));
#ifdef ROBOTS_CRAWLER_PROMETHEUS
  std::shared_ptr<PrometheusMetrics> exported;
  std::unique_ptr<prometheus::Exposer> exposer;
#endif
  if (const std::string& port = chosen.at("--metrics"); !port.empty()) {
#ifdef ROBOTS_CRAWLER_PROMETHEUS
    exported = std::make_shared<PrometheusMetrics>(metrics, [&crawl] { return crawl.stats(); });
    exposer = std::make_unique<prometheus::Exposer>("127.0.0.1:" + port);
    exposer->RegisterCollectable(exported);
    std::cerr << "http://127.0.0.1:" << exposer->GetListeningPorts().at(0) << "/metrics\n";
#else
    throw std::invalid_argument(
        "--metrics: this robots-crawler was built without prometheus-cpp: build it with that "
        "library");
#endif
  }
  const auto begin = std::chrono::steady_clock::now();
  {
    const std::jthread progress([&](const std::stop_token& stop) { show_progress(crawl, stop); });
    crawl.run(web.seeds());
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  std::cout << table_of(crawl.results()) << '\n'
            << crawl.for_review().size() << " pages wait for review by a person\n"
            << web.log().size() << " requests in " << took.count() << " s\n";
}

}  // namespace
}  // namespace robots::example

int main(int count, char** arguments) {
  try {
    robots::example::run({arguments + 1, arguments + count});
    return 0;
  } catch (const std::exception& error) {
    std::cerr << "robots-crawler: " << error.what() << '\n';
    return 1;
  }
}

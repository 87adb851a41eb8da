// robots-fleet: starts a redis-server and a web of twelve hosts on this machine. Eight processes
// crawl it, and share rules and turns through Redis. At the end, it prints the requests of each
// host: one for the robots.txt, and pages that are at least the delay apart.
#include "support/child_process.hpp"
#include "support/loopback_server.hpp"
#include "support/redis_server.hpp"
#include <robots/adapters/curl/curl_fetcher.hpp>
#include <robots/adapters/redis/redis_pace_ledger.hpp>
#include <robots/adapters/redis/redis_store.hpp>
#include <robots/cache/basic_robots_cache.hpp>
#include <robots/cache/tiered_storage.hpp>
#include <robots/polite/admission.hpp>
#include <robots/polite/host_gate.hpp>
#include <robots/store/lru_storage.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <iostream>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace {

using namespace std::chrono_literals;

constexpr int processes = 8;
constexpr int hosts = 12;
constexpr int pages = 3;  // the pages of each host that a process requests
constexpr auto delay = 100ms;

std::string host_name(int number) { return "host-" + std::to_string(number) + ".example"; }

/// The requests to the hosts.
class visitors {
 public:
  struct host {
    int robots = 0;  // requests for robots.txt
    int forbidden = 0;
    std::vector<std::chrono::steady_clock::time_point> visits;
  };

  robots::test::loopback_reply answer(const robots::test::loopback_request& request) {
    const std::scoped_lock lock{mutex_};
    host& seen = hosts_[request.host()];
    seen.visits.push_back(std::chrono::steady_clock::now());
    if (request.path == "/robots.txt") {
      ++seen.robots;
      return {.body = "User-agent: *\nDisallow: /private\n"};
    }
    seen.forbidden += request.path.starts_with("/private") ? 1 : 0;
    return {.body = "a page"};
  }

  [[nodiscard]] std::map<std::string, host> all() const {
    const std::scoped_lock lock{mutex_};
    return hosts_;
  }

 private:
  mutable std::mutex mutex_;
  std::map<std::string, host> hosts_;
};

/// One process of the fleet.
int crawl(const std::string& redis_url, const std::vector<std::string>& connect_to) {
  using storage = robots::TieredStorage<robots::LruStorage<4096>, robots::RedisStore>;
  using cache_type = robots::basic_robots_cache<robots::CurlFetcher, robots::SteadyClock, storage>;
  const robots::redis_options redis{.url = redis_url};
  robots::curl_options client;
  client.connect_to = connect_to;
  client.allowed_addresses = {"127.0.0.1"};
  robots::CurlFetcher web{client};
  cache_type cache{{.user_agent = "FleetBot/1.0 (+https://fleet.example/bot)",
                    .fallback = robots::fallback_policy::rfc9309()},
                   web,
                   {},
                   storage{robots::RedisStore{redis}}};
  robots::gate_options options{.delay = {.floor = delay}};
  options.ledger = std::make_shared<robots::RedisPaceLedger>(redis);
  options.ledger_users = processes;
  robots::host_gate gate{options};
  robots::basic_admission front{cache, gate};

  std::atomic<int> fetched = 0;
  std::atomic<int> refused = 0;
  std::vector<std::jthread> threads;
  for (int host = 0; host < hosts; ++host) {
    threads.emplace_back([&, host] {
      for (int page = 0; page < pages; ++page) {
        for (const char* folder : {"/", "/private/"}) {
          const std::string url = "http://" + host_name(host) + folder + std::to_string(page);
          if (auto got = front.admit(url)) {
            got.reservation.complete({.status = web.fetch({.url = url}).status});
            ++fetched;
          } else {
            ++refused;
          }
        }
      }
    });
  }
  threads.clear();
  const robots::cache_stats stats = cache.stats();
  std::cout << fetched << " pages fetched, " << refused << " refused; rules: " << stats.retrievals
            << " from the web, " << stats.far_hits << " from Redis\n";
  return fetched == hosts * pages && refused == hosts * pages ? EXIT_SUCCESS : EXIT_FAILURE;
}

int run_fleet(const char* self) {
  const robots::test::redis_server redis;
  visitors seen;
  robots::test::loopback_server web;
  web.otherwise([&seen](const auto& request) { return seen.answer(request); });
  std::vector<std::string> command{self, redis.url()};
  for (int host = 0; host < hosts; ++host) {
    command.push_back(web.connect_to(host_name(host), 80));
  }
  std::list<robots::test::child_process> fleet;
  for (int i = 0; i < processes; ++i) {
    fleet.emplace_back(command, redis.file(std::to_string(i)));
  }
  bool all_well = true;
  for (int i = 0; i < processes; ++i) {
    all_well = fleet.front().wait() == EXIT_SUCCESS && all_well;
    fleet.pop_front();
    std::cout << "process " << i + 1 << ": "
              << std::ifstream{redis.file(std::to_string(i))}.rdbuf();
  }
  for (const auto& [name, host] : seen.all()) {
    std::chrono::nanoseconds shortest = 1h;
    for (std::size_t i = 1; i < host.visits.size(); ++i) {
      shortest = std::min(shortest, host.visits[i] - host.visits[i - 1]);
    }
    std::cout << name << ": robots.txt fetched " << host.robots << " time(s), "
              << host.visits.size() - static_cast<std::size_t>(host.robots)
              << " pages, the two closest requests "
              << std::chrono::duration_cast<std::chrono::milliseconds>(shortest).count()
              << " ms apart, " << host.forbidden << " forbidden\n";
    all_well = all_well && host.robots == 1 && host.forbidden == 0;
  }
  std::cout << (all_well ? "all well\n" : "a host got a wrong request, or a process failed\n");
  return all_well ? EXIT_SUCCESS : EXIT_FAILURE;
}

}  // namespace

int main(int count, char** arguments) {
  try {
    return count > 2 ? crawl(arguments[1], {arguments + 2, arguments + count})
                     : run_fleet(arguments[0]);
  } catch (const std::exception& error) {
    std::cerr << "robots-fleet: " << error.what() << '\n';
    return EXIT_FAILURE;
  }
}

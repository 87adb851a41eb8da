// One process of a fleet that takes turns through Redis. It requests pages of some hosts with the
// given delay.
//
//     turns-worker REDIS-URL CONNECT-TO HOSTS PAGES DELAY-IN-MILLISECONDS
#include <robots/adapters/curl/curl_fetcher.hpp>
#include <robots/adapters/redis/redis_pace_ledger.hpp>
#include <robots/polite/host_gate.hpp>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace {

/// Reports the state of the ledger.
struct ledger_report {
  void on(const robots::ledger_event& event) const {
    std::cerr << (event.up ? "the ledger answers again" : event.message) << '\n';
  }
};

}  // namespace

int main(int count, char** arguments) {
  if (count != 6) {
    return EXIT_FAILURE;
  }
  const int hosts = std::atoi(arguments[3]);
  const int pages = std::atoi(arguments[4]);
  robots::gate_options options{
      .delay = {.floor = std::chrono::milliseconds{std::atoi(arguments[5])}}};
  options.ledger =
      std::make_shared<robots::RedisPaceLedger>(robots::redis_options{.url = arguments[1]});
  robots::basic_host_gate gate{options, robots::SteadyClock{}, ledger_report{}};
  robots::curl_options settings;
  settings.connect_to = {arguments[2]};
  settings.allowed_addresses = {"127.0.0.1"};
  robots::CurlFetcher web{settings};
  std::atomic<int> failures = 0;
  std::vector<std::jthread> threads;
  for (int host = 0; host < hosts; ++host) {
    threads.emplace_back([&, host] {
      const std::string url = "http://host-" + std::to_string(host) + ".example/";
      for (int page = 0; page < pages; ++page) {
        auto got = gate.acquire(url);
        const auto response = web.fetch({.url = url});
        failures += response.status == 200 ? 0 : 1;
        got.reservation.complete({.status = response.status});
      }
    });
  }
  threads.clear();
  return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

// Middleware for a queue of URLs, for workers of Celery, RabbitMQ or Kafka. It works on, delays,
// drops or reports for review each message. Usage: robots-queue URL...
#include <robots/adapters/curl/curl_fetcher.hpp>
#include <robots/cache/basic_robots_cache.hpp>
#include <robots/polite/admission.hpp>
#include <robots/polite/host_gate.hpp>
#include <robots/rulings/site_rulings.hpp>

#include <chrono>
#include <iostream>
#include <map>
#include <string>
#include <thread>

int main(int argc, char** argv) {
  using enum robots::admission_reason;
  robots::CurlFetcher web{{.allowed_addresses = {"127.0.0.0/8"}}};  // only for the test
  robots::basic_robots_cache<robots::CurlFetcher, robots::SteadyClock, robots::LruStorage<4096>,
                             robots::NullObserver, robots::SiteRulings>
      cache{{.user_agent = "FooBot", .fallback = robots::fallback_policy::strict()},
            web,
            {},
            {},
            {},
            robots::SiteRulings{{.needs_sign_off = {"gov"}}}};
  robots::basic_host_gate gate{{}};
  robots::basic_admission front{cache, gate};
  std::multimap<robots::time_point, std::string> queue;  // a broker has its own way to delay
  for (int i = 1; i < argc; ++i) {
    queue.emplace(std::chrono::steady_clock::now(), argv[i]);
  }
  while (!queue.empty()) {
    const auto [due, url] = *queue.begin();
    queue.erase(queue.begin());
    std::this_thread::sleep_until(due);
    auto answer = front.try_admit(url);  // blocks only for a robots.txt
    std::cout << url << ": " << to_string(answer.reason) << '\n';
    if (answer) {
      answer.reservation.complete({.status = web.fetch({.url = url}).status});
    } else if (answer.reason == not_yet || answer.reason == busy || answer.reason == no_room) {
      queue.emplace(answer.reason == no_room ? due + std::chrono::seconds{1} : answer.plan.at, url);
    } else if (answer.reason == halted || answer.reason == needs_sign_off) {
      std::cerr << "for a person to review: " << url << '\n';
    }
  }
}

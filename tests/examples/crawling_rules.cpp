// A crawl loop. Its delay is the longest of Crawl-delay, own delay and squared response time.
#include <robots/adapters/curl/curl_fetcher.hpp>
#include <robots/cache/basic_robots_cache.hpp>
#include <robots/policy/fallback.hpp>
#include <robots/polite/admission.hpp>
#include <robots/polite/host_gate.hpp>

#include <chrono>
#include <deque>
#include <iostream>
#include <set>
#include <string>

int main(int argc, char** argv) {
  const std::string site{argc == 2 ? argv[1] : "https://example.com"};
  const robots::curl_options network{.allowed_addresses = {"127.0.0.0/8"}};  // only for the test
  robots::basic_robots_cache<robots::CurlFetcher> cache{
      {.user_agent = "FooBot/1.0", .fallback = robots::fallback_policy::permissive()},
      robots::CurlFetcher{network}};
  robots::basic_host_gate gate{{.delay = {.fixed_delay = std::chrono::milliseconds{2}}}};
  robots::basic_admission admission{cache, gate};
  robots::CurlFetcher pages{network};
  std::set<std::string> seen{"/"};
  for (std::deque<std::string> paths{"/"}; !paths.empty(); paths.pop_front()) {
    auto admitted = admission.admit(site + paths.front());  // waits until the page may be fetched
    std::cout << paths.front() << ": " << to_string(admitted.reason) << '\n';
    if (admitted) {
      const auto start = std::chrono::steady_clock::now();
      const auto page = pages.fetch({.url = site + paths.front()});
      admitted.reservation.complete(
          {.response_time = std::chrono::steady_clock::now() - start, .status = page.status});
      for (auto i = page.body.find("\"/"); i != page.body.npos; i = page.body.find("\"/", i + 1)) {
        const std::string path = page.body.substr(i + 1, page.body.find('"', i + 1) - i - 1);
        if (seen.insert(path).second) {
          paths.push_back(path);
        }
      }
    }
  }
}

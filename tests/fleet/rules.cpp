// Processes that share records in a real Redis: their requests to the web, and their decisions.
#include "support/child_process.hpp"
#include "support/many_sites.hpp"
#include "support/redis_server.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <list>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

using namespace robots::test;

namespace {

constexpr int sites = 500;
constexpr int process_count = 8;

/// A web server that counts the requests to each of its sites.
class counted_web {
 public:
  [[nodiscard]] std::string connect_to() const { return server_.connect_to(); }

  void wait_for(int requests) {
    std::unique_lock lock{mutex_};
    asked_.wait(lock, [&] { return count_ >= requests; });
  }

  [[nodiscard]] int requests() const {
    const std::scoped_lock lock{mutex_};
    return count_;
  }

  /// Returns the sites that did not get exactly `times` requests, with their numbers of requests.
  [[nodiscard]] std::vector<std::string> not_asked(int times) const {
    const std::scoped_lock lock{mutex_};
    std::vector<std::string> result;
    for (int site = 0; site < sites; ++site) {
      const std::string name = "site-" + std::to_string(site) + ".example";
      const auto found = of_site_.find(name);
      if (const int asked = found == of_site_.end() ? 0 : found->second; asked != times) {
        result.push_back(name + ": " + std::to_string(asked));
      }
    }
    return result;
  }

 private:
  mutable std::mutex mutex_;
  std::condition_variable asked_;
  std::map<std::string, int, std::less<>> of_site_;
  int count_ = 0;
  many_sites server_{[this](std::string_view host) {
    const std::scoped_lock lock{mutex_};
    ++of_site_[std::string{host}];
    ++count_;
    asked_.notify_all();
    return many_sites::ok("User-agent: *\nDisallow: /private\n");
  }};
};

/// Crawls with a fleet whose clocks are ahead, while `meanwhile` runs. Returns the number of
/// processes with a wrong decision.
int crawl(
    const redis_server& redis, const counted_web& web, int hours_ahead,
    const std::function<void()>& meanwhile = [] {}) {
  std::list<child_process> fleet;
  for (int i = 0; i < process_count; ++i) {
    fleet.emplace_back(
        std::vector<std::string>{ROBOTS_RULES_WORKER, redis.url(), web.connect_to(),
                                 std::to_string(sites), "4", std::to_string(hours_ahead)},
        redis.file("worker-" + std::to_string(i)));
  }
  meanwhile();
  int wrong = 0;
  for (child_process& worker : fleet) {
    wrong += worker.wait() == 0 ? 0 : 1;
  }
  return wrong;
}

/// Returns true if a crawl sends no requests. Repeats the crawl, since a call to Redis can time out
/// on a busy machine, and then a process fetches without Redis.
bool needs_no_requests(const redis_server& redis, counted_web& web, int hours_ahead) {
  for (int i = 0; i < 5; ++i) {
    const int before = web.requests();
    CHECK(crawl(redis, web, hours_ahead) == 0);
    if (web.requests() == before) {
      return true;
    }
  }
  return false;
}

}  // namespace

TEST_CASE("A fleet fetches each robots.txt once, and once more after it expires") {
  const redis_server redis;
  const counted_web web;
  CHECK(crawl(redis, web, 0) == 0);
  CHECK(web.not_asked(1).empty());
  CHECK(crawl(redis, web, 1) == 0);  // the fleet restarts an hour later
  CHECK(web.not_asked(1).empty());
  CHECK(crawl(redis, web, 25) == 0);
  CHECK(web.not_asked(2).empty());
}

TEST_CASE("A fleet decides correctly while its Redis is killed and comes back empty") {
  redis_server redis;
  counted_web web;
  CHECK(crawl(redis, web, 0, [&] {
          web.wait_for(sites / 4);
          redis.stop();
          web.wait_for(sites / 2);
          redis.start();
        }) == 0);
  const int before = web.requests();
  CHECK(crawl(redis, web, 0) == 0);
  // A file that was fetched without Redis is fetched at most once more.
  CHECK(web.requests() <= before + sites);
  CHECK(needs_no_requests(redis, web, 0));
}

TEST_CASE("A fleet decides correctly while its Redis is slow, paused, wiped or full") {
  const redis_server redis;
  counted_web web;
  CHECK(crawl(redis, web, 0, [&] {
          web.wait_for(sites / 4);
          redis.tell({"CLIENT", "PAUSE", "5000"});
        }) == 0);
  CHECK(crawl(redis, web, 25, [&] {
          web.wait_for(sites + sites / 4);
          redis.tell({"FLUSHALL"});
        }) == 0);
  CHECK(crawl(redis, web, 40, [&] {
          for (int i = 0; i < 15; ++i) {
            redis.tell({"CLIENT", "PAUSE", "200"});  // Redis answers after the previous pause
          }
        }) == 0);
  redis.tell({"CONFIG", "SET", "maxmemory", "1"});
  CHECK(crawl(redis, web, 65) == 0);
  redis.tell({"CONFIG", "SET", "maxmemory", "0"});
  CHECK(crawl(redis, web, 90) == 0);
  CHECK(needs_no_requests(redis, web, 90));
}

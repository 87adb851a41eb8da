// Processes that take turns at hosts through a real Redis. The hosts measure the delays.
#include "support/child_process.hpp"
#include "support/many_sites.hpp"
#include "support/redis_server.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

using namespace std::chrono_literals;
using namespace robots::test;

namespace {

/// The times of the requests to each host.
class visits {
 public:
  void add(std::string_view host) {
    const std::scoped_lock lock{mutex_};
    times_[std::string{host}].push_back(std::chrono::steady_clock::now());
    ++count_;
    added_.notify_all();
  }

  void wait_for(std::size_t count) {
    std::unique_lock lock{mutex_};
    added_.wait(lock, [&] { return count_ >= count; });
  }

  [[nodiscard]] std::map<std::string, std::vector<std::chrono::steady_clock::time_point>> times()
      const {
    const std::scoped_lock lock{mutex_};
    return times_;
  }

 private:
  mutable std::mutex mutex_;
  std::condition_variable added_;
  std::map<std::string, std::vector<std::chrono::steady_clock::time_point>> times_;
  std::size_t count_ = 0;
};

}  // namespace

TEST_CASE("Processes with one ledger keep the delay between requests, even if Redis restarts") {
  constexpr auto delay = 400ms;
  constexpr std::size_t hosts = 20;
  constexpr std::size_t pages = 5;  // requests of each process to each host
  redis_server redis;
  visits log;
  const many_sites web{[&log](std::string_view host) {
    log.add(host);
    return many_sites::ok("a page");
  }};
  const auto worker = [&](const std::string& name) {
    return child_process{{ROBOTS_TURNS_WORKER, redis.url(), web.connect_to(), std::to_string(hosts),
                          std::to_string(pages), std::to_string(delay.count())},
                         redis.file(name)};
  };
  child_process first = worker("first");
  child_process second = worker("second");
  log.wait_for(hosts * pages);
  redis.stop();  // loses all data
  redis.start();
  CHECK(first.wait() == 0);
  CHECK(second.wait() == 0);

  std::chrono::nanoseconds shortest = 1h;
  std::chrono::nanoseconds longest_visit{0};
  for (const auto& [host, times] : log.times()) {
    CHECK(times.size() == 2 * pages);
    for (std::size_t i = 1; i < times.size(); ++i) {
      shortest = std::min(shortest, times[i] - times[i - 1]);
    }
    longest_visit = std::max(longest_visit, times.back() - times.front());
  }
  // A busy machine can send a request late, so that the next gap is shorter.
  CHECK(shortest > delay / 2);
  MESSAGE("shortest gap " << std::chrono::duration<double>{shortest}.count() << " s of "
                          << std::chrono::duration<double>{delay}.count()
                          << " s; the slowest host took "
                          << std::chrono::duration<double>{longest_visit}.count() << " s, at best "
                          << std::chrono::duration<double>{delay * (2 * pages - 1)}.count()
                          << " s");
}

// A cache in a program's event loop. It never blocks, and starts no thread.
//
// A `look_up_driver` runs the look-ups. It needs an `AsyncFetcher`, a timer, and a call of `run`
// when it asks for one. The web of this loop is scripted: answers come one iteration later. The
// loop itself sets the time. With sockets, only `network` would differ.
#include <robots/cache/basic_robots_cache.hpp>
#include <robots/cache/look_up_driver.hpp>
#include <robots/fetch/async_fetcher.hpp>
#include <robots/http/message.hpp>
#include <robots/policy/decision.hpp>
#include <robots/testing/manual_clock.hpp>
#include <robots/testing/scripted_fetcher.hpp>

#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <iostream>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace {

using cache_type = robots::basic_robots_cache<robots::ScriptedFetcher, robots::ManualClock>;

/// The event loop. It has tasks for now, and tasks for later.
class event_loop {
 public:
  void post(std::function<void()> task) { ready_.push_back(std::move(task)); }
  void at(robots::time_point when, std::function<void()> task) {
    timers_.emplace(when, std::move(task));
  }
  [[nodiscard]] robots::ManualClock& clock() noexcept { return clock_; }

  /// Runs until there is nothing left to do.
  void run() {
    while (!ready_.empty() || !timers_.empty()) {
      if (ready_.empty()) {
        clock_.sleep_until(timers_.begin()->first, {});
        ready_.push_back(std::move(timers_.begin()->second));
        timers_.erase(timers_.begin());
      }
      const std::function<void()> task = std::move(ready_.front());
      ready_.pop_front();
      task();
    }
  }

 private:
  robots::ManualClock clock_;
  std::deque<std::function<void()>> ready_;
  std::multimap<robots::time_point, std::function<void()>> timers_;
};

/// An `AsyncFetcher` that answers a request one iteration later.
class network {
 public:
  network(event_loop& loop, robots::ScriptedFetcher web) : loop_(loop), web_(std::move(web)) {}
  void async_fetch(const robots::fetch_request& request,
                   const std::function<void(robots::fetch_response)>& done) {
    loop_.post([this, request, done] { done(web_.fetch(request)); });
  }

 private:
  event_loop& loop_;
  robots::ScriptedFetcher web_;
};

static_assert(robots::AsyncFetcher<network>);

/// Asks the cache on the loop. If the loop had several threads, `post` must be thread-safe.
class asker {
 public:
  asker(cache_type& cache, event_loop& loop, network& net)
      : cache_(cache),
        loop_(loop),
        driver_(loop.clock(), net, [this] { loop_.post([this] { run(); }); }) {}

  /// Asks about a URL. Calls `answer` with the decision, immediately or later.
  void ask(const std::string& url, const std::function<void(const robots::decision&)>& answer) {
    driver_.start(cache_.begin(url), [this, url, answer](const robots::look_up& work) {
      answer(cache_.check(url, work));
    });
  }

 private:
  void run() {
    driver_.run();
    if (const auto next = driver_.next_run()) {
      std::cout << "  waits to try again\n";
      loop_.at(*next, [this] { run(); });
    }
  }

  cache_type& cache_;
  event_loop& loop_;
  robots::look_up_driver<robots::ManualClock, network> driver_;
};

}  // namespace

int main() {
  using robots::ScriptedFetcher;
  ScriptedFetcher web;
  web.on("https://example.com/robots.txt", ScriptedFetcher::ok("User-agent: *\nDisallow: /admin"));
  web.on("https://busy.example/robots.txt", ScriptedFetcher::status(503), ScriptedFetcher::ok(""));

  event_loop loop;
  network net(loop, web);
  cache_type cache{{.user_agent = "FooBot/2.1 (+https://foo.example/bot)",
                    .fallback = robots::fallback_policy::rfc9309()},
                   web,
                   loop.clock()};
  std::size_t answered = 0;
  std::size_t allowed = 0;
  const std::vector<std::string> urls{"https://example.com/", "https://example.com/admin",
                                      "https://busy.example/", "https://nowhere.example/",
                                      "https://example.com/shop"};
  asker all{cache, loop, net};
  for (const std::string& url : urls) {
    all.ask(url, [&, url](const robots::decision& answer) {
      std::cout << url << ": " << explain(answer) << '\n';
      ++answered;
      allowed += answer.allowed ? 1 : 0;
    });
  }
  loop.run();

  const bool right =
      answered == urls.size() && allowed == 3 && web.count("https://example.com/robots.txt") == 1;
  return right ? 0 : 1;
}

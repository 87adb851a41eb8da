// A cache driven from an event loop of one's own: nothing here blocks, and no thread is started.
//
// `basic_robots_cache::begin` gives a look-up, which says what to do next until it has the policy
// of a site; see `look_up`. This loop speaks to a scripted web, whose answers come one turn later,
// at a time that it moves itself. With sockets, only `network` would differ.
#include <robots/cache/basic_robots_cache.hpp>
#include <robots/cache/look_up.hpp>
#include <robots/fetch/retrieval_result.hpp>
#include <robots/fetch/scripted_fetcher.hpp>
#include <robots/http/message.hpp>
#include <robots/policy/decision.hpp>
#include <robots/time/manual_clock.hpp>

#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace {

using cache_type = robots::basic_robots_cache<robots::ScriptedFetcher, robots::ManualClock>;

/// The event loop: what is to be done now, and what later.
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

/// Answers a request one turn later.
class network {
 public:
  network(event_loop& loop, robots::ScriptedFetcher web) : loop_(loop), web_(std::move(web)) {}
  void send(robots::fetch_request request, std::function<void(robots::fetch_response)> done) {
    loop_.post([this, request = std::move(request), done = std::move(done)] {
      done(web_.fetch(request));
    });
  }

 private:
  event_loop& loop_;
  robots::ScriptedFetcher web_;
};

/// Asks about a URL; `answer` is called with the decision, at once or later.
void ask(const std::string& url, const std::shared_ptr<robots::look_up>& at, cache_type& cache,
         event_loop& loop, network& net, const std::function<void(robots::decision)>& answer) {
  const auto go_on = [=, &cache, &loop, &net] { ask(url, at, cache, loop, net, answer); };
  const robots::look_up_step step = at->next();
  if (const auto* const request = std::get_if<robots::fetch_request>(&step)) {
    net.send(*request, [=](robots::fetch_response response) {
      at->on_response(std::move(response));
      go_on();
    });
  } else if (const auto* const pause = std::get_if<robots::retry_wait>(&step)) {
    std::cout << "  waits to try again\n";
    loop.at(pause->until, [=] {
      at->on_wait_over();
      go_on();
    });
  } else if (std::holds_alternative<robots::news_wait>(step)) {
    at->call_on_news([=, &loop] {  // maybe from another thread, hence the post
      loop.post([=] {
        at->resume();
        go_on();
      });
    });
  } else {
    answer(cache.check(url, *at));
  }
}

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
  for (const std::string& url : urls) {
    const auto at = std::make_shared<robots::look_up>(cache.begin(url));
    ask(url, at, cache, loop, net, [&, url](const robots::decision& made) {
      std::cout << url << ": " << explain(made) << '\n';
      ++answered;
      allowed += made.allowed ? 1 : 0;
    });
  }
  loop.run();

  const bool right =
      answered == urls.size() && allowed == 3 && web.count("https://example.com/robots.txt") == 1;
  return right ? 0 : 1;
}

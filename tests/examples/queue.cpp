// Middleware for a queue of URLs, for workers of Celery, RabbitMQ or Kafka. No message reaches the
// worker's own code before robots.txt and the pace of its host allow it. Denied messages are
// dropped, early messages go back to the queue, and messages for a person to decide are set aside.
//
// Here, the queue is in memory, the web is scripted, and the loop sets the time. With a broker,
// replace `delayed_queue` by its way to delay a message, such as `eta` in Celery or a delayed
// exchange in RabbitMQ. With a shared store, all workers use the same rules.
#include <robots/cache/basic_robots_cache.hpp>
#include <robots/fetch/outcome.hpp>
#include <robots/observe/admission_reason.hpp>
#include <robots/policy/decision.hpp>
#include <robots/polite/admission.hpp>
#include <robots/polite/host_gate.hpp>
#include <robots/testing/manual_clock.hpp>
#include <robots/testing/scripted_fetcher.hpp>

#include <algorithm>
#include <chrono>
#include <functional>
#include <iostream>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

using namespace std::chrono_literals;
using robots::admission_reason;
using robots::ManualClock;
using robots::ScriptedFetcher;
using texts = std::vector<std::string>;

/// Messages, sorted by the time from which they may be worked on.
using delayed_queue = std::multimap<robots::time_point, std::string>;

/// Collects the URLs that a person should look at.
struct review_list {
  texts* urls;

  void on(const robots::admission_event& event) const {
    if (event.needs_review) {
      urls->emplace_back(event.url);
    }
  }
};

/// Stands between a queue and a worker.
template <class Front>
class robots_middleware {
 public:
  /// Fetches and works on a page. Returns a report with its status.
  using worker = std::function<robots::request_report(const std::string& url)>;

  robots_middleware(Front& front, delayed_queue& queue, worker work)
      : front_(front), queue_(queue), work_(std::move(work)) {}

  /// Handles a message that was taken from the queue at `now`. Blocks only for a robots.txt.
  void handle(const std::string& url, robots::time_point now) {
    auto asked = front_.try_admit(url);
    std::cout << url << ": " << explain(asked) << '\n';
    switch (asked.reason) {
      case admission_reason::go:
        asked.reservation.complete(work_(url));
        break;
      case admission_reason::not_yet:
      case admission_reason::busy:
      case admission_reason::no_room:
        queue_.emplace(std::max(asked.plan.at, now + 100ms), url);
        break;
      case admission_reason::disallowed:
        if (const auto later = next_try(asked.decision); later > now) {
          queue_.emplace(later, url);
        }
        break;
      default:  // halted and needs_sign_off: `review_list` has the URL
        break;
    }
  }

 private:
  /// Returns the time at which an unavailable robots.txt is fetched again. If the site answered, it
  /// is in the past: the denial stays. A site in quarantine waits for a person.
  [[nodiscard]] static robots::time_point next_try(const robots::decision& denied) {
    const robots::record_head& source = denied.policy->source();
    const bool is_passing = denied.reason == robots::decision_reason::fallback &&
                            is_failure(source.outcome) &&
                            source.outcome != robots::outcome::quarantined;
    return is_passing ? denied.policy->fetched_at() + source.lifetime : robots::time_point::min();
  }

  Front& front_;
  delayed_queue& queue_;
  worker work_;
};

}  // namespace

int main() {
  ScriptedFetcher web;
  web.otherwise(ScriptedFetcher::ok("a page"));
  web.on("https://example.com/robots.txt",
         ScriptedFetcher::ok("User-agent: *\nCrawl-delay: 2\nDisallow: /admin\n"));
  web.on("https://down.example/robots.txt", ScriptedFetcher::status(503), ScriptedFetcher::ok(""));

  const ManualClock clock;
  robots::basic_robots_cache<ScriptedFetcher, ManualClock> cache{
      {.user_agent = "FooBot/2.1 (+https://foo.example/bot)",
       .fallback = robots::fallback_policy::strict(),
       .sign_off = {"gov"},
       .retry = {.attempts = 1}},
      web,
      clock};
  texts for_review;
  robots::basic_host_gate gate{{}, clock, review_list{&for_review}};
  robots::basic_admission front{cache, gate};

  delayed_queue queue;
  for (const char* url :
       {"https://down.example/", "https://example.com/", "https://example.com/1",
        "https://example.com/admin", "https://example.com/2", "https://clinic.gov/", "no URL"}) {
    queue.emplace(clock.now(), url);
  }
  texts fetched;
  robots_middleware middleware{front, queue, [&](const std::string& url) {
                                 fetched.push_back(url);
                                 return robots::request_report{.response_time = 80ms,
                                                               .status = web.fetch({url}).status};
                               }};
  while (!queue.empty()) {
    const auto first = queue.begin();
    clock.sleep_until(first->first, {});
    const std::string url = std::move(first->second);
    queue.erase(first);
    middleware.handle(url, clock.now());
  }

  const bool is_right = fetched == texts{"https://example.com/", "https://example.com/1",
                                         "https://example.com/2", "https://down.example/"} &&
                        for_review == texts{"https://clinic.gov/"};
  return is_right ? 0 : 1;
}

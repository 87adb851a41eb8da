// A whole crawl on a clock that moves only while all threads sleep.
#include "gate_fixture.hpp"
#include "meeting_clock.hpp"
#include <robots/polite/crawl_delay.hpp>
#include <robots/polite/host_gate.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace std::chrono_literals;
using robots::gate_options;
using robots::request_report;
using robots::time_point;
using robots::test::gate_with;
using robots::test::MeetingClock;
using robots::test::policy_with;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;

using meeting_gate = robots::basic_host_gate<MeetingClock>;

struct visit {
  time_point start;
  time_point end;
  nanoseconds least{0};  // the least delay before the next start, by the formula
  time_point next{};     // the time when the gate would permit the next start
};

struct site {
  std::string url;
  std::shared_ptr<const robots::policy> limits;
  milliseconds latency{0};
  milliseconds robots_delay{0};
  int pages = 0;
  // The mutex of the frontier protects these members.
  time_point next{};
  bool busy = false;
  std::vector<visit> visits;
};

std::vector<site> fifty_sites() {
  std::vector<site> sites;
  for (int i = 0; i < 50; ++i) {
    site result;
    result.url = "https://host" + std::to_string(i) + ".example/";
    result.latency = milliseconds{5 + 7 * (i % 9)};
    switch (i % 5) {
      case 0:
        result.robots_delay = milliseconds{100 * (1 + i % 7)};
        result.limits = policy_with("Crawl-delay: 0." + std::to_string(1 + i % 7));
        break;
      case 1:
        result.robots_delay = 250ms;
        result.limits = policy_with("Request-rate: 4/1s");
        break;
      case 2:
        result.latency = 900ms;  // its square asks for 810 ms
        break;
      default:
        break;  // only the fixed delay applies
    }
    result.pages = 20 + (i * 7) % 23;
    sites.push_back(std::move(result));
  }
  return sites;
}

/// Returns the least time for the visits of a host: each starts as soon as the gate permits.
nanoseconds optimum(const site& of) {
  nanoseconds sum{0};
  for (std::size_t i = 0; i + 1 < of.visits.size(); ++i) {
    sum += std::max(of.visits[i].next, of.visits[i].end) - of.visits[i].start;
  }
  return sum + (of.visits.back().end - of.visits.back().start);
}

constexpr nanoseconds fixed = 200ms;

}  // namespace

TEST_CASE("32 threads crawl 50 hosts politely and fairly, in the least possible time") {
  constexpr std::size_t threads = 32;
  const MeetingClock clock{threads};
  const time_point begin = clock.now();
  meeting_gate paced{gate_with(fixed), clock};
  std::vector<site> sites = fifty_sites();
  for (site& one : sites) {
    one.next = begin;
  }
  std::mutex frontier;
  std::size_t unexpected = 0;

  const auto work = [&] {
    for (;;) {
      std::unique_lock lock{frontier};
      site* chosen = nullptr;
      for (site& one : sites) {
        if (one.pages > 0 && !one.busy && (chosen == nullptr || one.next < chosen->next)) {
          chosen = &one;
        }
      }
      if (chosen == nullptr) {
        break;
      }
      if (const time_point when = chosen->next; when > clock.now()) {
        lock.unlock();
        clock.sleep_until(when, {});
        continue;
      }
      chosen->busy = true;
      lock.unlock();
      meeting_gate::answer got = paced.try_acquire(chosen->url, chosen->limits);
      const bool admitted = static_cast<bool>(got);
      visit result{.start = got.reservation.at(), .end = {}};
      if (admitted) {
        clock.sleep_until(result.start + chosen->latency, {});
        result.end = clock.now();
        result.least =
            std::max({nanoseconds{fixed / 2}, nanoseconds{chosen->robots_delay},
                      robots::compute_delay({}, {.last_response = chosen->latency}, 0).delay});
        got.reservation.complete({.response_time = chosen->latency, .status = 200});
      }
      result.next = paced.next_allowed_at(chosen->url, chosen->limits).at;
      lock.lock();
      chosen->busy = false;
      chosen->next = result.next;
      unexpected += admitted ? 0 : 1;
      if (admitted) {
        --chosen->pages;
        chosen->visits.push_back(result);
      }
    }
    clock.leave();
  };
  {
    std::vector<std::jthread> workers;
    for (std::size_t i = 0; i < threads; ++i) {
      workers.emplace_back(work);
    }
  }

  CHECK(unexpected == 0);
  std::size_t pages = 0;
  nanoseconds best{0};
  double slowest = 0;
  double fixed_sum = 0;
  std::size_t fixed_gaps = 0;
  const std::vector<site> asked = fifty_sites();
  for (std::size_t k = 0; k < sites.size(); ++k) {
    const site& one = sites[k];
    REQUIRE(one.visits.size() == static_cast<std::size_t>(asked[k].pages));
    pages += one.visits.size();
    for (std::size_t i = 1; i < one.visits.size(); ++i) {
      const nanoseconds gap = one.visits[i].start - one.visits[i - 1].start;
      REQUIRE(gap >= one.visits[i - 1].least);
      REQUIRE(one.visits[i].start >= one.visits[i - 1].next);
      if (one.robots_delay == 0ms && one.latency < 100ms) {
        fixed_sum += std::chrono::duration<double>{gap}.count();
        ++fixed_gaps;
      }
    }
    best = std::max(best, optimum(one));
    // The visits of each host take at most 5 % longer than the least time.
    const nanoseconds took = one.visits.back().end - begin;
    slowest = std::max(
        slowest, static_cast<double>(took.count()) / static_cast<double>(optimum(one).count()));
  }
  const nanoseconds total = clock.now() - begin;
  const double ratio = static_cast<double>(total.count()) / static_cast<double>(best.count());
  MESSAGE(pages << " pages: " << std::chrono::duration<double>{total}.count() << " s, optimum "
                << std::chrono::duration<double>{best}.count() << " s, ratio " << ratio
                << "; the host furthest from its own optimum: " << slowest
                << "; mean gap where the fixed delay of 0.2 s decides: "
                << fixed_sum / static_cast<double>(fixed_gaps) << " s");
  CHECK(ratio <= 1.05);
  CHECK(slowest <= 1.05);
}

TEST_CASE("Threads that each wait for their own next page keep every delay, too") {
  constexpr std::size_t threads = 32;
  const MeetingClock clock{threads};
  gate_options options = gate_with(fixed);
  options.concurrency = threads;  // the clock does not count threads that wait for a reservation
  meeting_gate paced{options, clock};
  const std::vector<site> sites = fifty_sites();
  std::mutex mutex;
  std::vector<std::vector<visit>> visits(sites.size());
  {
    std::vector<std::jthread> workers;
    for (std::size_t i = 0; i < threads; ++i) {
      workers.emplace_back([&, i] {
        for (std::size_t k = 0; k < sites.size(); ++k) {
          const std::size_t index = (7 * i + k * (i % 2 == 0 ? 1 : 49)) % sites.size();
          const site& one = sites[index];
          meeting_gate::answer got = paced.acquire(one.url, one.limits);
          const visit result{.start = got.reservation.at(), .end = {}};
          clock.sleep_until(result.start + one.latency, {});
          got.reservation.complete({.response_time = one.latency, .status = 200});
          const std::lock_guard lock{mutex};
          visits[index].push_back(result);
        }
        clock.leave();
      });
    }
  }
  for (std::size_t k = 0; k < sites.size(); ++k) {
    REQUIRE(visits[k].size() == threads);
    std::ranges::sort(visits[k], {}, &visit::start);
    for (std::size_t i = 1; i < visits[k].size(); ++i) {
      const nanoseconds gap = visits[k][i].start - visits[k][i - 1].start;
      REQUIRE(gap >= std::max<nanoseconds>(fixed / 2, sites[k].robots_delay));
    }
  }
}

// Two threads make hits, one thread at a time. A trace of all stores then shows which lines of
// memory a hit by one thread and a hit by the other thread both change. On a machine with two
// processors, each such line would move between them.
//
//     thread 1: hits on all sites -------------> waits --------------------> ends
//     thread 2:                   starts before, waits -> hits on all sites -> ends
//
// Each thread first makes a hit on each site that does not count, since the first hit of a thread
// also prepares the thread. A store to a page of marks begins and ends each counted hit. Both
// threads exist during all hits, so they share neither a stack nor an arena of the heap. The clock
// stands still, so a mark of use that is due only now and then is not due.
#include "instructions/meter.hpp"
#include "instructions/rows.hpp"
#include "instructions/web.hpp"
#include <robots/cache/basic_robots_cache.hpp>
#include <robots/store/lru_storage.hpp>

#include <sys/mman.h>

#include <barrier>
#include <cstddef>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

namespace bench {
namespace {

constexpr std::size_t sites_asked = 32;

/// The address of a page whose first octets mark the beginning and the end of a hit in the trace.
/// `counts.py` knows it, too.
constexpr std::uintptr_t mark_page = 0x100000000000;

volatile char* marks() {
  static void* const page = mmap(reinterpret_cast<void*>(mark_page), 4096, PROT_READ | PROT_WRITE,
                                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  return static_cast<volatile char*>(page);
}

using asked_cache =
    robots::basic_robots_cache<texts_fetcher, robots::ManualClock, robots::LruStorage<4096>>;

/// Makes two hits on each site. The second one counts.
template <class Hit>
void hit_all(const std::vector<std::string>& urls, Hit hit) {
  for (const std::string& url : urls) {
    hit(url);
  }
  volatile char* const mark = marks();
  for (const std::string& url : urls) {
    mark[0] = 1;
    hit(url);
    mark[1] = 1;
  }
}

template <class Hit>
void by_two_threads(const std::vector<std::string>& urls, Hit hit) {
  std::barrier turn{2};
  std::thread other{[&] {
    turn.arrive_and_wait();  // both threads exist
    turn.arrive_and_wait();  // the first thread has made its hits
    hit_all(urls, hit);
    turn.arrive_and_wait();
  }};
  std::thread first{[&] {
    turn.arrive_and_wait();
    hit_all(urls, hit);
    turn.arrive_and_wait();
    turn.arrive_and_wait();
  }};
  first.join();
  other.join();
}

}  // namespace

void store_by_two_threads() {
  const std::vector<std::string> urls = fixed_urls(sites_asked);
  // A short file, since the trace of the look-ups also takes time.
  asked_cache asking{fixed_options(), texts_fetcher{{"User-agent: *\nDisallow: /private/\n"}}};
  for (const std::string& url : urls) {
    keep(asking.allowed(url));
  }
  by_two_threads(urls, [&](const std::string& url) { keep(asking.allowed(url)); });
  by_two_threads(urls, [&](const std::string& url) { keep(asking.check(url)); });
}

}  // namespace bench

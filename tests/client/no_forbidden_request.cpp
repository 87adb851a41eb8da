// The property of the client: whatever the redirects are, no request reaches a page that the rules,
// a ruling, an exclusion or the guard of addresses forbid.
#include "generated_redirects.hpp"
#include "ruled_crawl.hpp"
#include <robots/client/page_driver.hpp>
#include <robots/client/page_result.hpp>
#include <robots/client/polite_client.hpp>
#include <robots/http/message.hpp>
#include <robots/testing/scripted_fetcher.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace robots::test {

namespace {

/// Fetches pages of the web with `threads` threads.
end_counts crawl(const generated_redirects& web, std::size_t threads,
                 const crawl_size& size = whole_web) {
  ruled_crawl parts{web, size};
  basic_polite_client client{parts.cache, parts.gate, parts.fetcher};
  std::atomic<std::uint64_t> next = 0;
  std::mutex mutex;
  end_counts ends{};
  const auto work = [&] {
    for (std::uint64_t page = next++; page < size.pages; page = next++) {
      const page_result result = client.fetch(generated_redirects::url_of(page));
      const std::scoped_lock lock{mutex};
      ++ends[static_cast<std::size_t>(result.end)];
    }
  };
  std::vector<std::jthread> others;
  for (std::size_t i = 1; i < threads; ++i) {
    others.emplace_back(work);
  }
  work();
  others.clear();
  CHECK((parts.cache.stats().evictions > 0) == (size.room == forgetful.room));
  return ends;
}

/// Fetches pages of the web in one thread, with up to 200 pages at a time.
end_counts crawl_with_driver(const generated_redirects& web, const crawl_size& size = whole_web) {
  ruled_crawl parts{web, size};
  slow_web net{parts.fetcher};
  page_driver driver{parts.cache, parts.gate, net, [] {}};
  end_counts ends{};
  std::uint64_t next = 0;
  while (next < size.pages || driver.size() > 0) {
    while (driver.size() < 200 && next < size.pages) {
      driver.start(generated_redirects::url_of(next++), {}, [&ends](const page_result& result) {
        ++ends[static_cast<std::size_t>(result.end)];
      });
    }
    const auto due = driver.next_run();
    REQUIRE((due || driver.size() == 0));
    if (due) {
      parts.clock.sleep_until(*due, {});
    }
    driver.run();
  }
  CHECK((parts.cache.stats().evictions > 0) == (size.room == forgetful.room));
  return ends;
}

}  // namespace

TEST_CASE("No request reaches a forbidden page of a web of 10,000 pages full of redirects") {
  const generated_redirects web;
  check_ends(web, crawl(web, 1));
}

TEST_CASE("No request reaches a forbidden page when eight threads share a client") {
  const generated_redirects web;
  check_ends(web, crawl(web, 8));
}

TEST_CASE("No request of an event loop reaches a forbidden page") {
  const generated_redirects web;
  const end_counts ends = crawl_with_driver(web);
  check_ends(web, ends);
  const generated_redirects same;
  CHECK(ends == crawl(same, 1));  // both drive the same machine
}

TEST_CASE("No request reaches a forbidden page if the cache loses the rules of most sites") {
  const generated_redirects web;
  check_ends(web, crawl(web, 8, forgetful));
  const generated_redirects same;
  check_ends(same, crawl_with_driver(same, forgetful));
}

}  // namespace robots::test

// The property of no_forbidden_request.cpp in an event loop of Boost.Asio, whose responses come in
// other threads.
#include "generated_redirects.hpp"
#include "ruled_crawl.hpp"
#include <robots/client/page_driver.hpp>
#include <robots/client/page_result.hpp>
#include <robots/http/message.hpp>
#include <robots/testing/scripted_fetcher.hpp>

#include <boost/asio/post.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/thread_pool.hpp>
#include <doctest/doctest.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>

namespace robots::test {

namespace {

/// An `AsyncFetcher` that answers in the threads of a pool.
struct pooled_web {
  void async_fetch(fetch_request request, std::function<void(fetch_response)> done) {
    ++open;
    boost::asio::post(pool, [this, request = std::move(request), done = std::move(done)] {
      fetch_response response = web.fetch(request);
      --open;
      done(std::move(response));
    });
  }

  ScriptedFetcher web;
  boost::asio::thread_pool& pool;
  std::atomic<int> open = 0;  ///< exchanges without a response
};

/// Fetches pages of the web with up to 200 pages at a time. Four threads run the executor.
end_counts crawl_with_asio(const generated_redirects& web, const crawl_size& size) {
  ruled_crawl parts{web, size};
  boost::asio::thread_pool pool{4};
  const auto loop = boost::asio::make_strand(pool);
  pooled_web net{.web = parts.fetcher, .pool = pool};
  end_counts ends{};
  std::uint64_t next = 0;
  std::function<void()> turn;
  const auto run_soon = [&] { boost::asio::post(loop, [&turn] { turn(); }); };
  page_driver driver{parts.cache, parts.gate, net, run_soon};
  turn = [&] {
    driver.run();
    while (driver.size() < 200 && next < size.pages) {
      driver.start(generated_redirects::url_of(next++), {}, [&ends](const page_result& result) {
        ++ends[static_cast<std::size_t>(result.end)];
      });
    }
    // Time passes only while no response is under way. Each response wakes the loop.
    const auto due = driver.next_run();
    if (due && (net.open == 0 || *due <= parts.clock.now())) {
      parts.clock.sleep_until(*due, {});
      run_soon();
    }
  };
  run_soon();
  pool.join();  // until nothing is under way
  CHECK(driver.size() == 0);
  CHECK((parts.cache.stats().evictions > 0) == (size.room == forgetful.room));
  return ends;
}

}  // namespace

TEST_CASE("No request of an event loop of Boost.Asio with four threads reaches a forbidden page") {
  for (const crawl_size& size : {whole_web, forgetful}) {
    CAPTURE(size.room);
    const generated_redirects web;
    check_ends(web, crawl_with_asio(web, size));
  }
}

}  // namespace robots::test

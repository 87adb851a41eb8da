#include "support/gate.hpp"
#include <robots/cache/detail/cache_engine.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <cstddef>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

using robots::cache_detail::background_threads;
using robots::cache_detail::cache_counters;
using robots::cache_detail::cache_event;
using robots::test::gate;

TEST_CASE("Work begins at once, in at most the permitted number of threads") {
  gate door;
  std::atomic<int> done = 0;
  {
    cache_counters counters;
    background_threads threads{3, counters};
    for (std::size_t i = 0; i < 3; ++i) {
      CHECK(threads.run([&] {
        door.pass();
        ++done;
      }));
    }
    door.wait_for_arrivals(3);
    CHECK_FALSE(threads.run([&] { ++done; }));
    door.open();
  }
  CHECK(done == 3);
}

TEST_CASE("A thread that has finished its work takes the next work") {
  std::mutex mutex;
  std::set<std::thread::id> seen;
  std::atomic<int> done = 0;
  {
    cache_counters counters;
    background_threads threads{2, counters};
    for (int i = 0; i < 200; ++i) {
      while (!threads.run([&] {
        const std::scoped_lock lock{mutex};
        seen.insert(std::this_thread::get_id());
        ++done;
      })) {
        std::this_thread::yield();
      }
    }
  }
  CHECK(done == 200);
  CHECK(seen.size() <= 2);
}

TEST_CASE("Work that can wait is done in order, as soon as a thread is free") {
  gate door;
  std::vector<int> done;
  {
    cache_counters counters;
    background_threads threads{1, counters};
    CHECK(threads.run([&] { door.pass(); }));
    door.wait_for_arrivals();
    for (int i = 0; i < 3; ++i) {
      CHECK(threads.run([&done, i] { done.push_back(i); }, true));
    }
    CHECK_FALSE(threads.run([&done] { done.push_back(9); }));
    door.open();
  }
  CHECK(done == std::vector{0, 1, 2});
}

TEST_CASE("An exception in a job counts as a failure, and the thread takes the next job") {
  cache_counters counters;
  bool ran = false;
  {
    gate door;
    background_threads threads{1, counters};
    CHECK(threads.run([&] {
      door.pass();
      throw std::runtime_error{"no memory"};
    }));
    door.wait_for_arrivals();
    CHECK(threads.run([] { throw 7; }, true));
    CHECK(threads.run([&] { ran = true; }, true));
    CHECK(threads.run([&] { door.pass(); }, true));
    door.open();
    door.wait_for_arrivals(2);
  }
  CHECK(ran);
  CHECK(counters.read()[cache_event::failures] == 2);
}

TEST_CASE("With a limit of 0 threads, no work begins") {
  cache_counters counters;
  background_threads none{0, counters};
  bool ran = false;
  CHECK_FALSE(none.run([&ran] { ran = true; }));
  CHECK_FALSE(none.run([&ran] { ran = true; }, true));
  CHECK_FALSE(ran);
}

#include <robots/cache/detail/background_threads.hpp>

#include "support/gate.hpp"

#include <doctest/doctest.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
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

TEST_CASE("Work that somebody waits for is done before work that every caller has left") {
  gate door;
  std::vector<int> done;
  std::array<bool, 6> is_awaited{true, true, true, true, true, true};
  {
    cache_counters counters;
    background_threads threads{1, counters};
    CHECK(threads.run([&] { door.pass(); }));
    door.wait_for_arrivals();
    for (std::size_t i = 0; i < is_awaited.size(); ++i) {
      CHECK(threads.run([&done, i] { done.push_back(static_cast<int>(i)); }, true,
                        [&is_awaited, i] { return is_awaited[i]; }));
    }
    is_awaited = {false, false, true, false, true, false};
    door.open();
  }
  CHECK(done == std::vector{2, 4, 5, 3, 1, 0});
}

TEST_CASE("Work that somebody waits for again moves to the front") {
  gate first;
  gate second;
  std::vector<int> done;
  std::array<bool, 3> is_awaited{false, false, true};
  {
    cache_counters counters;
    background_threads threads{1, counters};
    CHECK(threads.run([&] { first.pass(); }));
    first.wait_for_arrivals();
    CHECK(threads.run([&] { done.push_back(0); }, true, [&] { return is_awaited[0]; }));
    CHECK(threads.run([&] { done.push_back(1); }, true, [&] { return is_awaited[1]; }));
    CHECK(threads.run(
        [&] {
          done.push_back(2);
          second.pass();
        },
        true, [&] { return is_awaited[2]; }));
    first.open();
    second.wait_for_arrivals();  // the other two works are known to be left
    is_awaited[0] = true;
    second.open();
  }
  CHECK(done == std::vector{2, 0, 1});
}

TEST_CASE("Of the work that every caller has left, only the newest is kept") {
  gate door;
  std::vector<std::size_t> done;
  static constexpr std::size_t all = 5'000;
  std::size_t dropped = 0;
  {
    cache_counters counters;
    background_threads threads{1, counters};
    CHECK(threads.run([&] { door.pass(); }));
    door.wait_for_arrivals();
    for (std::size_t i = 0; i < all; ++i) {
      const std::shared_ptr<const void> counting{&dropped, [](std::size_t* sum) { ++*sum; }};
      CHECK(threads.run([&done, i, counting] { done.push_back(i); }, true, [] { return false; }));
    }
    CHECK(dropped > all - 2 * background_threads::most_left - 2);
    CHECK(threads.run([&done] { done.push_back(all); }, true, [] { return true; }));
    door.open();
  }
  REQUIRE(done.size() == 1 + background_threads::most_left);
  CHECK(done[0] == all);
  CHECK(done[1] == all - 1);
  CHECK(done.back() == all - background_threads::most_left);
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

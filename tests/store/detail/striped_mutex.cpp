#include <robots/store/detail/striped_mutex.hpp>

#include <doctest/doctest.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <mutex>
#include <shared_mutex>
#include <thread>
#include <vector>

using robots::base::stripe_count;
using robots::store_detail::striped_mutex;

TEST_CASE("a reader locks out no reader of another stripe") {
  striped_mutex mutex;
  const std::shared_lock mine{mutex};
  bool entered = false;
  std::jthread{[&] {
    const std::shared_lock also{mutex};
    entered = true;
  }}.join();
  CHECK(entered);
}

TEST_CASE("a writer is alone, and readers see all or nothing of what it does") {
  constexpr int rounds = 500;
  striped_mutex mutex;
  std::array<int, 16> values{};  // all equal unless someone is at work on them
  std::atomic<std::size_t> torn = 0;
  {
    std::vector<std::jthread> workers;
    for (int worker = 0; worker < 8; ++worker) {
      workers.emplace_back([&, worker] {
        for (int round = 0; round < rounds; ++round) {
          if (worker < 2) {
            const std::scoped_lock lock{mutex};
            for (int& each : values) {
              ++each;
            }
            continue;
          }
          const std::shared_lock lock{mutex};
          for (const int each : values) {
            torn += each == values.front() ? 0U : 1U;
          }
        }
      });
    }
  }
  CHECK(torn == 0);
  CHECK(values.front() == 2 * rounds);
}

TEST_CASE(
    "more threads than stripes get in, and readers that met a writer count as the others do") {
  constexpr int rounds = 50;
  constexpr std::size_t threads = stripe_count + 16;
  striped_mutex mutex;
  std::atomic<int> inside = 0;
  std::atomic<std::size_t> met = 0;
  int written = 0;
  {
    std::vector<std::jthread> workers;
    for (std::size_t worker = 0; worker < threads; ++worker) {
      workers.emplace_back([&, worker] {
        for (int round = 0; round < rounds; ++round) {
          if (worker % 8 == 0) {
            const std::scoped_lock lock{mutex};
            met += inside == 0 ? 0U : 1U;
            ++written;
          } else {
            const std::shared_lock lock{mutex};
            ++inside;
            std::this_thread::yield();
            --inside;
          }
        }
      });
    }
  }
  CHECK(met == 0);
  CHECK(written == static_cast<int>(threads / 8) * rounds);
}

TEST_CASE("a writer waits for a reader that takes its time, and for no other after it") {
  striped_mutex mutex;
  std::atomic<bool> reading = true;
  std::atomic<bool> wrong = false;
  mutex.lock_shared();
  {
    std::jthread writer{[&] {
      const std::scoped_lock lock{mutex};
      wrong = reading.load();
    }};
    std::jthread reader{[&] { const std::shared_lock lock{mutex}; }};
    for (int i = 0; i < 1'000; ++i) {
      std::this_thread::yield();
    }
    reading = false;
    mutex.unlock_shared();
  }
  CHECK_FALSE(wrong);
}

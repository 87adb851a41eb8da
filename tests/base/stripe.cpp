#include <robots/base/stripe.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <latch>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

using robots::base::place_of_thread;
using robots::base::stripe_count;
using robots::base::stripe_of_thread;

TEST_CASE("A thread keeps its place until it ends, and then others can have it") {
  for (std::size_t i = 0; i < 3 * stripe_count; ++i) {
    std::jthread{[] {
      const std::size_t place = place_of_thread();
      CHECK(place < stripe_count);
      CHECK(place_of_thread() == place);
      CHECK(stripe_of_thread() == place);
    }}.join();
  }
}

TEST_CASE("Threads without a free place share the places after the stripes") {
  constexpr std::size_t threads = 2 * stripe_count;
  std::mutex mutex;
  std::multiset<std::size_t> places;
  std::latch all{threads};
  {
    std::vector<std::jthread> workers;
    for (std::size_t i = 0; i < threads; ++i) {
      workers.emplace_back([&] {
        {
          const std::scoped_lock lock{mutex};
          places.insert(place_of_thread());
        }
        all.arrive_and_wait();
      });
    }
  }
  std::size_t shared = 0;
  for (const std::size_t place : places) {
    CHECK(place < 2 * stripe_count);
    CHECK((place >= stripe_count || places.count(place) == 1));
    shared += place >= stripe_count ? 1 : 0;
  }
  CHECK(shared >= threads - stripe_count);
}

#include <robots/base/striped_mutex.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <barrier>
#include <cstddef>
#include <mutex>
#include <set>
#include <shared_mutex>
#include <thread>
#include <vector>

using robots::base::striped_mutex;

TEST_CASE("Thirty-two threads at once have places of their own, and further threads share others") {
  constexpr std::ptrdiff_t threads = 48;
  std::mutex mutex;
  std::multiset<std::size_t> places;
  {
    std::barrier together{threads};
    std::vector<std::jthread> workers;
    for (std::ptrdiff_t worker = 0; worker < threads; ++worker) {
      workers.emplace_back([&] {
        const std::size_t place = robots::base::place_of_thread();
        together.arrive_and_wait();
        CHECK(place == robots::base::place_of_thread());
        CHECK(place < robots::base::places_end());
        const std::scoped_lock lock{mutex};
        places.insert(place);
      });
    }
  }
  CHECK(places.size() == threads);
  CHECK(*places.rbegin() < robots::base::all_places);
  for (std::size_t own = 0; own < robots::base::own_places; ++own) {
    CHECK(places.count(own) <= 1);
  }
}

TEST_CASE("Two readers hold a striped mutex at once") {
  striped_mutex mutex;
  std::barrier both_inside{2};
  const auto read = [&] {
    const std::shared_lock lock{mutex};
    both_inside.arrive_and_wait();  // waits forever if one reader keeps the other out
  };
  std::jthread other{read};
  read();
}

TEST_CASE("A writer keeps out readers and other writers, with any number of threads") {
  constexpr int threads = 40;
  constexpr int rounds = 500;
  striped_mutex mutex;
  int one = 0;
  int other = 0;
  std::atomic<int> wrong = 0;
  {
    std::vector<std::jthread> workers;
    for (int worker = 0; worker < threads; ++worker) {
      workers.emplace_back([&, worker] {
        for (int round = 0; round < rounds; ++round) {
          if ((round + worker) % 8 == 0) {
            const std::scoped_lock lock{mutex};
            ++one;
            ++other;
          } else {
            const std::shared_lock lock{mutex};
            wrong += one == other ? 0 : 1;
          }
        }
      });
    }
  }
  CHECK(wrong == 0);
  CHECK(one == other);
  CHECK(one >= threads * (rounds / 8));
}

#include <robots/base/owner_count.hpp>

#include <doctest/doctest.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <numeric>
#include <thread>
#include <vector>

namespace {

TEST_CASE("Only the last owner is told so, and it sees what the others have written") {
  constexpr std::size_t threads = 4;
  for (int round = 0; round < 100; ++round) {
    robots::base::owner_count owners;  // the first owner is a thread, too
    for (std::size_t i = 1; i < threads; ++i) {
      owners.add();
    }
    std::array<int, threads> written{};
    std::atomic<int> told = 0;
    int sum = 0;
    {
      std::vector<std::jthread> all;
      for (std::size_t i = 0; i < threads; ++i) {
        all.emplace_back([&, i] {
          owners.add();
          told += owners.remove_last() ? 1 : 0;
          written[i] = 1;
          if (owners.remove_last()) {
            ++told;
            sum = std::accumulate(written.begin(), written.end(), 0);
          }
        });
      }
    }
    REQUIRE(told == 1);
    REQUIRE(sum == int{threads});
  }
}

}  // namespace

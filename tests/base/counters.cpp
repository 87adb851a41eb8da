#include <robots/base/counters.hpp>

#include <doctest/doctest.h>

#include <thread>
#include <vector>

namespace {

enum class event : unsigned char { plain, rare, never };

}  // namespace

TEST_CASE("Counts of many threads add up") {
  robots::base::enum_counters<event::never> counters;
  {
    std::vector<std::jthread> workers;
    for (int worker = 0; worker < 40; ++worker) {
      workers.emplace_back([&counters] {
        for (int i = 0; i < 1'000; ++i) {
          counters.add(event::plain);
        }
        counters.add(event::rare);
      });
    }
  }
  CHECK(counters.read()[event::plain] == 40'000);
  CHECK(counters.read()[event::rare] == 40);
  CHECK(counters.read()[event::never] == 0);
  CHECK(counters.read().total() == 40'040);
}

#include <robots/observe/detail/domain_counters.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

using robots::decision_reason;
using robots::look_up_result;
using domain_counts = robots::metrics_snapshot::domain_counts;
using robots::observe_detail::domain_counters;

TEST_CASE("Each domain has exact counters while there is room; later domains share one set") {
  domain_counters counters{2};
  counters.add("b.example", look_up_result::hit);
  counters.add("a.example", decision_reason::rule);
  for (int i = 0; i < 1'000; ++i) {
    counters.add(std::to_string(i) + ".example", look_up_result::hit);
    counters.add("b.example", look_up_result::hit);
  }
  counters.add("", decision_reason::invalid_url);
  const std::vector<domain_counts> all = counters.read();
  REQUIRE(all.size() == 3);
  CHECK(all[0].domain.empty());
  CHECK(all[0].look_ups[look_up_result::hit] == 1'000);
  CHECK(all[0].denied_for[decision_reason::invalid_url] == 1);
  CHECK(all[1].domain == "a.example");
  CHECK(all[1].denied_for[decision_reason::rule] == 1);
  CHECK(all[2].domain == "b.example");
  CHECK(all[2].look_ups[look_up_result::hit] == 1'001);
}

TEST_CASE("Counters for no domain count nothing") {
  domain_counters counters{0};
  counters.add("a.example", look_up_result::hit);
  counters.add("", decision_reason::rule);
  CHECK(counters.read().empty());
}

TEST_CASE("Threads that count new and known domains at once lose no count") {
  constexpr std::size_t threads = 8;
  constexpr std::size_t rounds = 2'000;
  domain_counters counters{16};
  {
    std::vector<std::jthread> workers;
    for (std::size_t worker = 0; worker < threads; ++worker) {
      workers.emplace_back([&counters] {
        for (std::size_t i = 0; i < rounds; ++i) {
          counters.add(std::to_string(i % 32) + ".example", look_up_result::hit);
          if (i % 100 == 0) {
            CHECK(counters.read().size() <= 17);
          }
        }
      });
    }
  }
  const std::vector<domain_counts> all = counters.read();
  CHECK(all.size() == 17);
  std::uint64_t total = 0;
  for (const domain_counts& own : all) {
    total += own.look_ups.total();
  }
  CHECK(total == threads * rounds);
}

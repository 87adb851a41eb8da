#include <robots/observe/detail/frequent_hosts.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <string>

using host_count = robots::metrics_snapshot::host_count;
using robots::observe_detail::frequent_hosts;

TEST_CASE("A few hosts are counted exactly") {
  frequent_hosts hosts{16};
  hosts.add("a.example");
  hosts.add("b.example");
  hosts.add("a.example");
  const auto all = hosts.read();
  REQUIRE(all.size() == 2);
  CHECK(all[0] == host_count{"a.example", 2});
  CHECK(all[1] == host_count{"b.example", 1});
}

TEST_CASE("A frequent host is found among any number of others, in bounded memory") {
  constexpr std::size_t room = 64;
  frequent_hosts hosts{room};
  constexpr std::uint64_t often = 5'000;
  for (std::uint64_t i = 0; i < often; ++i) {
    hosts.add("often.example");
    for (int other = 0; other < 4; ++other) {
      hosts.add(std::to_string(i) + "." + std::to_string(other) + ".example");
    }
  }
  const auto all = hosts.read();
  CHECK(all.size() <= room);
  CHECK(all.front().host == "often.example");
  std::uint64_t total = 0;
  for (const host_count& one : all) {
    CHECK(one.over < one.count);
    total += one.count;
  }
  CHECK(total == 5 * often);
  CHECK(all.front().count >= often);
  CHECK(all.front().count - all.front().over <= often);
}

TEST_CASE("With a capacity of 0, nothing is counted") {
  frequent_hosts hosts{0};
  hosts.add("a.example");
  CHECK(hosts.read().empty());
}

// Times passes over an input.
#pragma once

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace bench {

/// The time of several similar operations.
struct timing {
  std::uint64_t operations = 0;
  std::uint64_t octets = 0;  ///< the octets of the files that they read
  std::uint64_t nanoseconds = 0;
};

/// Makes passes over `count` operations until `budget` is over, after one pass to warm up. Returns
/// the fastest pass. If the first pass takes longer than `budget`, returns the part that was done.
///
/// `once(i)` does the i-th operation and returns a value that must not be optimised away.
/// `octets(i)` is the number of octets that it reads.
template <class Once, class Octets>
timing best_pass(std::size_t count, std::chrono::nanoseconds budget, Once once, Octets octets) {
  using clock = std::chrono::steady_clock;
  const auto since = [](clock::time_point start) { return clock::now() - start; };
  const auto start = clock::now();
  timing result;
  for (std::size_t i = 0; i < count; ++i) {
    benchmark::DoNotOptimize(once(i));
    ++result.operations;
    result.octets += octets(i);
    if (since(start) > budget) {
      break;
    }
  }
  auto best = clock::duration::max();
  if (result.operations < count) {
    best = since(start);
  } else {
    do {
      const auto pass = clock::now();
      for (std::size_t i = 0; i < count; ++i) {
        benchmark::DoNotOptimize(once(i));
      }
      best = std::min(best, since(pass));
    } while (since(start) < budget);
  }
  result.nanoseconds = static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(best).count());
  return result;
}

}  // namespace bench

// The costs of the parts of a cache look-up.
#include "inputs/hosts.hpp"

#include <benchmark/benchmark.h>
#include <boost/unordered/unordered_flat_map.hpp>

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

namespace bench {
namespace {

template <class Hash>
void hash_find(benchmark::State& state) {
  const std::vector<std::string> names = host_names(4096);
  const std::vector<std::string> asked = shuffled(names);
  boost::unordered_flat_map<std::string_view, std::size_t, Hash> table;
  for (const std::string& name : names) {
    table.emplace(name, table.size());
  }
  std::size_t next = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(table.find(asked[next])->second);
    next = next + 1 == asked.size() ? 0 : next + 1;
  }
}
BENCHMARK(hash_find<boost::hash<std::string_view>>)->Name("primitive/hash-find/boost-hash");
BENCHMARK(hash_find<std::hash<std::string_view>>)->Name("primitive/hash-find/std-hash");

void clock_read(benchmark::State& state) {
  for (auto _ : state) {
    benchmark::DoNotOptimize(std::chrono::steady_clock::now());
  }
}
BENCHMARK(clock_read)->Name("primitive/clock/read");

void uncontended_mutex(benchmark::State& state) {
  std::mutex mutex;
  for (auto _ : state) {
    const std::scoped_lock lock{mutex};
    benchmark::ClobberMemory();
  }
}
BENCHMARK(uncontended_mutex)->Name("primitive/mutex/uncontended");

void shared_pointer(benchmark::State& state) {
  const auto stored = std::make_shared<const int>(1);
  for (auto _ : state) {
    const std::shared_ptr<const int> copy = stored;
    benchmark::DoNotOptimize(copy.get());
  }
}
BENCHMARK(shared_pointer)->Name("primitive/shared-ptr/copy-and-drop");

}  // namespace
}  // namespace bench

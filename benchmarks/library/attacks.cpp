#include "library/attacks.hpp"

#include "inputs/shapes.hpp"
#include "library/texts_fetcher.hpp"
#include <robots/cache/basic_robots_cache.hpp>
#include <robots/store/lru_storage.hpp>
#include <robots/time/steady_clock.hpp>

#include <benchmark/benchmark.h>

#include <cstddef>
#include <string>
#include <string_view>

namespace bench {
namespace {

/// Times `check(url)` on a hit: the most work that a site can cause with one link.
void check(benchmark::State& state, attack (*make)(std::size_t)) {
  const attack one = make(static_cast<std::size_t>(state.range(0)));
  robots::basic_robots_cache<texts_fetcher, robots::SteadyClock, robots::LruStorage<16>> stored{
      {.user_agent = "FooBot/1.0", .fallback = robots::fallback_policy::rfc9309()},
      texts_fetcher{{one.file}}};
  const std::string url = "https://example.com" + one.path;
  benchmark::DoNotOptimize(stored.check(url));
  for (auto _ : state) {
    benchmark::DoNotOptimize(stored.check(url));
  }
}

}  // namespace

void register_attack_rows(bool trial) {
  const auto add = [trial](const char* name, attack (*make)(std::size_t)) {
    benchmark::RegisterBenchmark((std::string{"attack/robots-cpp/"} + name).c_str(), check, make)
        ->Arg(65'536)
        ->Arg(1'048'576)
        ->Iterations(1)
        ->Repetitions(trial ? 1 : 15);
  };
  add("many-begin", many_begin);
  add("many-nearly", many_nearly);
  add("one-octet-off", one_octet_off);
  add("long-literals", long_literals);
  add("many-stars", many_stars);
  add("escaped", escaped);
}

}  // namespace bench

// Parsing a file and asking its rules, over generated files of one group and a growing number of
// rules. Every tenth rule has wildcards.
#include <robots/robots.hpp>

#include <benchmark/benchmark.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace {

std::string file_of(std::int64_t rules) {
  std::string text = "User-agent: *\n";
  for (std::int64_t i = 0; i < rules; ++i) {
    const std::string number = std::to_string(i);
    text += i % 3 == 0 ? "Allow: /" : "Disallow: /";
    text += i % 10 == 0 ? "*/section-" + number + "/*.html$\n" : "section-" + number + "/page\n";
  }
  return text;
}

std::vector<std::string> targets_of(std::int64_t rules) {
  std::vector<std::string> targets;
  for (std::int64_t i = 0; i < 64; ++i) {
    const std::string number = std::to_string(i * 7919 % (2 * rules));
    targets.push_back("/section-" + number + "/page/" + number + ".html?query=1");
  }
  return targets;
}

void parse(benchmark::State& state) {
  const std::string text = file_of(state.range(0));
  for (auto _ : state) {
    benchmark::DoNotOptimize(robots::parse(text));
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(text.size()));
}
BENCHMARK(parse)->RangeMultiplier(10)->Range(2, 20'000);

void match(benchmark::State& state) {
  const robots::rule_set rules = robots::compile(file_of(state.range(0)), "FerretBot");
  const std::vector<std::string> targets = targets_of(state.range(0));
  std::size_t next = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(rules.match(targets[next]));
    next = (next + 1) % targets.size();
  }
}
BENCHMARK(match)->RangeMultiplier(10)->Range(2, 20'000);

}  // namespace

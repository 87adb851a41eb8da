#include "library/heap.hpp"

#include "inputs/hosts.hpp"
#include "library/small_sites.hpp"
#include "library/texts_fetcher.hpp"
#include "support/allocations.hpp"
#include <robots/cache/basic_robots_cache.hpp>
#include <robots/rep/document/document.hpp>
#include <robots/rep/rules/compile.hpp>
#include <robots/rep/rules/crawler_directives.hpp>
#include <robots/rep/rules/rule_set.hpp>
#include <robots/store/lru_storage.hpp>
#include <robots/time/steady_clock.hpp>

#include <benchmark/benchmark.h>
#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <string>
#include <string_view>

namespace bench {
namespace {

constexpr std::size_t small_file = 64 * 1024;

/// The octets of the rules in a rule set.
struct rule_octets {
  std::size_t lines = 0;  // `key: value` and a line end, which RFC 9309, section 2.1, calls a rule
  std::size_t patterns = 0;  // the values alone
};

rule_octets octets_of_rules(const std::string& text, const std::string& agent) {
  rule_octets sum;
  const robots::document file = robots::parse(text);
  for (const robots::directive& line : file.directives_for(agent)) {
    const bool rule =
        line.kind == robots::directive_kind::allow || line.kind == robots::directive_kind::disallow;
    if (!rule || line.value.empty()) {
      continue;
    }
    sum.lines += line.key.size() + line.value.size() + 3;
    sum.patterns += line.value.size();
  }
  return sum;
}

/// Calls `visit` once for each pair of file and agent in the questions.
template <class Visit>
void for_each_rule_set(const input& in, Visit visit) {
  std::vector<std::string_view> seen;
  std::size_t file = in.files.size();
  for (const question& q : in.questions) {
    if (q.file != file) {
      seen.clear();
      file = q.file;
    }
    if (std::ranges::find(seen, q.agent) == seen.end()) {
      seen.push_back(q.agent);
      visit(in.files[q.file], q.agent);
    }
  }
}

void set(benchmark::State& state, const char* name, double value) { state.counters[name] = value; }

void memory(benchmark::State& state, const input& in) {
  double sets = 0;
  double heap = 0;
  double reported = 0;
  double lines = 0;
  double patterns = 0;
  double within = 0;
  double worst = 0;
  for (auto _ : state) {
    for_each_rule_set(in, [&](const std::string& text, const std::string& agent) {
      const rule_octets rules = octets_of_rules(text, agent);
      const allocation_scope scope;
      const robots::rule_set compiled = robots::compile(text, agent);
      const auto held = static_cast<double>(scope.used().live + sizeof compiled);
      const double allowed = 4.0 / 3 * static_cast<double>(rules.lines) + 200;
      ++sets;
      heap += held;
      reported += static_cast<double>(compiled.memory_bytes());
      lines += static_cast<double>(rules.lines);
      patterns += static_cast<double>(rules.patterns);
      within += held <= allowed ? 1 : 0;
      worst = std::max(worst, held / allowed);
    });
  }
  set(state, "sets", sets);
  set(state, "heap", heap);
  set(state, "memory_bytes", reported);
  set(state, "rule_lines", lines);
  set(state, "patterns", patterns);
  set(state, "within", within);
  set(state, "worst", worst);
}

/// Returns the number of allocations of `once(i)` for all i below `count`.
template <class Once>
void count_allocations(benchmark::State& state, std::size_t count, Once once) {
  std::uint64_t all = 0;
  std::uint64_t most = 0;
  for (auto _ : state) {
    for (std::size_t i = 0; i < count; ++i) {
      const allocation_scope scope;
      once(i);
      all += scope.used().allocations;
      most = std::max(most, scope.used().allocations);
    }
  }
  set(state, "operations", static_cast<double>(count));
  set(state, "allocations", static_cast<double>(all));
  set(state, "most", static_cast<double>(most));
}

void parse(benchmark::State& state, const input& in) {
  std::vector<const std::string*> texts;
  for (const std::string& text : in.files) {
    if (text.size() < small_file) {
      texts.push_back(&text);
    }
  }
  count_allocations(state, texts.size(),
                    [&](std::size_t i) { benchmark::DoNotOptimize(robots::parse(*texts[i])); });
}

void compile(benchmark::State& state, const input& in) {
  count_allocations(state, in.questions.size(), [&](std::size_t i) {
    const question& q = in.questions[i];
    benchmark::DoNotOptimize(robots::compile(in.files[q.file], q.agent));
  });
}

void match(benchmark::State& state, const input& in) {
  std::size_t file = in.files.size();
  std::string_view agent;
  robots::rule_set rules;
  std::uint64_t all = 0;
  std::uint64_t most = 0;
  for (auto _ : state) {
    for (const question& q : in.questions) {
      if (q.file != file || q.agent != agent) {
        rules = robots::compile(in.files[q.file], q.agent);
        file = q.file;
        agent = q.agent;
      }
      const allocation_scope scope;
      benchmark::DoNotOptimize(rules.match(q.path));
      all += scope.used().allocations;
      most = std::max(most, scope.used().allocations);
    }
  }
  set(state, "operations", static_cast<double>(in.questions.size()));
  set(state, "allocations", static_cast<double>(all));
  set(state, "most", static_cast<double>(most));
}

/// Measures a cache with a host for each file.
void memory_of_hosts(benchmark::State& state, const input& in) {
  constexpr std::size_t most_hosts = 4096;
  const std::size_t hosts = std::min(in.files.size(), most_hosts);
  const std::vector<std::string> urls = urls_on(host_names(hosts));
  double files = 0;
  for (std::size_t i = 0; i < hosts; ++i) {
    files += static_cast<double>(in.files[i].size());
  }
  const texts_fetcher web{in.files};
  for (auto _ : state) {
    const allocation_scope scope;
    robots::basic_robots_cache<texts_fetcher, robots::SteadyClock, robots::LruStorage<most_hosts>>
        cache{{.user_agent = "FooBot/1.0 (+https://foo.example/bot)",
               .fallback = robots::fallback_policy::rfc9309(),
               .longest_call = {}},  // this thread does all the work, so it counts all allocations
              web};
    for (const std::string& url : urls) {
      benchmark::DoNotOptimize(cache.allowed(url));
    }
    const heap_use filled = scope.used();
    for (const std::string& url : urls) {
      benchmark::DoNotOptimize(cache.allowed(url));
    }
    const heap_use asked = scope.used();
    set(state, "heap", static_cast<double>(filled.live + sizeof cache));
    set(state, "hit_allocations", static_cast<double>(asked.allocations - filled.allocations));
  }
  set(state, "hosts", static_cast<double>(urls.size()));
  set(state, "files", files);
}

/// Returns the memory of the process in octets.
double resident_memory() {
  malloc_trim(0);
  std::ifstream statm{"/proc/self/statm"};
  double size = 0;
  double resident = 0;
  statm >> size >> resident;
  return resident * static_cast<double>(sysconf(_SC_PAGESIZE));
}

/// Measures a cache of many sites with similar files.
void memory_of_small_sites(benchmark::State& state, const small_site& web) {
  constexpr int sites = 200'000;
  using storage = robots::LruStorage<sites>;
  for (auto _ : state) {
    const double before = resident_memory();
    robots::basic_robots_cache<small_site, robots::SteadyClock, storage> cache{
        {.user_agent = "FooBot/1.0 (+https://foo.example/bot)",
         .fallback = robots::fallback_policy::rfc9309()},
        web,
        {},
        storage{std::size_t{1} << 30U}};
    for (int i = 0; i < sites; ++i) {
      benchmark::DoNotOptimize(
          cache.allowed("https://site" + std::to_string(i) + ".example.com/page"));
    }
    set(state, "resident", resident_memory() - before);
  }
  set(state, "hosts", sites);
}

}  // namespace

void register_heap_rows(const std::vector<input>& inputs) {
  using row = void (*)(benchmark::State&, const input&);
  const auto add = [](std::string name, row body, const input& in) {
    benchmark::RegisterBenchmark((name + in.name).c_str(), body, in)
        ->Iterations(1)
        ->Repetitions(1)
        ->Unit(benchmark::kMillisecond);
  };
  for (const small_site& one : small_sites) {
    benchmark::RegisterBenchmark((std::string{"memory-sites/robots-cpp/"} + one.name).c_str(),
                                 memory_of_small_sites, one)
        ->Iterations(1)
        ->Repetitions(1)
        ->Unit(benchmark::kMillisecond);
  }
  for (const input& in : inputs) {
    if (in.name.ends_with("-shuffled")) {
      continue;
    }
    add("memory/robots-cpp/", memory, in);
    if (in.files.size() >= 16) {
      add("memory-hosts/robots-cpp/", memory_of_hosts, in);
    }
    add("allocations-match/robots-cpp/", match, in);
    if (in.files.front().size() < small_file || in.name == "real") {
      add("allocations-parse/robots-cpp/", parse, in);
      add("allocations-compile/robots-cpp/", compile, in);
    }
  }
}

}  // namespace bench

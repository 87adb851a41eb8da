#include "library/cache.hpp"

#include "inputs/hosts.hpp"
#include "inputs/shapes.hpp"
#include "library/texts_fetcher.hpp"
#include "limits/plain_lru.hpp"
#ifdef BENCH_HAS_AUDIT
#include <robots/adapters/audit/audit_trail.hpp>
#endif
#include <robots/cache/basic_robots_cache.hpp>
#include <robots/fetch/outcome.hpp>
#include <robots/fetch/retrieval_result.hpp>
#include <robots/observe/json_log.hpp>
#include <robots/observe/metrics.hpp>
#include <robots/observe/observer.hpp>
#include <robots/policy/codec.hpp>
#include <robots/policy/judge.hpp>
#include <robots/policy/policy.hpp>
#include <robots/rep/rules/compile.hpp>
#include <robots/store/lru_storage.hpp>
#include <robots/time/clock.hpp>
#include <robots/time/steady_clock.hpp>

#include <benchmark/benchmark.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace bench {
namespace {

constexpr std::size_t capacity = 4096;
constexpr std::array thread_counts{1, 2, 16};
constexpr int most_threads = 16;

/// The median size of the real files.
std::string body() {
  dice random{6};
  return mixed_file(560, random);
}

template <std::size_t Capacity, class Observer = robots::NullObserver>
using cache = robots::basic_robots_cache<texts_fetcher, robots::SteadyClock,
                                         robots::LruStorage<Capacity>, Observer>;

texts_fetcher web() { return texts_fetcher{{body()}}; }

robots::cache_options options() {
  return {.user_agent = "FooBot/1.0 (+https://foo.example/bot)",
          .fallback = robots::fallback_policy::rfc9309()};
}

/// Repeats texts. Each thread begins at a different position.
class rounds {
 public:
  rounds(const std::vector<std::string>& texts, const benchmark::State& state)
      : texts_(texts),
        next_(texts.size() / static_cast<std::size_t>(state.threads()) *
              static_cast<std::size_t>(state.thread_index())) {}

  const std::string& next() {
    next_ = next_ + 1 == texts_.size() ? 0 : next_ + 1;
    return texts_[next_];
  }

 private:
  const std::vector<std::string>& texts_;
  std::size_t next_;
};

template <std::size_t Capacity>
struct filled_cache {
  explicit filled_cache(std::size_t hosts) : urls(urls_on(host_names(hosts))) {
    for (const std::string& url : urls) {
      benchmark::DoNotOptimize(storage.allowed(url));
    }
    urls = shuffled(urls);  // the hosts are asked in another order than fetched
  }

  std::vector<std::string> urls;
  cache<Capacity> storage{options(), web()};
};

struct filled_lru {
  explicit filled_lru(std::size_t count = capacity) : hosts(host_names(count)), storage(count) {
    for (const std::string& host : hosts) {
      storage.store(host, std::make_shared<const std::string>(host));
    }
    hosts = shuffled(hosts);
  }

  std::vector<std::string> hosts;
  plain_lru<std::string> storage;
};

/// Reports the share of hits at the end of a row.
template <class Cache>
class hit_share {
 public:
  hit_share(benchmark::State& state, const Cache& storage)
      : state_(state), kept_(storage), before_(storage.stats()) {}
  hit_share(const hit_share&) = delete;
  hit_share& operator=(const hit_share&) = delete;

  ~hit_share() {
    if (state_.thread_index() != 0) {
      return;
    }
    const robots::cache_stats after = kept_.stats();
    const auto hits = static_cast<double>(after.hits - before_.hits);
    const auto misses = static_cast<double>(after.misses - before_.misses);
    state_.counters["hit_share"] = hits / (hits + misses);
  }

 private:
  benchmark::State& state_;
  const Cache& kept_;
  robots::cache_stats before_;
};

/// Texts that always miss: each thread has twice as many texts as the cache can hold. The next row
/// continues where this row stops.
class strangers {
 public:
  explicit strangers(std::vector<std::string> texts) : texts_(std::move(texts)) {}

  /// Calls `ask(text)` until the row ends.
  template <class Ask>
  void ask_each(benchmark::State& state, Ask ask) {
    const auto thread = static_cast<std::size_t>(state.thread_index());
    std::size_t next = next_.at(thread);
    for (auto _ : state) {
      ask(texts_[thread * per_thread + next]);
      next = next + 1 == per_thread ? 0 : next + 1;
    }
    next_.at(thread) = next;
  }

  static constexpr std::size_t per_thread = 2 * capacity;

 private:
  std::vector<std::string> texts_;
  std::array<std::size_t, most_threads> next_{};
};

/// The caches of all rows. They are filled in the same order in every run, so that their memory has
/// the same layout.
struct shared {
  filled_cache<capacity> hits{capacity};
  filled_lru plain;
  std::array<filled_lru, most_threads> independent;
};

shared& all() {
  static shared result;
  return result;
}

void hit(benchmark::State& state) {
  auto& [urls, stored] = all().hits;
  rounds round{urls, state};
  const hit_share share{state, stored};
  for (auto _ : state) {
    benchmark::DoNotOptimize(stored.allowed(round.next()));
  }
}

void check(benchmark::State& state) {
  auto& [urls, stored] = all().hits;
  rounds round{urls, state};
  const hit_share share{state, stored};
  for (auto _ : state) {
    benchmark::DoNotOptimize(stored.check(round.next()));
  }
}

void miss(benchmark::State& state) {
  static strangers urls{urls_on(host_names(strangers::per_thread * most_threads))};
  static cache<capacity> stored{options(), web()};
  const hit_share share{state, stored};
  urls.ask_each(state,
                [](const std::string& url) { benchmark::DoNotOptimize(stored.allowed(url)); });
}

void find_in(filled_lru& lru, benchmark::State& state) {
  rounds round{lru.hosts, state};
  for (auto _ : state) {
    benchmark::DoNotOptimize(lru.storage.find(round.next()));
  }
}

void plain_hit(benchmark::State& state) { find_in(all().plain, state); }

/// Gives each thread its own plain LRU, which is the upper limit of this machine.
void independent(benchmark::State& state) {
  find_in(all().independent.at(static_cast<std::size_t>(state.thread_index())), state);
}

/// Does the least work of a miss: parses the file, stores the rules, evicts the oldest entry.
void plain_miss(benchmark::State& state) {
  static strangers names{host_names(strangers::per_thread * most_threads)};
  static plain_lru<robots::rule_set> stored{capacity};
  const std::string text = body();
  names.ask_each(state, [&](const std::string& name) {
    benchmark::DoNotOptimize(stored.find(name));
    stored.store(name, std::make_shared<const robots::rule_set>(robots::compile(text, "FooBot")));
  });
}

/// Handles a miss for which another process has a record: decodes, judges and stores the record.
void record(benchmark::State& state) {
  static strangers names{host_names(strangers::per_thread * most_threads)};
  static robots::LruStorage<capacity> stored;
  const robots::wall_anchor now{robots::SteadyClock{}.now(), std::chrono::system_clock::now()};
  const robots::detail::judge_options judging{.fallback = options().fallback};
  robots::detail::retrieval_result fetched;
  fetched.outcome = robots::outcome::success;
  fetched.url = fetched.final_url = "https://site-00017.example.com/robots.txt";
  fetched.status = 200;
  fetched.body = body();
  fetched.exchanges.push_back({fetched.url, fetched.status});
  const std::string octets = robots::detail::encode(
      robots::detail::record_of(std::move(fetched), {}, judging, now.wall, 0));
  names.ask_each(state, [&](const std::string& name) {
    benchmark::DoNotOptimize(stored.find(name, now.steady));
    auto read = robots::detail::decode(octets);
    const auto result = robots::detail::judge(*read.value, "FooBot", judging, {}, now);
    const robots::detail::validity until = robots::detail::validity_of(*result, judging);
    stored.store(name, {result, until.fresh_until, until.keep_until}, now.steady);
  });
}

constexpr std::size_t most_hosts = 65'536;

/// Returns the cache with `hosts` hosts. Makes it once, since a large cache takes a second to fill.
template <class Filled>
Filled& of_hosts(const benchmark::State& state) {
  static std::map<std::int64_t, Filled> filled;
  const std::int64_t count = state.range(0);
  return filled.try_emplace(count, static_cast<std::size_t>(count)).first->second;
}

void hosts(benchmark::State& state) {
  auto& [urls, stored] = of_hosts<filled_cache<most_hosts>>(state);
  rounds round{urls, state};
  const hit_share share{state, stored};
  for (auto _ : state) {
    benchmark::DoNotOptimize(stored.allowed(round.next()));
  }
}

void plain_hosts(benchmark::State& state) { find_in(of_hosts<filled_lru>(state), state); }

/// Returns an observer with the options of a real crawler.
template <class Observer>
Observer watcher() {
  return Observer{};
}
constexpr double told_share = 0.01;
template <>
robots::JsonLog watcher() {
  return robots::JsonLog{[](std::string_view) {}, {.decision_share = told_share}};
}
#ifdef BENCH_HAS_AUDIT
template <>
robots::AuditTrail watcher() {
  const auto folder = std::filesystem::temp_directory_path() / "robots-benchmarks-audit";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  return {{.path = (folder / "trail").string(), .share = told_share}, options()};
}
#endif

/// Decides by fresh rules. There are few hosts, so that the observer takes much of the time.
template <class Observer>
void watched(benchmark::State& state) {
  constexpr std::size_t few = 16;
  static const std::vector<std::string> urls = urls_on(host_names(few));
  static cache<few, Observer> storage{options(), web(), {}, {}, watcher<Observer>()};
  rounds round{urls, state};
  for (auto _ : state) {
    benchmark::DoNotOptimize(storage.check(round.next()));
  }
}

}  // namespace

void register_cache_rows(bool trial) {
  all();
  const auto by_threads = [trial](const char* name, void (*row)(benchmark::State&),
                                  int iterations = 0) {
    for (const int threads : thread_counts) {
      // With many short repetitions, no other program uses a core during some of them.
      auto* const timed = benchmark::RegisterBenchmark(name, row)->Threads(threads)->UseRealTime();
      if (iterations == 0) {
        timed->Repetitions(trial ? 1 : 15)->MinTime(trial ? 0.0001 : 0.02);
      } else {
        timed->Repetitions(trial ? 1 : 100)->Iterations(iterations);
      }
    }
  };
  by_threads("cache/robots-cpp/hit", hit);
  by_threads("cache/plain-lru/hit", plain_hit);
  by_threads("cache/independent/hit", independent);
  by_threads("cache/robots-cpp/check", check);
  by_threads("cache/robots-cpp/miss", miss);
  by_threads("cache/robots-cpp/record", record);
  by_threads("cache/plain-lru/miss", plain_miss);
  // There are more and shorter repetitions, since a few nanoseconds matter.
  constexpr int millisecond = 10'000;
  by_threads("watch/nobody/check", watched<robots::NullObserver>, millisecond);
  by_threads("watch/metrics/check", watched<robots::Metrics>, millisecond);
  by_threads("watch/log/check", watched<robots::JsonLog>, millisecond);
#ifdef BENCH_HAS_AUDIT
  by_threads("watch/audit/check", watched<robots::AuditTrail>, millisecond);
#endif
  const auto by_hosts = [trial](const char* name, void (*row)(benchmark::State&)) {
    benchmark::RegisterBenchmark(name, row)
        ->RangeMultiplier(4)
        ->Range(16, most_hosts)
        ->Repetitions(trial ? 1 : 15)
        ->MinTime(trial ? 0.0001 : 0.02);
  };
  by_hosts("cache/robots-cpp/hosts", hosts);
  by_hosts("cache/plain-lru/hosts", plain_hosts);
}

}  // namespace bench

// Measures everything, and writes the figures to a folder for report/report.py: results.json
// (Google Benchmark's), verdicts.tsv (all answers to a sample of the questions), and notes.tsv
// (what was measured, and what is missing and why).
//
//     robots-benchmarks --out=FOLDER [--trial] [options of Google Benchmark]
#include "inputs/inputs.hpp"
#include "library/attacks.hpp"
#include "library/cache.hpp"
#include "library/heap.hpp"
#include "peers/peer.hpp"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#ifndef BENCH_CORPUS_DIR
#define BENCH_CORPUS_DIR ""
#endif

namespace {

using namespace bench;
using namespace std::chrono_literals;

struct settings {
  std::filesystem::path out = ".";
  bool trial = false;  // each row runs once and briefly, as a test
};

/// Reports the progress on the terminal and in notes.tsv.
class notes {
 public:
  explicit notes(const std::filesystem::path& file) : out_(file, std::ios::binary) {}

  void add(std::string_view part, std::string_view name, std::string_view text) {
    out_ << part << '\t' << name << '\t' << text << '\n';
    std::cout << part << ' ' << name << ": " << text << std::endl;
  }

 private:
  std::ofstream out_;
};

std::vector<std::unique_ptr<peer>> start_peers(notes& log) {
  std::vector<std::unique_ptr<peer>> peers;
  for (const candidate& one : candidates()) {
    if (!one.start) {
      log.add("left-out", one.name, one.absent);
      continue;
    }
    try {
      peers.push_back(one.start());
      log.add("measured", one.name, peers.back()->note());
    } catch (const peer_error& error) {
      log.add("left-out", one.name, error.what());
    }
  }
  return peers;
}

void time_row(benchmark::State& state, peer& who, operation step, const input& in,
              std::chrono::milliseconds budget) {
  for (auto _ : state) {
    try {
      const timing took = who.time(step, in, budget);
      const auto operations = static_cast<double>(took.operations);
      state.SetIterationTime(static_cast<double>(took.nanoseconds) * 1e-9 / operations);
      state.counters["operations"] = operations;
      state.counters["octets"] = static_cast<double>(took.octets) / operations;
      const std::size_t all = step == operation::match ? in.questions.size() : in.files.size();
      state.counters["of"] = static_cast<double>(all);
    } catch (const peer_error& error) {
      state.SkipWithError(error.what());
      return;
    }
  }
}

/// Registers the rows of all peers on all inputs. Tries each row once before timing, so that every
/// run allocates memory in the same order.
void register_rows(const std::vector<std::unique_ptr<peer>>& peers,
                   const std::vector<input>& inputs, bool trial) {
  constexpr std::pair<operation, std::string_view> operations[] = {
      {operation::parse, "parse"}, {operation::compile, "compile"}, {operation::match, "match"}};
  for (const input& in : inputs) {
    const auto budget = trial ? 1ms : in.name.starts_with("real") ? 200ms : 20ms;
    for (const auto& [kind, word] : operations) {
      for (const auto& who : peers) {
        if (!who->does(kind, in)) {
          continue;
        }
        try {
          static_cast<void>(who->time(kind, in, 0ms));
        } catch (const peer_error&) {  // the row has the reason
        }
        const std::string name = std::string{word} + '/' + who->name() + '/' + in.name;
        benchmark::RegisterBenchmark(name.c_str(), time_row, std::ref(*who), kind, std::cref(in),
                                     budget)
            ->Iterations(1)
            ->UseManualTime();
      }
    }
  }
}

/// Writes the answers of every peer to the same questions, one column for each peer.
void write_verdicts(const std::filesystem::path& path,
                    const std::vector<std::unique_ptr<peer>>& peers,
                    const std::vector<input>& inputs, notes& log) {
  std::ofstream out{path, std::ios::binary};
  for (const input& in : inputs) {
    std::vector<std::string> names;
    std::vector<std::string> columns;
    for (const auto& who : peers) {
      if (who->does(operation::compile, in)) {
        try {
          columns.push_back(who->verdicts(in));
          names.push_back(who->name());
        } catch (const peer_error& error) {
          log.add("no-verdicts", who->name(), in.name + ": " + error.what());
        }
      }
    }
    out << "input\tfile\tagent\tpath";
    for (const std::string& name : names) {
      out << '\t' << name;
    }
    out << '\n';
    for (std::size_t i = 0; i < in.questions.size(); ++i) {
      const question& q = in.questions[i];
      out << in.name << '\t' << in.file_names[q.file] << '\t' << q.agent << '\t' << q.path;
      for (const std::string& column : columns) {
        out << '\t' << column[i];
      }
      out << '\n';
    }
  }
}

/// Prints nothing: the report has the figures.
class silent_reporter final : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>&) override {}
};

settings take_settings(std::vector<std::string>& arguments) {
  settings result;
  std::erase_if(arguments, [&](const std::string& argument) {
    if (argument == "--trial") {
      result.trial = true;
      return true;
    }
    if (argument.starts_with("--out=")) {
      result.out = argument.substr(6);
      return true;
    }
    return false;
  });
  return result;
}

/// Sets Google Benchmark's options. Those of the command line are last, and take precedence.
void initialize(const settings& chosen, const std::vector<std::string>& arguments) {
  static std::vector<std::string> all;  // Google Benchmark keeps a pointer to its first argument
  all = {arguments.front(),
         "--benchmark_enable_random_interleaving=true",
         "--benchmark_repetitions=" + std::string{chosen.trial ? "1" : "5"},
         "--benchmark_min_time=" + std::string{chosen.trial ? "0.0001" : "0.05"},
         "--benchmark_out_format=json",
         "--benchmark_out=" + (chosen.out / "results.json").string()};
  all.insert(all.end(), arguments.begin() + 1, arguments.end());
  std::vector<char*> pointers;
  for (std::string& argument : all) {
    pointers.push_back(argument.data());
  }
  int count = static_cast<int>(pointers.size());
  benchmark::Initialize(&count, pointers.data());
  if (benchmark::ReportUnrecognizedArguments(count, pointers.data())) {
    std::exit(2);
  }
}

}  // namespace

int main(int count, char** values) {
  // Until a process starts a second thread, the C++ library does not use atomic operations.
  std::thread{[] {}}.join();

  std::vector<std::string> arguments{values, values + count};
  const settings chosen = take_settings(arguments);
  std::filesystem::create_directories(chosen.out);
  initialize(chosen, arguments);
  benchmark::AddCustomContext("compiler", BENCH_COMPILER);
  benchmark::AddCustomContext("flags", BENCH_FLAGS);
  benchmark::AddCustomContext("trial", chosen.trial ? "yes" : "no");

  notes log{chosen.out / "notes.tsv"};
  std::vector<input> inputs = generated_inputs(chosen.trial);
  std::vector<input> asked{mixture_of(inputs)};
  real_files real = read_real_files(corpus_folder(BENCH_CORPUS_DIR));
  if (real.found) {
    asked.push_back(sample_of(*real.found, chosen.trial ? 64 : 4));
    inputs.push_back(chosen.trial ? sample_of(*real.found, 64) : std::move(*real.found));
    inputs.back().name = "real";
    inputs.push_back(shuffled(inputs.back()));
  }
  log.add(real.found ? "measured" : "left-out", "real-files", real.note);

  const auto peers = start_peers(log);
  write_verdicts(chosen.out / "verdicts.tsv", peers, asked, log);
  register_cache_rows(chosen.trial);
  register_rows(peers, inputs, chosen.trial);
  register_heap_rows(inputs);
  register_attack_rows(chosen.trial);
  std::cout << "measuring; this takes some minutes" << std::endl;
  silent_reporter silent;
  const std::size_t rows = benchmark::RunSpecifiedBenchmarks(&silent);
  benchmark::Shutdown();
  if (rows == 0) {
    std::cout << "no row was measured" << std::endl;
    return 1;
  }
}

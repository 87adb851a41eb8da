// Does fixed work for gate.py, which counts what the work takes. README.md describes the rows.
//
// With `instructions` or `allocations`, runs all rows. With `memory`, prints the memory of sites.
// With `lines`, makes hits by two threads. With `build`, prints the compiler and its options.
#include "instructions/meter.hpp"
#include "instructions/rows.hpp"

#include <cstdio>
#include <string_view>

namespace {

void measure_all(bench::meter to) {
  bench::measure_rules(to);
  bench::measure_cache(to);
  bench::measure_rulings(to);
  bench::measure_records(to);
  bench::measure_pace(to);
  bench::measure_events(to);
}

}  // namespace

int main(int count, char** arguments) {
  const std::string_view command = count == 2 ? arguments[1] : "";
  if (command == "instructions") {
    measure_all(bench::meter{bench::counted::instructions});
  } else if (command == "allocations") {
    measure_all(bench::meter{bench::counted::allocations});
  } else if (command == "memory") {
    bench::print_memory();
  } else if (command == "lines") {
    bench::store_by_two_threads();
  } else if (command == "build") {
    std::puts(BENCH_COMPILER "\n" BENCH_FLAGS);
  } else {
    std::fputs("usage: robots-instructions instructions | allocations | memory | lines | build\n",
               stderr);
    return 2;
  }
  return 0;
}

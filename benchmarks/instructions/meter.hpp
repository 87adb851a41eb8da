// Measures rows: the work of the library, repeated a fixed number of times on fixed inputs.
//
// main.cpp makes one meter and passes it to the functions of rows.hpp. They prepare the work of a
// row and call `meter::row`. gate.py runs the program several times: once under callgrind, which
// counts the instructions of each row, and once alone, which counts the allocations. Nothing else
// differs between two runs: there are no random seeds, no real clocks and no network.
#pragma once

#include "support/allocations.hpp"

#include <valgrind/callgrind.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>

namespace bench {

/// Makes the compiler compute `value`, as if something used it.
template <class Value>
void keep(const Value& value) {
  asm volatile("" : : "r"(&value) : "memory");
}

/// The unit that a meter counts.
enum class counted : std::uint8_t { instructions, allocations };

class meter {
 public:
  explicit meter(counted unit) : unit_{unit} {}

  /// Runs `once(i)` for each `i` below `count`. Prints the name, the number of operations and,
  /// unless callgrind counts the instructions, the number of allocations.
  template <class Once>
  void row(const std::string& name, std::size_t count, Once once) {
    row(name, count, once, [] {});
  }

  /// Runs `end()` after the operations, as a part of the row.
  template <class Once, class End>
  void row(const std::string& name, std::size_t count, Once once, End end) {
    if (unit_ == counted::instructions) {
      CALLGRIND_START_INSTRUMENTATION;
      CALLGRIND_ZERO_STATS;
      run(count, once, end);
      CALLGRIND_DUMP_STATS_AT(name.c_str());
      CALLGRIND_STOP_INSTRUMENTATION;
      std::printf("%s\t%zu\n", name.c_str(), count);
      return;
    }
    std::uint64_t allocations = 0;
    {
      const allocation_scope scope;
      run(count, once, end);
      allocations = scope.used().allocations;
    }
    std::printf("%s\t%zu\t%llu\n", name.c_str(), count,
                static_cast<unsigned long long>(allocations));
  }

 private:
  template <class Once, class End>
  static void run(std::size_t count, Once& once, End& end) {
    for (std::size_t i = 0; i < count; ++i) {
      once(i);
    }
    end();
  }

  counted unit_;
};

}  // namespace bench

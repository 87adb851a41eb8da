#include <robots/polite/gate_options.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <functional>
#include <initializer_list>
#include <stdexcept>

namespace {

using namespace std::chrono_literals;
using robots::gate_options;

}  // namespace

TEST_CASE("The default options are polite and valid") {
  const gate_options options;
  CHECK_NOTHROW(validate(options));
  CHECK(options.delay.fixed_delay == 1s);
  CHECK(options.concurrency == 1);
}

TEST_CASE("Options that contradict each other are refused") {
  const std::initializer_list<std::function<void(gate_options&)>> mistakes{
      [](gate_options& o) { o.delay.fixed_delay = -1s; },
      [](gate_options& o) { o.concurrency = 0; },
      [](gate_options& o) { o.max_hosts = 0; },
      [](gate_options& o) { o.slow_down.first = 0s; },
      [](gate_options& o) { o.slow_down.most = 500ms; },
      [](gate_options& o) { o.slow_down.lasts = -1s; },
      [](gate_options& o) { o.slow_down.most = std::chrono::nanoseconds::max(); },
      [](gate_options& o) { o.slow_down.lasts = std::chrono::nanoseconds::max(); },
      [](gate_options& o) { o.most_retry_after = -1s; },
      [](gate_options& o) { o.memory = -1s; },
      [](gate_options& o) { o.memory = std::chrono::nanoseconds::max(); },
      [](gate_options& o) { o.longest_memory = -1s; }};
  int index = 0;
  for (const auto& make : mistakes) {
    CAPTURE(index++);
    gate_options options;
    make(options);
    CHECK_THROWS_AS(validate(options), std::invalid_argument);
  }
}

TEST_CASE("An option of 0 turns off its delay, its limit or its memory") {
  gate_options options;
  options.delay = {.fixed_delay = 0s, .floor = 0s, .cap = 0s};
  options.slow_down.lasts = 0s;
  options.most_retry_after = 0s;
  options.memory = 0s;
  options.longest_memory = 0s;
  options.ledger_patience = 0s;
  CHECK_NOTHROW(validate(options));
}

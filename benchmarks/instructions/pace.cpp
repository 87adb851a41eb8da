#include "instructions/meter.hpp"
#include "instructions/rows.hpp"
#include "instructions/web.hpp"
#include <robots/observe/observer.hpp>
#include <robots/policy/policy.hpp>
#include <robots/polite/gate_options.hpp>
#include <robots/polite/host_gate.hpp>

#include <chrono>
#include <cstddef>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

namespace bench {

void measure_pace(meter& to) {
  constexpr std::size_t hosts = 256;
  constexpr std::size_t rounds = 4;
  const std::vector<std::string> urls = fixed_urls(hosts);
  const robots::ManualClock clock;
  robots::gate_options options;
  options.seed = 1;
  robots::basic_host_gate<robots::ManualClock, robots::NullObserver> gate{std::move(options),
                                                                          clock};
  const robots::request_report report{.response_time = std::chrono::milliseconds{120},
                                      .status = 200};
  to.row("gate/reserve-start-complete", rounds * hosts, [&](std::size_t i) {
    if (i % hosts == 0) {
      clock.advance(std::chrono::minutes{2});
    }
    auto got = gate.try_reserve(urls[i % hosts]);
    keep(got.reservation.start());
    got.reservation.complete(report);
  });
  if (gate.stats().started != rounds * hosts) {
    std::fprintf(stderr, "gate: only %zu requests started\n",
                 static_cast<std::size_t>(gate.stats().started));
  }
}

}  // namespace bench

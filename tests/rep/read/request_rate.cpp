#include <robots/rep/read/request_rate.hpp>

#include <robots/rep/document/document.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace {

using robots::parse;
using robots::request_rate;
using robots::visit_time;
using namespace std::chrono_literals;

constexpr request_rate rate(std::uint32_t requests, std::chrono::milliseconds per,
                            std::optional<visit_time> window = {}) {
  return {.requests = requests, .per = per, .window = window};
}

static_assert(request_rate::parse("1/10s") == rate(1, 10s));
static_assert(request_rate::parse("1/10") == rate(1, 10s));
static_assert(request_rate::parse("30/1m") == rate(30, 1min));
static_assert(request_rate::parse("20/1H") == rate(20, 1h));
static_assert(request_rate::parse("500/1d") == rate(500, 24h));
static_assert(request_rate::parse("1 / 10 s") == rate(1, 10s));
static_assert(request_rate::parse("1/0.5") == rate(1, 500ms));
static_assert(request_rate::parse("30/1m 0800-1300") == rate(30, 1min, visit_time{8h, 13h}));
static_assert(request_rate::parse("1/5\t2200 - 0400") == rate(1, 5s, visit_time{22h, 4h}));
static_assert(noexcept(request_rate::parse({})));

static_assert(!request_rate::parse(""));
static_assert(!request_rate::parse("10"));
static_assert(!request_rate::parse("/"));
static_assert(!request_rate::parse("/10"));
static_assert(!request_rate::parse("1/"));
static_assert(!request_rate::parse("1/s"));
static_assert(!request_rate::parse("0/10"));
static_assert(!request_rate::parse("1/0"));
static_assert(!request_rate::parse("1/0m"));
static_assert(!request_rate::parse("-1/10"));
static_assert(!request_rate::parse("1/-10"));
static_assert(!request_rate::parse("1.5/10"));
static_assert(!request_rate::parse("1/10w"));
static_assert(!request_rate::parse("1/10ms"));
static_assert(!request_rate::parse("1/10/2"));
static_assert(!request_rate::parse("1/nan"));
static_assert(!request_rate::parse("1/10 0800"));
static_assert(!request_rate::parse("1/10 0800-"));
static_assert(!request_rate::parse("1/10 0800-2500"));
static_assert(!request_rate::parse("1/100800-1300"));

// A number that does not fit is read as the largest number that fits.
static_assert(request_rate::parse("99999999999999999999999/1")->requests == 0xFFFF'FFFF);
static_assert(request_rate::parse("1/99999999999999999999999d")->per ==
              std::chrono::seconds{0xFFFF'FFFF});

static_assert(rate(1, 10s).interval() == 10s);
static_assert(rate(30, 1min).interval() == 2s);
static_assert(rate(3, 1s).interval() == 334ms, "rounded up");
static_assert(rate(0xFFFF'FFFF, 1ms).interval() == 1ms);

constexpr std::string_view rate_lines =
    "User-agent: a\nRequest-rate: 1/10\nRequest-rate: fast\nRequest-rate: 1/20s\n"
    "Request-rate: 30/1m 0800-1300\nRequest-rate: 1/1m 1200-1400\nDisallow:\n"
    "User-agent: *\nRequest-rate: 1/30\n";
static_assert(parse(rate_lines).read<request_rate>("a").size() == 4);
static_assert(parse(rate_lines).read<request_rate>() == std::vector{rate(1, 30s)});

constexpr std::chrono::milliseconds interval_at(std::chrono::minutes utc) {
  return request_rate::slowest_at(parse(rate_lines).read<request_rate>("a"), utc)->interval();
}
static_assert(interval_at(7h) == 20s, "the slowest of those without a window");
static_assert(interval_at(9h) == 2s, "a window that holds the time decides over none");
static_assert(interval_at(12h + 30min) == 1min, "the slowest of the windows that hold the time");
static_assert(interval_at(14h - 1min) == 1min);
static_assert(interval_at(14h) == 20s, "a window is over when its end begins");
static_assert(interval_at(15h) == 20s);
static_assert(!request_rate::slowest_at({}, 0h));

TEST_CASE("If the only rate has a window, no rate applies outside the window") {
  const auto rates = parse("User-agent: *\nRequest-rate: 1/10 0800-1300\n").read<request_rate>();
  CHECK_FALSE(request_rate::slowest_at(rates, 14h));
  CHECK(request_rate::slowest_at(rates, 8h)->interval() == 10s);
}

TEST_CASE("The order of the lines does not affect the rate") {
  auto rates = parse(rate_lines).read<request_rate>("a");
  std::vector<request_rate> reversed{rates.rbegin(), rates.rend()};
  for (std::chrono::minutes utc = 0h; utc < 24h; utc += 10min) {
    CHECK(request_rate::slowest_at(rates, utc) == request_rate::slowest_at(reversed, utc));
  }
}

}  // namespace

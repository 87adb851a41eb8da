#include <robots/rep/read/visit_time.hpp>

#include <robots/rep/document/document.hpp>
#include <robots/rep/read/request_rate.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <string_view>
#include <vector>

namespace {

using robots::parse;
using robots::visit_time;
using namespace std::chrono_literals;

constexpr visit_time hours(std::chrono::minutes from, std::chrono::minutes to) {
  return {.from = from, .to = to};
}

static_assert(visit_time::parse("0600-0845") == hours(6h, 8h + 45min));
static_assert(visit_time::parse("0100 - 0800") == hours(1h, 8h));
static_assert(visit_time::parse("2200-0400") == hours(22h, 4h));
static_assert(visit_time::parse("0000-2400") == hours(0h, 24h));
static_assert(visit_time::parse("2400-0100") == hours(0h, 1h));
static_assert(noexcept(visit_time::parse({})));

static_assert(!visit_time::parse(""));
static_assert(!visit_time::parse("-"));
static_assert(!visit_time::parse("0600"));
static_assert(!visit_time::parse("0600 0845"));
static_assert(!visit_time::parse("600-845"));
static_assert(!visit_time::parse("0660-0845"));
static_assert(!visit_time::parse("0600-2401"));
static_assert(!visit_time::parse("0600-9900"));
static_assert(!visit_time::parse("06:00-08:45"));
static_assert(!visit_time::parse("0600-0845-0900"));
static_assert(!visit_time::parse("0600-0845 UTC"));
static_assert(!visit_time::parse("+600-0845"));

constexpr bool contains(std::string_view window, std::chrono::minutes utc) {
  return visit_time::parse(window)->contains(utc);
}

static_assert(!contains("0600-0845", 5h + 59min));
static_assert(contains("0600-0845", 6h));
static_assert(contains("0600-0845", 8h + 44min));
static_assert(!contains("0600-0845", 8h + 45min), "a window is over when its end begins");
static_assert(!contains("0600-0845", 8h + 46min));
static_assert(contains("2200-0400", 22h));
static_assert(contains("2200-0400", 0h));
static_assert(contains("2200-0400", 3h + 59min));
static_assert(!contains("2200-0400", 4h));
static_assert(contains("2200-0000", 23h + 59min) && !contains("2200-0000", 0h));
static_assert(!contains("2200-0400", 4h + 1min));
static_assert(!contains("2200-0400", 21h + 59min));
static_assert(contains("0000-2359", 23h + 59min), "the whole day, as people write it");
static_assert(contains("2200-2359", 23h + 59min) && !contains("2200-2359", 0h));
static_assert(contains("2359-0001", 23h + 59min) && contains("2359-0001", 0h));
static_assert(!contains("2359-0001", 1min));
static_assert(contains("0000-2400", 0h) && contains("0000-2400", 23h + 59min));
static_assert(contains("0000-0000", 12h), "a window that ends where it begins is the whole day");

// Only the time of the day matters: every whole day since the epoch is a midnight.
static_assert(contains("0600-0845", std::chrono::days{20'000} + 7h));
static_assert(!contains("0600-0845", std::chrono::days{20'000} + 9h));
static_assert(contains("0600-0845", -17h));

constexpr std::string_view visit_lines =
    "Visit-time: 0000-0001\n"
    "User-agent: a\nVisit-time: 0600-0845 # UTC\nVisit-time: always\nVisit-time: "
    "2200-2300\nDisallow:\n"
    "User-agent: *\nVisit-time: 1200-1300\n";
static_assert(parse(visit_lines).read<visit_time>("a") ==
              std::vector{hours(6h, 8h + 45min), hours(22h, 23h)});
static_assert(parse(visit_lines).read<visit_time>() == std::vector{hours(12h, 13h)});
static_assert(visit_time::is_open(parse(visit_lines).read<visit_time>("a"), 22h));
static_assert(!visit_time::is_open(parse(visit_lines).read<visit_time>("a"), 12h));
static_assert(visit_time::is_open({}, 12h));

TEST_CASE("The visit times are those of the groups that apply to the crawler") {
  const robots::document file = parse(visit_lines);
  CHECK(file.read<visit_time>("a/1.0").size() == 2);
  CHECK(file.read<visit_time>("b").size() == 1);
  CHECK(parse("User-agent: b\nVisit-time: 0600-0845\n").read<visit_time>("c").empty());
}

}  // namespace

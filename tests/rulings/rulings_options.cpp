#include <robots/rulings/rulings_options.hpp>

#include <robots/rulings/site_rulings.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <cstddef>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

using namespace robots;
using namespace std::chrono_literals;

namespace {

/// Returns the message of the exception of `SiteRulings`, or an empty text.
std::string objection_to(const rulings_options& options) {
  try {
    const SiteRulings accepted{options};
  } catch (const std::invalid_argument& wrong) {
    return wrong.what();
  }
  return {};
}

}  // namespace

TEST_CASE(
    "Values of rulings_options that make no sense are refused: the message says what to use") {
  CHECK(objection_to({.poll = -1ms}) ==
        "rulings_options::poll is -1 ms: use 0 for no thread, or more");
  CHECK(objection_to({.maker = "two\nlines"}) ==
        "rulings_options::maker has a line end: give one line, such as a name");
  CHECK(objection_to({.needs_sign_off = {"a b"}})
            .find("needs_sign_off: \"a b\" is not a host name") != std::string::npos);
  CHECK(objection_to({.halt_unreachable_after = -1s}) ==
        "rulings_options::halt_unreachable_after is -1 s: use 0 or more, or leave it empty for "
        "never");
  CHECK(objection_to({.quarantine_after = -1}) ==
        "rulings_options::quarantine_after is -1: use 0 for no quarantine, or more");
  CHECK(objection_to({.fast_change_share = 2}) ==
        "rulings_options::fast_change_share is 2.000000: use a number from 0 to 1");
  for (const double share : {-0.01, 1.01, std::numeric_limits<double>::quiet_NaN(),
                             std::numeric_limits<double>::infinity()}) {
    CHECK(objection_to({.fast_change_share = share}).ends_with(": use a number from 0 to 1"));
  }
  CHECK(objection_to({.fast_change_within = -1s}) ==
        "rulings_options::fast_change_within is -1 s: use 0 or more, or leave it empty for any "
        "time");
}

TEST_CASE("Values at the ends of the ranges of rulings_options are accepted") {
  CHECK(objection_to({}).empty());
  CHECK(objection_to({.poll = 0ms}).empty());
  CHECK(objection_to({.maker = ""}).empty());
  CHECK(objection_to({.halt_unreachable_after = 0s}).empty());
  CHECK(objection_to({.halt_unreachable_after = std::chrono::seconds::max()}).empty());
  CHECK(objection_to({.quarantine_after = 0}).empty());
  CHECK(objection_to({.quarantine_after = std::numeric_limits<int>::max()}).empty());
  CHECK(objection_to({.most_alarms = 0}).empty());
  CHECK(objection_to({.most_alarms = std::numeric_limits<std::size_t>::max()}).empty());
  CHECK(objection_to({.fast_change_share = 0}).empty());
  CHECK(objection_to({.fast_change_share = 1}).empty());
  CHECK(objection_to({.fast_change_within = 0s}).empty());
  CHECK(objection_to({.fast_change_within = std::chrono::seconds::max()}).empty());
}

// Runs the bodies of the fuzzers over the saved inputs. Some inputs are written by hand to reach
// rare cases, and others were found by fuzzing.
#include "fuzz/bodies.hpp"
#include "support/text_of.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace {

void replay(const std::string& target, void (*body)(fuzz::octets)) {
  const std::filesystem::path folder{ROBOTS_FUZZ_INPUTS};
  int inputs = 0;
  for (const auto& entry : std::filesystem::directory_iterator{folder / target}) {
    INFO(entry.path().string());
    const std::string text = robots::test::text_of(entry.path());
    const std::vector<std::uint8_t> octets(text.begin(), text.end());
    CHECK_NOTHROW(body(octets));
    ++inputs;
  }
  CHECK(inputs > 0);
}

TEST_CASE("parse accepts any octets") { replay("parse", fuzz::fuzz_parse); }
TEST_CASE("Patterns match like the reference") { replay("pattern", fuzz::fuzz_pattern); }
TEST_CASE("Targets have one normal form") { replay("target", fuzz::fuzz_target); }
TEST_CASE("Product tokens are read from any header") {
  replay("product_token", fuzz::fuzz_product_token);
}
TEST_CASE("Freshness stays within its limits") { replay("freshness", fuzz::fuzz_freshness); }
TEST_CASE("URLs, origins and site keys are the same after they were written and read again") {
  replay("url", fuzz::fuzz_url);
}
TEST_CASE("A restriction of a page holds, whatever else is said about it") {
  replay("usage", fuzz::fuzz_usage);
}
TEST_CASE("Records are read as they were written, or not at all") {
  replay("record", fuzz::fuzz_record);
}
TEST_CASE("The verdict does not depend on how a file is written") {
  replay("properties", fuzz::fuzz_properties);
}

}  // namespace

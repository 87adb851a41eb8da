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
TEST_CASE("No page rule is invented, loosened by a further one, or hidden by its neighbours") {
  replay("page_rules", fuzz::fuzz_page_rules);
}
TEST_CASE("One bad member spoils a Robots-Tag List, and only a bad one does") {
  replay("robots_tag", fuzz::fuzz_robots_tag);
}
TEST_CASE("A structured field that is written and read again is the same") {
  replay("structured_field", fuzz::fuzz_structured_field);
}
TEST_CASE("A Dictionary of usage preferences is valid for all labels or for none") {
  replay("content_usage", fuzz::fuzz_content_usage);
}
TEST_CASE("The most restrictive value of a content signal counts in any order") {
  replay("content_signal", fuzz::fuzz_content_signal);
}
TEST_CASE("The first entry of a tdmrep.json that matches decides") {
  replay("tdmrep", fuzz::fuzz_tdmrep);
}
TEST_CASE("Licences are absolute URLs of the text, and only 401 and 402 demand them") {
  replay("license", fuzz::fuzz_license);
}
#ifdef ROBOTS_FUZZ_HTML
TEST_CASE("A page says the same in another charset, and nothing hides its first element") {
  replay("html", fuzz::fuzz_html);
}
#endif
TEST_CASE("Records are read as they were written, or not at all") {
  replay("record", fuzz::fuzz_record);
}
#ifdef ROBOTS_FUZZ_ZLIB
TEST_CASE("A store returns a value as it was published, and never more than its limit") {
  replay("stored_value", fuzz::fuzz_stored_value);
}
#endif
TEST_CASE("The verdict does not depend on how a file is written") {
  replay("properties", fuzz::fuzz_properties);
}

}  // namespace

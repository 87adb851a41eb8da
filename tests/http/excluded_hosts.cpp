#include <robots/http/excluded_hosts.hpp>

#include <doctest/doctest.h>

#include <array>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace {

using robots::detail::excluded_hosts;

TEST_CASE("A set of excluded hosts gives the same answers as should_skip_by_tld") {
  const std::vector<std::string> entries{"gov",
                                         ".MIL",
                                         "*.int",
                                         "gov.uk.",
                                         "example.com",
                                         "[::1]",
                                         "127.0.0.1",
                                         "[::ffff:10.0.0.1]",
                                         "[2606:4700:0::1112]"};
  const std::vector<std::string_view> views{entries.begin(), entries.end()};
  const excluded_hosts excluded{entries};
  for (const std::string_view host : {"gov",
                                      "a.gov",
                                      "mygov",
                                      "a.mil",
                                      "int",
                                      "who.int",
                                      "gov.uk",
                                      "a.gov.uk",
                                      "uk",
                                      "example.com",
                                      "www.example.com",
                                      "myexample.com",
                                      "com",
                                      "[::1]",
                                      "[::11]",
                                      "127.0.0.1",
                                      "0.1",
                                      "example.org",
                                      "10.0.0.1",
                                      "[::ffff:10.0.0.1]",
                                      "[::ffff:127.0.0.1]",
                                      "[2606:4700::1112]",
                                      "[2606:4700::1113]"}) {
    CAPTURE(host);
    CHECK(excluded.contains(host) == robots::should_skip_by_tld(host, views));
  }
}

TEST_CASE("An empty set excludes nothing") {
  CHECK(excluded_hosts{}.empty());
  CHECK_FALSE(excluded_hosts{}.contains("example.gov"));
}

TEST_CASE(
    "An entry that can never exclude anything is refused with a message that says what to do") {
  for (const char* entry : {"", " gov", "gov\n", "*gov gov", "m\xC3\xBCnchen.de", "a..b", ".", "*",
                            "gov*", "gov,mil", "10.0.0.0/8", "fd00::/8", "fe80::1", "a:b:c"}) {
    CAPTURE(entry);
    const std::array<std::string, 1> entries{entry};
    CHECK_THROWS_AS(excluded_hosts{entries}, std::invalid_argument);
  }
}

}  // namespace

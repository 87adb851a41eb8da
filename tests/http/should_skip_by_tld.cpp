#include <robots/http/should_skip_by_tld.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <ranges>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

using robots::should_skip_by_tld;

namespace {

constexpr bool skips(std::string_view host, std::string_view entry) {
  const std::array entries{entry};
  return should_skip_by_tld(host, entries);
}

static_assert(skips("example.gov", "gov"));
static_assert(skips("gov", "gov"));
static_assert(skips("a.b.gov", "gov"));
static_assert(!skips("mygov", "gov"));
static_assert(!skips("example.mygov", "gov"));
static_assert(!skips("gov.example", "gov"));
static_assert(!skips("example.gov.uk", "gov"));

static_assert(skips("example.gov", ".gov"));
static_assert(skips("gov", ".gov"));
static_assert(skips("example.gov", "GOV"));
static_assert(skips("EXAMPLE.GOV", "gov"));
static_assert(skips("example.gov", "*.gov"));
static_assert(skips("example.gov", "gov."));
static_assert(!skips("mygov", ".gov"));

static_assert(skips("a.gov.uk", "gov.uk"));
static_assert(skips("gov.uk", "gov.uk"));
static_assert(!skips("uk", "gov.uk"));
static_assert(!skips("a.co.uk", "gov.uk"));
static_assert(!skips("agov.uk", "gov.uk"));

static_assert(skips("example.com", "example.com"));
static_assert(skips("www.example.com", "example.com"));
static_assert(!skips("notexample.com", "example.com"));
static_assert(!skips("com", "example.com"));

static_assert(skips("example.gov.", "gov"));
static_assert(skips("example.gov:8080", "gov"));
static_assert(skips("example.gov.:8080", "gov"));
static_assert(skips("https://user@example.gov:1/x", "gov"));
static_assert(!skips("https://example.com/x.gov", "gov"));
static_assert(!skips("https://example.com/?gov", "gov"));

static_assert(skips("example.com", "example.com:8080"));
static_assert(skips("example.com", "https://example.com/"));

static_assert(skips("[::1]:80", "[::1]"));
static_assert(skips("[2001:DB8::1]", "[2001:db8::1]"));
static_assert(!skips("[::ffff:1.2.3.4]", "4]"));
static_assert(!skips("[::1]", "1"));
static_assert(!skips("127.0.0.1", "1"));
static_assert(!skips("127.0.0.1", "0.1"));
static_assert(skips("[2606:4700::0.0.17.18]", "[2606:4700:0::1112]"));
static_assert(skips("https://[2606:4700:0:0:0::1112]:8443/x", "[2606:4700::1112]"));
static_assert(skips("[::ffff:10.0.0.1]", "10.0.0.1"));
static_assert(skips("10.0.0.1", "[::FFFF:a00:1]"));
static_assert(!skips("[2606:4700::1113]", "[2606:4700::1112]"));

static_assert(!skips("example.com", ""));
static_assert(!skips("example.com", "."));
static_assert(!skips("example.com", "*"));
static_assert(!skips("example.com", "*."));
static_assert(!skips("", ""));
static_assert(!skips("", "gov"));
static_assert(!skips(".", "."));
static_assert(!should_skip_by_tld("example.gov", {}));
static_assert(noexcept(should_skip_by_tld({}, {})));
static_assert(should_skip_by_tld("example.gov", {"gov"}));
static_assert(should_skip_by_tld("navy.mil", {"gov", "mil"}));
static_assert(!should_skip_by_tld("example.com", {"gov", "mil"}));

}  // namespace

TEST_CASE("Every entry of the list excludes hosts") {
  const std::vector<std::string_view> excluded{"gov", ".MIL", "gov.uk", ""};
  CHECK(should_skip_by_tld("navy.mil", excluded));
  CHECK(should_skip_by_tld("a.GOV.UK", excluded));
  CHECK_FALSE(should_skip_by_tld("example.com", excluded));
}

TEST_CASE("The list can have strings, views or literals, in any range") {
  const std::vector<std::string> strings{"gov", "mil"};
  CHECK(should_skip_by_tld("navy.mil", strings));
  CHECK(should_skip_by_tld("navy.mil", std::vector<std::string>{"gov", "mil"}));
  CHECK(should_skip_by_tld("navy.mil", std::span{strings}));
  CHECK(should_skip_by_tld("navy.mil", std::set<std::string>{"gov", "mil"}));
  const char* literals[] = {"gov", "mil"};
  CHECK(should_skip_by_tld("navy.mil", literals));
  const auto dotted = std::views::transform(strings, [](const auto& name) { return '.' + name; });
  CHECK(should_skip_by_tld("navy.mil", dotted));
  CHECK_FALSE(should_skip_by_tld("example.com", dotted));
}

TEST_CASE("Hostile names and entries do no harm") {
  const std::string nasty{"\0\xFF..@[:]//\\%67ov", 16};
  for (std::size_t length = 0; length <= nasty.size(); ++length) {
    const std::string_view part = std::string_view{nasty}.substr(0, length);
    const std::array entries{part, std::string_view{"gov"}};
    CHECK_FALSE(should_skip_by_tld("example.com", entries));
    CHECK_FALSE(should_skip_by_tld(part, std::span{entries}.last(1)));
  }
}

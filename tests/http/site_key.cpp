#include <robots/http/site_key.hpp>

#include <robots/http/host.hpp>
#include <robots/http/site.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <optional>
#include <random>
#include <string>
#include <string_view>

using robots::host_of;
using robots::detail::possible_site_key;
using robots::detail::target_behind_key;
using robots::detail::target_of;

namespace {

static_assert(possible_site_key("https://example.com") == "https://example.com");
static_assert(possible_site_key("https://example.com/x?y") == "https://example.com");
static_assert(possible_site_key("http://example.com:8080/") == "http://example.com:8080");
static_assert(possible_site_key("http://[::1]/x") == "http://[::1]");
static_assert(possible_site_key("example.com/x/y") == "example.com");
static_assert(possible_site_key("example.com:8080") == "example.com:8080");
static_assert(possible_site_key("http://example.com?q") == "http://example.com?q");
static_assert(possible_site_key("HTTP://a/x") == "HTTP://a");
static_assert(possible_site_key("http:///") == "http://");
static_assert(possible_site_key("/x").empty());
static_assert(possible_site_key("").empty());
static_assert(noexcept(possible_site_key({})));

static_assert(target_behind_key("https://a.example/x?y#z", "https://a.example") == "/x?y#z");
static_assert(target_behind_key("a.example/x", "a.example") == "/x");
static_assert(target_behind_key("https://a.example", "https://a.example") == "https://a.example");
static_assert(target_behind_key("https://a.example//x", "https://a.example") ==
              "https://a.example//x");

static_assert(host_of("https://example.com") == "example.com");
static_assert(host_of("http://example.com:8080") == "example.com");
static_assert(host_of("http://[::1]") == "[::1]");
static_assert(host_of("https://[::1]:8443") == "[::1]");
static_assert(host_of("example.com:8080") == "example.com");
static_assert(host_of("").empty());
static_assert(host_of("http://[").starts_with('['));
static_assert(noexcept(host_of({})));

/// Returns true if `text` is the key of a site.
bool is_key(std::string_view text) {
  const std::optional<robots::site> named = robots::parse_site(text);
  return named && named->key() == text;
}

}  // namespace

// A rule set would read a host without a scheme as a path, so `target_of` removes it.
static_assert(target_of("https://example.com/a?b") == "https://example.com/a?b");
static_assert(target_of("https://example.com") == "https://example.com");
static_assert(target_of("example.com/a?b#c") == "/a?b#c");
static_assert(target_of("example.com:8080?q=/x") == "?q=/x");
static_assert(target_of("example.com/redirect?to=https://b.example/") ==
              "/redirect?to=https://b.example/");
static_assert(target_of("example.com?to=https://b.example/") == "?to=https://b.example/");
static_assert(target_of("example.com") == "/");
static_assert(target_of("/a") == "/a");
static_assert(target_behind_key("example.com", "example.com") == "example.com");
static_assert(target_behind_key("example.com//x", "example.com") == "example.com//x");
static_assert(target_behind_key("https://example.com//x", "https://example.com") ==
              "https://example.com//x");

TEST_CASE("If the start of a URL is a site key, it is the key of the site that the URL names") {
  std::mt19937 random{9309};
  constexpr std::string_view alphabet = "aab.:84043/?#@[]%6\\_-A~";
  std::size_t keys = 0;
  for (int round = 0; round < 100'000; ++round) {
    std::string url = round % 3 == 0 ? "http://" : round % 3 == 1 ? "https://" : "";
    if (round % 5 != 0) {
      url += "a.b";
    }
    for (std::size_t n = random() % 10; n > 0; --n) {
      url += round % 4 == 0 ? static_cast<char>(random() & 0xFFU)
                            : alphabet[random() % alphabet.size()];
    }
    CAPTURE(url);
    const std::string_view guess = possible_site_key(url);
    if (!is_key(guess)) {
      continue;
    }
    ++keys;
    const std::optional<robots::site> named = robots::parse_site(url);
    REQUIRE(named);
    CHECK(named->key() == guess);
    CHECK(host_of(guess) == named->host);
  }
  CHECK(keys > 10'000);
}

TEST_CASE("A URL that begins with its site's key and a path is found under that key") {
  for (const char* name : {"https://example.com", "http://a.b:8080", "https://[2001:db8::1]:8443",
                           "http://127.0.0.1", "example.com", "example.com:8080", "a_b-1.x"}) {
    const std::string key = robots::parse_site(name)->key();
    CAPTURE(name);
    CHECK(key == name);
    CHECK(possible_site_key(key) == key);
    CHECK(possible_site_key(key + "/") == key);
    CHECK(possible_site_key(key + "/a/b?c=/d#e") == key);
  }
}

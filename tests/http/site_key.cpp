#include <robots/http/site.hpp>
#include <robots/http/site_key.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <optional>
#include <random>
#include <string>
#include <string_view>

using robots::site_key_prefix;

namespace {

static_assert(site_key_prefix("https://example.com") == "https://example.com");
static_assert(site_key_prefix("https://example.com/x?y") == "https://example.com");
static_assert(site_key_prefix("http://example.com?q") == "http://example.com");
static_assert(site_key_prefix("http://example.com#f") == "http://example.com");
static_assert(site_key_prefix("http://a_b-1.x:8080/") == "http://a_b-1.x:8080");
static_assert(site_key_prefix("http://a:443") == "http://a:443");
static_assert(site_key_prefix("https://a:80") == "https://a:80");
static_assert(site_key_prefix("https://a:65535/") == "https://a:65535");
static_assert(noexcept(site_key_prefix("x")));

static_assert(!site_key_prefix(""));
static_assert(!site_key_prefix("example.com"));
static_assert(!site_key_prefix("http://"));
static_assert(!site_key_prefix("http:///"));
static_assert(!site_key_prefix("HTTP://a"));
static_assert(!site_key_prefix("http://A"));
static_assert(!site_key_prefix("http://a."));
static_assert(!site_key_prefix("http://a..b"));
static_assert(!site_key_prefix("http://.a"));
static_assert(!site_key_prefix("http://a:"));
static_assert(!site_key_prefix("http://a:80"));
static_assert(!site_key_prefix("https://a:443/"));
static_assert(!site_key_prefix("http://a:08"));
static_assert(!site_key_prefix("http://a:0"));
static_assert(!site_key_prefix("http://a:65536"));
static_assert(!site_key_prefix("http://a:123456"));
static_assert(!site_key_prefix("http://a:8x"));
static_assert(!site_key_prefix("http://a:8@b"));
static_assert(!site_key_prefix("http://a@b"));
static_assert(!site_key_prefix("http://a\\b"));
static_assert(!site_key_prefix("http://[::1]"));
static_assert(!site_key_prefix("http://a%62"));
static_assert(!site_key_prefix("ftp://a"));

void check_agreement(std::string_view url) {
  const std::optional<std::string_view> fast = site_key_prefix(url);
  const std::optional<robots::site> slow = robots::parse_site(url);
  CAPTURE(url);
  if (fast) {
    REQUIRE(slow);
    CHECK(slow->key() == *fast);
  } else if (slow) {
    const std::string key = slow->key();
    const bool literal = slow->host.starts_with('[');
    const bool unusual = slow->host.find_first_of("!$&'()*+,;=~") != std::string::npos;
    const bool in_normal_form =
        slow->scheme && url.starts_with(key) &&
        (url.size() == key.size() || std::string_view{"/?#"}.find(url[key.size()]) != url.npos);
    CHECK((!in_normal_form || literal || unusual));
  }
}

}  // namespace

TEST_CASE("what is taken as a key as it stands is the site's key, and nothing plain is missed") {
  std::mt19937 random{9309};
  constexpr std::string_view alphabet = "aab.:84043/?#@[]%6\\_-A~";
  for (int round = 0; round < 100'000; ++round) {
    std::string url = round % 2 == 0 ? "http://" : "https://";
    if (round % 5 != 0) {
      url += "a.b";
    }
    for (std::size_t n = random() % 10; n > 0; --n) {
      url += round % 3 == 0 ? static_cast<char>(random() & 0xFFU)
                            : alphabet[random() % alphabet.size()];
    }
    check_agreement(url);
  }
}

TEST_CASE("the limits of length are the same as those of a site") {
  for (std::size_t length = 60; length < 67; ++length) {
    check_agreement("http://" + std::string(length, 'a') + ".b/");
    check_agreement("http://b." + std::string(length, 'a'));
  }
  const std::string label(63, 'a');
  const std::string start = "http://" + label + '.' + label + '.' + label + '.';
  for (std::size_t length = 58; length < 65; ++length) {
    const std::string host = start + std::string(length, 'a');
    check_agreement(host);
    check_agreement(host + ":8080/");
    CHECK(site_key_prefix(host).has_value() == (length <= 61));
  }
}

TEST_CASE("every port is taken as a site takes it") {
  for (int port = 0; port < 70'000; port += port < 1'000 || port > 65'000 ? 1 : 97) {
    check_agreement("http://a:" + std::to_string(port) + "/");
    check_agreement("https://a:" + std::to_string(port));
  }
}

#include <robots/http/origin.hpp>

#include <robots/http/site.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <optional>
#include <random>
#include <string>
#include <string_view>

using robots::origin;
using robots::url_scheme;
using robots::detail::parse_origin;

namespace {

std::string normal(std::string_view url) {
  const std::optional<origin> place = parse_origin(url);
  return place ? to_string(*place) : "none";
}

static_assert(robots::to_string(url_scheme::http) == "http");
static_assert(robots::to_string(url_scheme::https) == "https");
static_assert(robots::detail::default_port(url_scheme::http) == 80);
static_assert(robots::detail::default_port(url_scheme::https) == 443);
static_assert(robots::detail::parse_scheme("HtTpS") == url_scheme::https);
static_assert(!robots::detail::parse_scheme("httpx"));
static_assert(!robots::detail::parse_scheme(""));

}  // namespace

TEST_CASE("An origin has a scheme, a host and a port") {
  CHECK(parse_origin("http://example.com:8080/x") == origin{url_scheme::http, "example.com", 8080});
  CHECK(parse_origin("https://example.com") == origin{url_scheme::https, "example.com", 443});
  CHECK(parse_origin("http://example.com") != parse_origin("https://example.com"));
}

TEST_CASE("All spellings of an origin have the same result") {
  for (const std::string_view url :
       {"https://example.com", "https://example.com/", "HTTPS://EXAMPLE.COM/x",
        "https://example.com.", "https://example.com:443/x", "https://example.com:/x",
        "https://example.com:00443", "https://user:pw@example.com?q", "https://u@x@example.com#f",
        "https://ex%61mple%2Ecom/", "https://example.com.:443", "https://example.com/a b\n"}) {
    CAPTURE(url);
    CHECK(normal(url) == "https://example.com");
  }
}

TEST_CASE("Names and addresses can be hosts") {
  CHECK(normal("http://under_score.example/") == "http://under_score.example");
  CHECK(normal("http://-a-.example/") == "http://-a-.example");
  CHECK(normal("http://127.0.0.1:81") == "http://127.0.0.1:81");
  CHECK(normal("http://localhost") == "http://localhost");
  CHECK(normal("http://xn--bcher-kva.example") == "http://xn--bcher-kva.example");
  CHECK(normal("http://a!$&'()*+,;=~b") == "http://a!$&'()*+,;=~b");
}

TEST_CASE("All spellings of an IPv6 address are one host, written as RFC 5952 says") {
  for (const std::string_view host :
       {"[2606:4700::1112]", "[2606:4700:0::1112]", "[2606:4700::0.0.17.18]",
        "[2606:4700:0:0:0:0:0:1112]", "[2606:4700:0000:0000:0000::1112]", "[2606:4700:0:0::0:1112]",
        "[2606:4700::0:0:0:0:1112]"}) {
    CAPTURE(host);
    CHECK(normal("https://" + std::string{host} + "/x") == "https://[2606:4700::1112]");
  }
  CHECK(normal("http://[::FFFF:7F00:1]") == "http://[::ffff:127.0.0.1]");
  CHECK(normal("http://[0:0:0:0:0:0:0:0]:81") == "http://[::]:81");
  CHECK(normal("http://[1:0:0:2:0:0:0:3]") == "http://[1:0:0:2::3]");
  CHECK(normal("http://[::102:304]") == normal("http://[::1.2.3.4]"));
}

TEST_CASE("IPv6 literals are checked and written in lower case") {
  CHECK(normal("http://[::1]:8080/") == "http://[::1]:8080");
  CHECK(normal("http://[2001:DB8::1]") == "http://[2001:db8::1]");
  CHECK(normal("http://[::]") == "http://[::]");
  CHECK(normal("http://[1::]") == "http://[1::]");
  CHECK(normal("http://[::FFFF:127.0.0.1]") == "http://[::ffff:127.0.0.1]");
  CHECK(normal("http://[1:2:3:4:5:6:7:8]") == "http://[1:2:3:4:5:6:7:8]");
  CHECK(normal("http://[1:2:3:4:5:6:1.2.3.4]") == "http://[1:2:3:4:5:6:102:304]");
  for (const std::string_view url : {"http://[",
                                     "http://]",
                                     "http://[]",
                                     "http://[::1",
                                     "http://::1",
                                     "http://[::1]x",
                                     "http://[:::]",
                                     "http://[:1]",
                                     "http://[1:]",
                                     "http://[1::2::3]",
                                     "http://[12345::]",
                                     "http://[1:2:3:4:5:6:7]",
                                     "http://[1:2:3:4:5:6:7:8:9]",
                                     "http://[1:2:3:4:5:6:7::8]",
                                     "http://[::1%25eth0]",
                                     "http://[v1.a]",
                                     "http://[::1.2.3]",
                                     "http://[::1.2.3.256]",
                                     "http://[::01.2.3.4]",
                                     "http://[1.2.3.4]",
                                     "http://[::g]",
                                     "http://[::1.2.3.4.5]",
                                     "http://a[::1]"}) {
    CAPTURE(url);
    CHECK(normal(url) == "none");
  }
}

TEST_CASE("A text that is not an absolute http or https URL has no origin") {
  for (const std::string_view url : {"",
                                     "/",
                                     "/robots.txt",
                                     "example.com",
                                     "//example.com",
                                     "http",
                                     "http:",
                                     "http:/",
                                     "http://",
                                     "http:///",
                                     "http://?",
                                     "http://#",
                                     "http:example.com",
                                     "http:/example.com",
                                     "ftp://example.com",
                                     "file:///etc/passwd",
                                     "httpx://a",
                                     " http://a",
                                     "http ://a",
                                     "http://@",
                                     "http://:80",
                                     "http://user@",
                                     "mailto:a@b",
                                     "\xEF\xBB\xBFhttp://a"}) {
    CAPTURE(url);
    CHECK(normal(url) == "none");
  }
}

TEST_CASE("An invalid host is refused") {
  for (const std::string_view url : {"http://a b/",
                                     "http://a\tb",
                                     "http://a\r\nb/",
                                     "http://a<b",
                                     "http://a>b",
                                     "http://a\"b",
                                     "http://a\\b/",
                                     "http://good\\@evil/",
                                     "http://a^b",
                                     "http://a|b",
                                     "http://a`b",
                                     "http://a{b",
                                     "http://a%20b",
                                     "http://a%2Fb",
                                     "http://a%00b",
                                     "http://a%",
                                     "http://a%6",
                                     "http://a%zz",
                                     "http://%C3%A4.example",
                                     "http://\xC3\xA4.example",
                                     "http://a..b",
                                     "http://.a",
                                     "http://.",
                                     "http://a..",
                                     "http://a\x7F"}) {
    CAPTURE(url);
    CHECK(normal(url) == "none");
  }
  CHECK(normal(std::string_view{"http://a\0b/", 11}) == "none");
}

TEST_CASE("A port is from 1 to 65535") {
  CHECK(normal("http://a:1") == "http://a:1");
  CHECK(normal("http://a:65535") == "http://a:65535");
  for (const std::string_view url :
       {"http://a:0", "http://a:65536", "http://a:99999999999999999999", "http://a:-1",
        "http://a:8a", "http://a:80:80", "http://a:+80"}) {
    CAPTURE(url);
    CHECK(normal(url) == "none");
  }
}

TEST_CASE("Hosts and labels have the lengths that the DNS allows") {
  const std::string label(63, 'a');
  const std::string longest = label + '.' + label + '.' + label + '.' + std::string(61, 'a');
  CHECK(longest.size() == 253);
  CHECK(normal("http://" + longest) == "http://" + longest);
  CHECK(normal("http://" + longest + ".") == "http://" + longest);
  CHECK(normal("http://" + longest + "a") == "none");
  CHECK(normal("http://" + label + "a") == "none");
  CHECK(normal("http://" + std::string(1'000'000, 'a')) == "none");
}

TEST_CASE("Parsing the text of an origin gives the same origin") {
  std::mt19937 random{6454};
  constexpr std::string_view alphabet = "aA.:80/@[]%6\\_-\xC3 ";
  for (int round = 0; round < 50'000; ++round) {
    std::string url = round % 2 == 0 ? "http://" : "https://";
    for (std::size_t n = random() % 12; n > 0; --n) {
      url += round % 3 == 0 ? static_cast<char>(random() & 0xFFU)
                            : alphabet[random() % alphabet.size()];
    }
    const std::optional<origin> place = parse_origin(url);
    if (place) {
      CHECK(parse_origin(to_string(*place)) == place);
    }
  }
}

#include <robots/http/site.hpp>

#include <doctest/doctest.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

using robots::parse_site;
using robots::site;
using robots::url_scheme;
using robots::detail::url_problem;

namespace {

std::string key(std::string_view host_or_url) {
  const std::optional<site> place = parse_site(host_or_url);
  return place ? place->key() : "none";
}

}  // namespace

TEST_CASE("A host without a scheme means https, then http") {
  CHECK(parse_site("example.com") == site{std::nullopt, "example.com", 0});
  CHECK(
      parse_site("example.com")->robots_urls() ==
      std::vector<std::string>{"https://example.com/robots.txt", "http://example.com/robots.txt"});
  CHECK(parse_site("example.com:8080")->robots_urls() ==
        std::vector<std::string>{"https://example.com:8080/robots.txt",
                                 "http://example.com:8080/robots.txt"});
  CHECK(parse_site("example.com:80")->robots_urls() ==
        std::vector<std::string>{"http://example.com/robots.txt"});
  CHECK(parse_site("example.com:443")->robots_urls() ==
        std::vector<std::string>{"https://example.com/robots.txt"});
}

TEST_CASE("A URL names one origin") {
  CHECK(parse_site("https://example.com/x") == site{url_scheme::https, "example.com", 0});
  CHECK(parse_site("http://example.com:8080/x")->robots_urls() ==
        std::vector<std::string>{"http://example.com:8080/robots.txt"});
  CHECK(parse_site("http://[::1]:8080")->origins().front() ==
        robots::origin{url_scheme::http, "[::1]", 8080});
}

TEST_CASE("A site has one key for all its spellings") {
  CHECK(key("example.com") == "example.com");
  CHECK(key("EXAMPLE.com.") == "example.com");
  CHECK(key("example.com/x?y#z") == "example.com");
  CHECK(key("example.com:8080/x") == "example.com:8080");
  CHECK(key("example.com:") == "none");
  CHECK(key("http:/example.com") == "none");
  CHECK(key("http://127.0.0.1/") == "http://127.0.0.1");
  for (const char* odd : {"http://127.1", "http://2130706433", "http://0x7f.0.0.1",
                          "http://0177.0.0.1", "http://127.0.0.0x1", "http://256.0.0.1", "127.1"}) {
    CAPTURE(odd);
    CHECK(key(odd) == "none");
  }
  CHECK(key("http://1.example") == "http://1.example");
  CHECK(key("http://example.0xyz") == "http://example.0xyz");
  CHECK(key("mailto:bob@example.com") == "none");
  CHECK(key("example.com:443") == "https://example.com");
  CHECK(key("[::1]:80") == "http://[::1]");
  CHECK(key("localhost:80") == "http://localhost");
  CHECK(key("https:80") == "http://https");
  CHECK(key("https://example.com/x") == "https://example.com");
  CHECK(key("HTTP://Example.com:80") == "http://example.com");
  CHECK(key("http://example.com:8080") == "http://example.com:8080");
  CHECK(site{url_scheme::https, "example.com", 443}.key() == "https://example.com");
}

TEST_CASE("A text without a host is refused") {
  for (const std::string_view text :
       {"", "/", "//example.com", "http://", "ftp://example.com", "://a", "a b", "example.com:x",
        "::1", "a\\b", "\xFF", "https:example.com", "?", "#", ":80", "@", "a\nb"}) {
    CAPTURE(text);
    CHECK(key(text) == "none");
  }
}

TEST_CASE("The problem of a text that names no site is described in words") {
  CHECK(url_problem("https://example.com/x").empty());
  CHECK(url_problem("example.com").empty());
  CHECK(url_problem("") == "there is no host");
  CHECK(url_problem("https:///x") == "there is no host");
  CHECK(url_problem("ftp://example.com") == "the scheme \"ftp\" is neither http nor https");
  CHECK(url_problem("https://b\xC3\xBC"
                    "cher.example/") ==
        "the host is not ASCII: write its ASCII form, as in xn--bcher-kva.example, or call use_idn "
        "of the adapter robots::idn");
  CHECK(url_problem("https://example.com:99999/") ==
        "the port \"99999\" is not a number from 1 to 65535");
  CHECK(url_problem("https://a b/") ==
        "a blank, a control character or a backslash is before the path: remove it");
  CHECK(url_problem("https://127.1/") == "the host \"127.1\" is neither a name nor an address");
  CHECK(url_problem("a@b") ==
        "it names no host: write it like https://example.com/ or example.com");
  for (const std::string scheme : {"javascript", "mailto", "tel", "data", "blob"}) {
    CHECK(url_problem(scheme + ":https://a@b/,99999") ==
          "the scheme \"" + scheme + "\" is neither http nor https");
  }
  CHECK(url_problem("data:8080").empty());  // a host with a port
  CHECK(url_problem("//example.com/x") == "the scheme is missing: write https: in front of //");
  CHECK(url_problem(std::string(100'000, 'x')).size() < 200);
  // The caller escapes the message when it is printed.
  CHECK(url_problem("http://a:b\xC3/") == "the port \"b\xC3\" is not a number from 1 to 65535");
}

#include <robots/http/url.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <optional>
#include <random>
#include <string>
#include <string_view>

using robots::resolve_reference;
using robots::http_detail::split_url;

namespace {

constexpr auto full = split_url("http://user@host:8042/over/there?name=ferret#nose");
static_assert(full.scheme == "http");
static_assert(full.authority == "user@host:8042");
static_assert(full.path == "/over/there");
static_assert(full.query == "name=ferret");

static_assert(!split_url("").scheme);
static_assert(!split_url("").authority);
static_assert(!split_url("").query);
static_assert(split_url("?").query == "");
static_assert(split_url("//").authority == "");
static_assert(split_url("http://h?a/b").authority == "h");
static_assert(split_url("http://h#a?b").authority == "h");
static_assert(!split_url("http://h#a?b").query);
static_assert(!split_url("1a:b").scheme);
static_assert(split_url("1a:b").path == "1a:b");
static_assert(!split_url("/a:b").scheme);
static_assert(!split_url(":b").scheme);
static_assert(split_url("mailto:a@b").scheme == "mailto");
static_assert(split_url("mailto:a@b").path == "a@b");

struct reference_case {
  std::string_view reference;
  std::string_view result;
};

}  // namespace

TEST_CASE("References resolve like the examples of RFC 3986, section 5.4") {
  constexpr std::string_view base = "http://a/b/c/d;p?q";
  constexpr std::array cases{
      reference_case{"g:h", "g:h"},
      reference_case{"g", "http://a/b/c/g"},
      reference_case{"./g", "http://a/b/c/g"},
      reference_case{"g/", "http://a/b/c/g/"},
      reference_case{"/g", "http://a/g"},
      reference_case{"//g", "http://g"},
      reference_case{"?y", "http://a/b/c/d;p?y"},
      reference_case{"g?y", "http://a/b/c/g?y"},
      reference_case{"#s", "http://a/b/c/d;p?q"},
      reference_case{"g#s", "http://a/b/c/g"},
      reference_case{"g?y#s", "http://a/b/c/g?y"},
      reference_case{";x", "http://a/b/c/;x"},
      reference_case{"g;x", "http://a/b/c/g;x"},
      reference_case{"g;x?y#s", "http://a/b/c/g;x?y"},
      reference_case{"", "http://a/b/c/d;p?q"},
      reference_case{".", "http://a/b/c/"},
      reference_case{"./", "http://a/b/c/"},
      reference_case{"..", "http://a/b/"},
      reference_case{"../", "http://a/b/"},
      reference_case{"../g", "http://a/b/g"},
      reference_case{"../..", "http://a/"},
      reference_case{"../../", "http://a/"},
      reference_case{"../../g", "http://a/g"},
      reference_case{"../../../g", "http://a/g"},
      reference_case{"../../../../g", "http://a/g"},
      reference_case{"/./g", "http://a/g"},
      reference_case{"/../g", "http://a/g"},
      reference_case{"g.", "http://a/b/c/g."},
      reference_case{".g", "http://a/b/c/.g"},
      reference_case{"g..", "http://a/b/c/g.."},
      reference_case{"..g", "http://a/b/c/..g"},
      reference_case{"./../g", "http://a/b/g"},
      reference_case{"./g/.", "http://a/b/c/g/"},
      reference_case{"g/./h", "http://a/b/c/g/h"},
      reference_case{"g/../h", "http://a/b/c/h"},
      reference_case{"g;x=1/./y", "http://a/b/c/g;x=1/y"},
      reference_case{"g;x=1/../y", "http://a/b/c/y"},
      reference_case{"g?y/./x", "http://a/b/c/g?y/./x"},
      reference_case{"g?y/../x", "http://a/b/c/g?y/../x"},
      reference_case{"http:g", "http:g"},
  };
  for (const reference_case& one : cases) {
    CAPTURE(one.reference);
    CHECK(resolve_reference(base, one.reference) == one.result);
  }
}

TEST_CASE("A reference can name another scheme, which is returned in lower case") {
  constexpr std::string_view base = "https://example.com/robots.txt";
  CHECK(resolve_reference(base, "HTTP://Example.com/x") == "http://Example.com/x");
  CHECK(resolve_reference(base, "file:///etc/passwd") == "file:///etc/passwd");
  CHECK(resolve_reference(base, "FTP://example.com/") == "ftp://example.com/");
  CHECK(resolve_reference(base, "javascript:alert(1)") == "javascript:alert(1)");
  CHECK(resolve_reference(base, "example.org:80/x") == "example.org:80/x");
}

TEST_CASE("A base without a path puts a slash before a relative reference") {
  CHECK(resolve_reference("http://a", "g") == "http://a/g");
  CHECK(resolve_reference("http://a?q", "g") == "http://a/g");
  CHECK(resolve_reference("http://a", "?y") == "http://a?y");
}

TEST_CASE("No reference resolves against a base that is not absolute") {
  CHECK_FALSE(resolve_reference("", "http://a/"));
  CHECK_FALSE(resolve_reference("/robots.txt", "x"));
  CHECK_FALSE(resolve_reference("//a/b", "x"));
}

TEST_CASE("Control characters, spaces and backslashes are refused in a URL") {
  constexpr std::string_view base = "http://a/b";
  for (const std::string_view bad : {"/x\r\nHost: evil", "/a b", " /a", "/a\t", "/a\x7F",
                                     "\\\\evil", "http://good\\@evil/", "/a\\b", "/?\n", "/#\n"}) {
    CAPTURE(bad);
    CHECK_FALSE(resolve_reference(base, bad));
  }
  CHECK_FALSE(resolve_reference(base, std::string_view{"/a\0b", 4}));
  CHECK_FALSE(resolve_reference("http://a/ b", "/x"));
}

TEST_CASE("Octets outside ASCII are percent-encoded in path and query") {
  CHECK(resolve_reference("http://a/", "/\xC3\xA4?\xFF") == "http://a/%C3%A4?%FF");
  CHECK(resolve_reference("http://a/", "/%c3%a4") == "http://a/%c3%a4");
}

TEST_CASE("A path that starts with two slashes cannot become an authority") {
  CHECK(resolve_reference("g:a", "g:/..//x") == "g:/.//x");
}

TEST_CASE("Dot segments are removed in linear time, however many there are") {
  std::string path;
  for (int i = 0; i < 100'000; ++i) {
    path += "/a/..";
  }
  CHECK(robots::http_detail::remove_dot_segments(path) == "/");
  CHECK(robots::http_detail::remove_dot_segments("../../a") == "a");
  CHECK(robots::http_detail::remove_dot_segments("") == "");
  CHECK(robots::http_detail::remove_dot_segments("..") == "");
  CHECK(robots::http_detail::remove_dot_segments("/..") == "/");
}

TEST_CASE("An encoded dot is a dot in a path, as browsers and curl read it") {
  using robots::http_detail::remove_dot_segments;
  CHECK(remove_dot_segments("/open/%2e%2E/private") == "/private");
  CHECK(remove_dot_segments("/open/.%2e/private") == "/private");
  CHECK(remove_dot_segments("/open/%2E/x/%2e.") == "/open/");
  CHECK(remove_dot_segments("%2e%2e/a") == "a");
  CHECK(remove_dot_segments("/%2e%2e%2e/%2f../a%2e") == "/%2e%2e%2e/%2f../a%2e");
}

TEST_CASE("A resolved URL is printable ASCII, for any input") {
  std::mt19937 random{20220901};
  constexpr std::string_view alphabet = "http:/?#.@[]%a\\ \n\xC3\x80:8";
  for (int round = 0; round < 50'000; ++round) {
    std::string text;
    for (std::size_t n = random() % 24; n > 0; --n) {
      text += round % 2 == 0 ? static_cast<char>(random() & 0xFFU)
                             : alphabet[random() % alphabet.size()];
    }
    const std::optional<std::string> out = resolve_reference("http://a/b/c", text);
    if (!out) {
      continue;
    }
    CHECK(split_url(*out).scheme.has_value());
    CHECK(out->find('#') == std::string::npos);
    CHECK_FALSE(robots::http_detail::has_forbidden_octet(*out));
  }
}

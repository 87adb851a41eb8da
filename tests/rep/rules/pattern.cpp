#include <robots/rep/rules/pattern.hpp>

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <utility>

namespace {

using robots::dialect;
using robots::pattern;

constexpr bool matches(std::string_view text, std::string_view target) {
  return pattern{text}.matches(target);
}

// RFC 9309, section 2.2.2: the table of percent-encoded paths. Its second row encodes reserved
// octets. The library compares them as they are written, like nearly all implementations.
static_assert(matches("/foo/bar?baz=quz", "/foo/bar?baz=quz"));
static_assert(matches("/foo/bar?baz=https://foo.bar", "/foo/bar?baz=https://foo.bar"));
static_assert(matches("/foo/bar/%E3%83%84", "/foo/bar/%E3%83%84"));
static_assert(matches("/foo/bar/\xE3\x83\x84", "/foo/bar/%E3%83%84"));
static_assert(matches("/foo/bar/%E3%83%84", "/foo/bar/\xE3\x83\x84"));
static_assert(matches("/foo/bar/%62%61%7A", "/foo/bar/baz"));
static_assert(matches("/foo/bar/baz", "/foo/bar/%62%61%7A"));

// RFC 9309, section 2.2.3: the encoding of a special character is a literal.
static_assert(matches("/path/file-with-a-%2A.html", "/path/file-with-a-*.html"));
static_assert(matches("/path/file-with-a-%2A.html", "/path/file-with-a-%2A.html"));
static_assert(!matches("/path/file-with-a-%2A.html", "/path/file-with-a-x.html"));
static_assert(matches("/path/foo-%24", "/path/foo-$"));
static_assert(matches("/path/foo-%24", "/path/foo-%24"));
static_assert(!matches("/path/foo-%24", "/path/foo-"));
static_assert(matches("/this/*/exactly", "/this/path/exactly"));
static_assert(matches("/this/path/exactly$", "/this/path/exactly"));
static_assert(!matches("/this/path/exactly$", "/this/path/exactly/not"));

// Prefixes, wildcards and anchors.
static_assert(matches("/fish", "/fish.html"));
static_assert(!matches("/fish", "/Fish.asp"));
static_assert(!matches("/fish", "/catfish"));
static_assert(matches("/fish*", "/fish"));
static_assert(!matches("/fish/", "/fish"));
static_assert(matches("/*.php", "/folder/any.php.file.html"));
static_assert(!matches("/*.php$", "/filename.php?parameters"));
static_assert(matches("/*.php$", "/a.php.php"));
static_assert(!matches("/*.php$", "/a.PHP"));
static_assert(matches("/fish*.php", "/fishheads/catfish.php?parameters"));
static_assert(matches("/a*b*c", "/axbxbxc"));
static_assert(!matches("/a*b", "/z/a/b"));
static_assert(matches("*/baz/*", "/foo/baz/bar"));
static_assert(matches("*", "/"));
static_assert(matches("/a*$", "/abc"));
static_assert(matches("/a**b", "/axb"));
static_assert(matches("/a***", "/a"));
static_assert(matches("/$", "/"));
static_assert(!matches("/$", "/a"));
static_assert(matches("/a$b", "/a$b"));
static_assert(matches("/a$b", "/a%24bc"));
static_assert(!matches("/ab*b$", "/ab"));
static_assert(matches("/*a*a$", "/aa"));
static_assert(!matches("/*aa*aa$", "/aaa"));

// Patterns that never match.
static_assert(!matches("fish", "/fish"));
static_assert(!matches("$", "/"));
static_assert(!matches("?x", "/?x"));

// Percent-encoding is compared in one normal form on both sides.
static_assert(matches("/%7Ejoe/", "/~joe/index.html"));
static_assert(matches("/~joe/", "/%7ejoe/"));
static_assert(matches("/a%3cd", "/a%3Cd"));
static_assert(matches("/a%3Cd", "/a%3cd"));
static_assert(!matches("/a%2Fb", "/a/b"));
static_assert(!matches("/a/b", "/a%2Fb"));
static_assert(matches("/%zz", "/%zz"));
static_assert(matches("/%", "/%"));
static_assert(matches("/a b", "/a%20b"));
static_assert(matches("/a%00b", std::string_view{"/a\0b", 4}));
static_assert(matches("/a%4", "/a%4"));

// The forms of a target.
static_assert(matches("/p?q=1", "https://example.com/p?q=1#fragment"));
static_assert(matches("/?q", "http://h?q"));
static_assert(matches("/", "http://h"));
static_assert(matches("/", ""));
static_assert(!matches("/x", "https://example.com/#/x"));

// The google dialect decodes nothing and does not change targets.
static_assert(!pattern("/~joe", dialect::google).matches("/%7Ejoe"));
static_assert(pattern("/a%3cd", dialect::google).matches("/a%3Cd"));
static_assert(!pattern("/a%3Cd", dialect::google).matches("/a%3cd"));
static_assert(pattern("/\xE3\x83\x84", dialect::google).matches("/%E3%83%84"));

// A pattern in normal form allocates no memory, so it can be a constant.
constexpr pattern constant{"/a*b$"};
static_assert(constant.matches("/axxb"));

// "Most octets" counts the normal form, wildcard and anchor included.
static_assert(pattern{"/a*b$"}.specificity() == 5);
static_assert(pattern{"/%7E"}.specificity() == 2);
static_assert(pattern{"/\xE3"}.specificity() == 4);
static_assert(pattern{"/a$b"}.specificity() == 4);
static_assert(pattern{"/a**"}.specificity() == 4);
static_assert(pattern{""}.specificity() == 0);

TEST_CASE("A pattern that was copied or moved matches like the original") {
  const std::string text = "/%7Ejoe/**x$";
  pattern original{text};
  const pattern copy = original;
  const pattern moved = std::move(original);
  CHECK(copy.matches("/~joe/abx"));
  CHECK(moved.matches("/~joe/abx"));
  CHECK_FALSE(copy.matches("/~joe/abxy"));
}

TEST_CASE("A target whose normal form exceeds the stack buffer is matched") {
  const std::string filler(30'000, ' ');  // three octets each in normal form
  const std::string target = "/a" + filler + "/needle/" + filler + "end";
  CHECK(pattern{"/a*/needle/*end$"}.matches(target));
  CHECK(pattern{"/a%20%20"}.matches(target));
  CHECK_FALSE(pattern{"/a*/needles/"}.matches(target));
  CHECK_FALSE(pattern{"/a*/needle/*en$"}.matches(target));
  CHECK(pattern{"/*%20/needle/%20%20%20%20%20%20%20%20*end$"}.matches(target));
  CHECK(pattern{"*" + filler + "end$"}.matches(target));
}

TEST_CASE("Runs of wildcards take linear time") {
  std::string stars = "/";
  for (int i = 0; i < 100; ++i) {
    stars += "*a";
  }
  const std::string text = "/" + std::string(2'000, 'a');
  CHECK(pattern{stars + "$"}.matches(text));
  CHECK_FALSE(pattern{stars + "b"}.matches(text));
  CHECK_FALSE(pattern{"/*a*a*a*a*a*a*a*a$"}.matches("/" + std::string(60, 'a') + "b"));
}

TEST_CASE("A long literal after a wildcard is found in linear time") {
  const std::string a(200'000, 'a');
  CHECK_FALSE(pattern{"/*" + a.substr(0, 100'000) + "b"}.matches("/" + a));
  CHECK(pattern{"/*" + a.substr(0, 100'000) + "b"}.matches("/" + a + "b"));
  std::string ab;
  for (int i = 0; i < 50'000; ++i) {
    ab += "ab";
  }
  CHECK(pattern{"/*" + ab + "c"}.matches("/" + ab + ab + "c"));
  CHECK_FALSE(pattern{"/*" + ab + "c"}.matches("/" + ab + ab + "d"));
}

TEST_CASE("Any octets can be a pattern and a target") {
  for (int octet = 0; octet < 256; ++octet) {
    const std::string text = std::string{"/x"} + static_cast<char>(octet) + "y";
    CAPTURE(octet);
    CHECK(pattern{text}.matches(text) == (octet != '#'));  // a fragment is not part of a target
  }
}

}  // namespace

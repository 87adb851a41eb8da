#include <robots/rep/text/detail/target_path.hpp>

#include <doctest/doctest.h>

#include <string>
#include <string_view>

namespace {

constexpr bool is(std::string_view target, std::string_view text, bool slash = false) {
  const auto path = robots::rep_detail::path_and_query(target);
  return path.text == text && path.leading_slash == slash;
}

static_assert(is("/a?b", "/a?b"));
static_assert(is("/a#b", "/a"));
static_assert(is("//double/slash", "//double/slash"));
static_assert(is("https://example.com/a?b#c", "/a?b"));
static_assert(is("HTTP://example.com:80/a", "/a"));
static_assert(is("https://user:pw@example.com/a", "/a"));
static_assert(is("https://example.com", "", true));
static_assert(is("https://example.com?q=/x", "?q=/x", true));
static_assert(is("https://example.com#f/x", "", true));
static_assert(is("https://[::1]/x", "/x"));
static_assert(is("example.com/a", "example.com/a", true));
static_assert(is("admin/users?q#f", "admin/users?q", true));
static_assert(is("mailto:bob@example.com", "mailto:bob@example.com", true));
static_assert(is("http:/x", "http:/x", true));
static_assert(is("/redirect?to=https://other.example/x", "/redirect?to=https://other.example/x"));
static_assert(is("", "", true));
static_assert(is("?q", "?q", true));

constexpr bool google(std::string_view target, std::string_view text, bool slash = false) {
  const auto path = robots::rep_detail::path_and_query(target, true);
  return path.text == text && path.leading_slash == slash;
}

static_assert(google("//a/b/c", "/b/c"));
static_assert(google("http://a;p", ";p", true));
static_assert(google("a/b", "/b"));
static_assert(google("http://h/a#b", "/a"));
static_assert(google("http://h#/a", "", true));
static_assert(google("/a/http://b", "/a/http://b"));
static_assert(google(std::string_view{"/a\0b", 4}, "/a"));

TEST_CASE("Every prefix of a URL is a target") {
  constexpr std::string_view url = "https://user@example.com:443/a/b?c=d#e";
  for (std::size_t size = 0; size <= url.size(); ++size) {
    const auto path = robots::rep_detail::path_and_query(url.substr(0, size));
    CHECK((path.leading_slash || path.text.starts_with('/')));
  }
}

}  // namespace

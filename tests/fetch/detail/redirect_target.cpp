#include <robots/fetch/detail/redirect_target.hpp>

#include <doctest/doctest.h>

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

using robots::outcome;
using robots::fetch_detail::redirect_refusal;
using robots::fetch_detail::redirect_target;
using robots::fetch_detail::redirect_url;

namespace {

constexpr std::string_view robots_url = "https://example.com/robots.txt";

std::string url_of(std::optional<std::string_view> location) {
  const auto target = redirect_target(robots_url, location);
  const auto* const found = std::get_if<redirect_url>(&target);
  return found != nullptr ? found->url : std::string{"refused"};
}

redirect_refusal refusal_of(std::optional<std::string_view> location) {
  const auto target = redirect_target(robots_url, location);
  REQUIRE(std::holds_alternative<redirect_refusal>(target));
  return std::get<redirect_refusal>(target);
}

}  // namespace

TEST_CASE("The target of a redirect is a URL in normal form without user information") {
  CHECK(url_of("HTTP://user:pw@WWW.Example.com:80") == "http://www.example.com/");
  CHECK(url_of("//www.example.com?x") == "https://www.example.com/?x");
  CHECK(url_of("/new robots.txt") == "https://example.com/new%20robots.txt");
  CHECK(url_of("\\\\www.example.com\\robots.txt") == "https://www.example.com/robots.txt");
}

TEST_CASE("A Location that leads nowhere means that no file was found, as a loop does") {
  struct unusable_case {
    std::string_view location;
    std::string_view why;
  };
  constexpr std::array cases{
      unusable_case{"http://", "there is no host"},
      unusable_case{"//", "there is no host"},
      unusable_case{"https://?x", "there is no host"},
      unusable_case{"http://a:99999/", "the port \"99999\" is not a number from 1 to 65535"},
      unusable_case{"http://\xC3\xA4/", "the host is not ASCII"},
      unusable_case{"http://a b/", "a blank or a control character in its host"},
      unusable_case{"http://a:b\xC3/", "the port \"b\xC3\" is not"},  // escaped where it is printed
      unusable_case{"http://a:b\xC3/", "; Location: http://a:b\xC3/"},
      unusable_case{"http://a..b/", "the host \"a..b\" is neither a name nor an address"},
  };
  for (const unusable_case& one : cases) {
    CAPTURE(one.location);
    const redirect_refusal refusal = refusal_of(one.location);
    CHECK(refusal.kind == outcome::too_many_redirects);
    CHECK(refusal.why.starts_with("the redirect's Location cannot be used: "));
    CHECK(refusal.why.find(one.why) != std::string::npos);
  }
}

TEST_CASE("A redirect to a scheme other than http and https is refused") {
  CHECK(refusal_of("file:///etc/passwd").kind == outcome::refused);
  CHECK(refusal_of("javascript:alert( 1)").kind == outcome::refused);
}

TEST_CASE("A missing Location, or one that is too long for us, is a failure of the server") {
  CHECK(refusal_of(std::nullopt).kind == outcome::server_error);
  CHECK(refusal_of("/" + std::string(8'000, 'x')).kind == outcome::server_error);
  CHECK(url_of("/" + std::string(7'999, 'x')).size() == 8'019);
}

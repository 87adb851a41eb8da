#include <robots/http/location.hpp>

#include <robots/http/site.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <optional>
#include <random>
#include <string>
#include <string_view>

using robots::resolve_location;

namespace {

struct location_case {
  std::string_view location;
  std::string_view url;
};

constexpr std::string_view redirecting = "https://a.example/b/robots.txt?q";

}  // namespace

TEST_CASE("A Location is read as browsers read it") {
  constexpr std::array cases{
      location_case{"/new robots.txt", "https://a.example/new%20robots.txt"},
      location_case{"  /x \t", "https://a.example/x"},
      location_case{"\x01 /x\x1F", "https://a.example/x"},
      location_case{"/a\tb\r\nc", "https://a.example/abc"},
      location_case{"ht\ntp\t://h.example/x", "http://h.example/x"},
      location_case{"\\x\\y", "https://a.example/x/y"},
      location_case{"\\\\h.example\\x", "https://h.example/x"},
      location_case{"https:\\\\h.example\\x?a", "https://h.example/x?a"},
      location_case{"/\\h.example/x", "https://h.example/x"},
      location_case{"///h.example/x", "https://h.example/x"},
      location_case{"http:///h.example/x", "http://h.example/x"},
      location_case{"http:h.example/x", "http://h.example/x"},
      location_case{"https:x", "https://a.example/b/x"},
      location_case{"https:", "https://a.example/b/robots.txt?q"},
      location_case{"https:?x", "https://a.example/b/robots.txt?x"},
      location_case{"HTTPS:/x", "https://a.example/x"},
      location_case{"https:c:d", "https://a.example/b/c:d"},
      location_case{"https://h.example/", "https://h.example/"},
      location_case{"//h.example/x", "https://h.example/x"},
      location_case{"/\xC3\xBC?\xC3\xA4", "https://a.example/%C3%BC?%C3%A4"},
      location_case{"/%C3%BC?%20", "https://a.example/%C3%BC?%20"},
      location_case{"/\"<>`{}^|[]'", "https://a.example/%22%3C%3E%60%7B%7D%5E|[]'"},
      location_case{"/?a b\"<>'`{}^\\", "https://a.example/?a%20b%22%3C%3E%27`{}^%5C"},
      location_case{"/a\x7F\x02z", "https://a.example/a%7F%02z"},
      location_case{"/x y#z w", "https://a.example/x%20y"},
      location_case{"?a?b", "https://a.example/b/robots.txt?a?b"},
      location_case{"/c\\..\\d", "https://a.example/d"},
      location_case{"", "https://a.example/b/robots.txt?q"},
      location_case{" ", "https://a.example/b/robots.txt?q"},
      location_case{"javascript:alert( 1)", "javascript:alert(%201)"},
      location_case{"mailto:a\\b", "mailto:a%5Cb"},
      location_case{"robots v2:1.txt", "https://a.example/b/robots%20v2:1.txt"},
  };
  for (const location_case& one : cases) {
    CAPTURE(one.location);
    CHECK(resolve_location(redirecting, one.location) == one.url);
  }
  CHECK(resolve_location(redirecting, std::string_view{"/a\0b", 4}) == "https://a.example/a%00b");
}

TEST_CASE("A host with a blank or a control character is refused in a Location") {
  CHECK_FALSE(resolve_location(redirecting, "https://h h.example/"));
  CHECK_FALSE(resolve_location(redirecting, "//h\x01.example/"));
}

TEST_CASE("A host outside ASCII is left as it is, so that a message can name it") {
  const auto url = resolve_location(redirecting,
                                    "https://b\xC3\xBC"
                                    "cher.example/\xC3\xBC");
  REQUIRE(url);
  CHECK(*url ==
        "https://b\xC3\xBC"
        "cher.example/%C3%BC");
  CHECK(robots::detail::url_problem(*url).find("not ASCII") != std::string::npos);
}

TEST_CASE("The URL of a Location is fit for a request line, for any input") {
  std::mt19937 random{3986};
  constexpr std::string_view alphabet = "htps:/\\?#.@[]%a \n\t\xC3\x80:8";
  for (int round = 0; round < 50'000; ++round) {
    std::string text{round % 3 == 0 ? "https:" : ""};
    for (std::size_t n = random() % 24; n > 0; --n) {
      text += round % 2 == 0 ? static_cast<char>(random() & 0xFFU)
                             : alphabet[random() % alphabet.size()];
    }
    const std::optional<std::string> url = resolve_location(redirecting, text);
    if (url) {
      CHECK(url->find('#') == std::string::npos);
      CHECK_FALSE(robots::http_detail::has_forbidden_octet(*url));
      CHECK(resolve_location(redirecting, *url) == url);
    }
  }
}

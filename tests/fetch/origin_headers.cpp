#include <robots/fetch/origin_headers.hpp>

#include <doctest/doctest.h>

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

using robots::http_header;
using robots::origin_headers;

TEST_CASE("Headers of an origin go to this scheme, host and port alone") {
  const origin_headers headers =
      origin_headers{}.everywhere("From", "me").only_at("https://Example.com/", "X-Key", "1");
  const std::vector<http_header> everywhere{{"From", "me"}};
  const std::vector<http_header> both{{"From", "me"}, {"X-Key", "1"}};
  CHECK(headers("https://example.com/a?b") == both);
  CHECK(headers("https://example.com:443") == both);
  for (const std::string_view url :
       {"http://example.com/", "https://www.example.com/", "https://example.com:444/",
        "https://example.com.evil.example/", "https://evil.example/?https://example.com", "",
        "not a URL"}) {
    CAPTURE(url);
    CHECK(headers(url) == everywhere);
  }
}

TEST_CASE("A header that cannot be sent, and a text that is no origin, are refused at once") {
  origin_headers headers;
  CHECK_THROWS_AS(headers.everywhere("", "x"), std::invalid_argument);
  CHECK_THROWS_WITH_AS(headers.everywhere("X-Key", "secret\n"),
                       "\"X-Key\" cannot be a header: it has a control character in its value",
                       std::invalid_argument);
  CHECK_THROWS_WITH_AS(headers.only_at("example.com", "X-Key", "1"),
                       "\"example.com\" is no origin: write it like https://example.com",
                       std::invalid_argument);
  CHECK_THROWS_WITH_AS(
      headers.only_at("https://example.com/private", "X-Key", "1"),
      "\"https://example.com/private\" has a path: headers are for a whole origin, so leave the "
      "path out",
      std::invalid_argument);
}

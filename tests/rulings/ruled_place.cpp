#include <robots/rulings/ruled_place.hpp>

#include <doctest/doctest.h>

#include <string_view>

using namespace robots;
using rulings_detail::place_of;
using rulings_detail::ruled_place;

namespace {

ruled_place place(std::string_view text) { return place_of(*parse_site(text)); }

bool covers(std::string_view text, std::string_view url) {
  return place(text).covers(*detail::parse_origin(url));
}

}  // namespace

TEST_CASE("A host covers all its origins, a port both schemes, and a URL one origin") {
  CHECK(covers("example.com", "http://example.com:8080/a"));
  CHECK(covers("example.com", "https://example.com/"));
  CHECK(!covers("example.com", "https://www.example.com/"));
  CHECK(covers("example.com:8080", "http://example.com:8080/"));
  CHECK(covers("example.com:8080", "https://example.com:8080/"));
  CHECK(!covers("example.com:8080", "https://example.com/"));
  CHECK(covers("https://example.com/page", "https://example.com:443/"));
  CHECK(!covers("https://example.com", "http://example.com/"));
  CHECK(covers("http://example.com:443", "http://example.com:443/"));
  CHECK(covers("https://example.com:80", "https://example.com:80/"));
}

TEST_CASE("Two places overlap if they share an origin") {
  CHECK(place("example.com").overlaps(place("https://example.com:8443")));
  CHECK(place("https://example.com:8443").overlaps(place("example.com:8443")));
  CHECK(!place("https://example.com").overlaps(place("http://example.com")));
  CHECK(!place("example.com:1").overlaps(place("example.com:2")));
  CHECK(place("example.com:1").precision() > place("example.com").precision());
}

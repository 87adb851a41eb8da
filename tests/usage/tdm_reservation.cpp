#include <robots/usage/tdm_reservation.hpp>

#include <doctest/doctest.h>

#include <optional>
#include <string>
#include <string_view>

namespace {

using robots::parse_tdm_reservation;
using robots::read_tdmrep;
using robots::tdm_reservation;

// TDMRep, section 6.2.
constexpr std::string_view example = R"([
  {"location": "/directory-a/", "tdm-reservation": 1},
  {"location": "/directory-b/html/", "tdm-reservation": 1,
   "tdm-policy": "https://p.example/p.json"},
  {"location": "/directory-b/images/*.jpg", "tdm-reservation": 0}
])";

TEST_CASE("The entry whose location matches says whether the rights are reserved") {
  CHECK(read_tdmrep(example, "/directory-a/x.pdf") ==
        tdm_reservation{.reserved = true, .entry = 1});
  CHECK(read_tdmrep(example, "https://example.com/directory-b/html/i.html") ==
        tdm_reservation{.reserved = true, .policy = "https://p.example/p.json", .entry = 2});
  CHECK(read_tdmrep(example, "/directory-b/images/a.jpg") ==
        tdm_reservation{.reserved = false, .entry = 3});
  CHECK(read_tdmrep(example, "/directory-b/images/a.png") == tdm_reservation{});
  CHECK(read_tdmrep(example, "/") == tdm_reservation{});
}

TEST_CASE("The first entry that matches decides, not the longest") {
  CHECK(read_tdmrep(
            R"([{"location":"/","tdm-reservation":0},{"location":"/a","tdm-reservation":1}])", "/a")
            .reserved == false);
}

TEST_CASE("A first match without a valid reservation leaves the page without one") {
  CHECK_FALSE(read_tdmrep(R"([{"location":"/","tdm-reservation":2},
                              {"location":"/","tdm-reservation":1}])",
                          "/a")
                  .reserved.has_value());
  CHECK_FALSE(read_tdmrep(R"([{"location":"/"},{"location":"/","tdm-reservation":1}])", "/a")
                  .reserved.has_value());
}

TEST_CASE("Numbers, texts and booleans are accepted as values") {
  for (const char* value : {"1", "\"1\"", "true"}) {
    INFO(value);
    CHECK(read_tdmrep(std::string{R"([{"location":"/","tdm-reservation":)"} + value + "}]", "/")
              .reserved == true);
  }
  for (const char* value : {"0", "\"0\"", "false"}) {
    INFO(value);
    CHECK(read_tdmrep(std::string{R"([{"location":"/","tdm-reservation":)"} + value + "}]", "/")
              .reserved == false);
  }
  CHECK_FALSE(read_tdmrep(R"([{"location":"/","tdm-reservation":[1]}])", "/").reserved.has_value());
}

TEST_CASE("Text that is no JSON array says nothing, and neither do entries without a location") {
  for (const char* text : {"", "{}", "[", "1", "[1]", R"([{"location":1,"tdm-reservation":1}])",
                           R"([{"tdm-reservation":1}])", "<html>"}) {
    INFO(text);
    CHECK(read_tdmrep(text, "/") == tdm_reservation{});
  }
}

TEST_CASE("A file beyond a limit reserves the rights") {
  CHECK(read_tdmrep(std::string(robots::max_tdmrep_bytes + 1, ' '), "/").reserved == true);
  std::string many = "[";
  while (many.size() < 500'000) {
    many += R"({"location":"/x"},)";
  }
  many += R"({"location":"/","tdm-reservation":0}])";
  CHECK(read_tdmrep(many, "/").reserved == false);
  CHECK(read_tdmrep(many, "/" + std::string(2'000, 'a')).reserved == true);
}

TEST_CASE("Headers and meta elements have 1 or 0") {
  CHECK(parse_tdm_reservation(" 1 ") == true);
  CHECK(parse_tdm_reservation("\"1\"") == true);
  CHECK(parse_tdm_reservation("true") == true);
  CHECK(parse_tdm_reservation("0") == false);
  CHECK_FALSE(parse_tdm_reservation("2").has_value());
  CHECK_FALSE(parse_tdm_reservation("").has_value());
  CHECK_FALSE(parse_tdm_reservation("1, 0").has_value());
}

}  // namespace

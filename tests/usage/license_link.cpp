#include <robots/usage/license_link.hpp>

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

namespace {

using robots::http_header;
using robots::licence_demand;
using robots::licence_need;
using robots::parse_license_links;

std::string links(std::string_view value) {
  std::string text;
  for (const std::string_view url : parse_license_links(value)) {
    text.append(text.empty() ? "" : " ").append(url);
  }
  return text;
}

TEST_CASE("A Link names a licence by its relation and its type") {
  CHECK(links("<https://e/l.xml>; rel=\"license\"; type=\"application/rsl+xml\"") ==
        "https://e/l.xml");
  CHECK(links("<https://e/l.xml>;type=application/rsl+xml ; REL=License") == "https://e/l.xml");
  CHECK(links("< https://e/l.xml > ; rel=\"copyright license\"; type=\"application/rsl+xml\"") ==
        "https://e/l.xml");
}

TEST_CASE("Several links stand between commas, and a URL holds its own comma and semicolon") {
  CHECK(links("</style.css>; rel=preload, <https://e/a,b;c.xml>; rel=license; "
              "type=application/rsl+xml, <https://e/d.xml>; rel=license; "
              "type=\"application/rsl+xml\"; title=\"x, y\"") ==
        "https://e/a,b;c.xml https://e/d.xml");
}

TEST_CASE(
    "A link without the type, relative, with an anchor or of another relation is no licence") {
  CHECK(links("<https://e/l.xml>; rel=license").empty());
  CHECK(links("<https://e/l.xml>; rel=license; type=text/html").empty());
  CHECK(links("</l.xml>; rel=license; type=application/rsl+xml").empty());
  CHECK(links("<https://e/l.xml>; rel=license; type=application/rsl+xml; anchor=\"/x\"").empty());
  CHECK(links("<https://e/l.xml>; rel=next; type=application/rsl+xml").empty());
  CHECK(links("<https://e/l.xml>; rel=next; rel=license; type=application/rsl+xml").empty());
  CHECK(links("https://e/l.xml; rel=license; type=application/rsl+xml").empty());
}

TEST_CASE("Any octets are read as links, and none makes the reader hang") {
  const std::string_view whole = "<https://e/l>; rel=\"lic\\\"ense\"; type=a, <b";
  for (std::size_t size = 0; size <= whole.size(); ++size) {
    for (int octet = 0; octet < 256; ++octet) {
      CHECK(parse_license_links(std::string{whole.substr(0, size)} + static_cast<char>(octet))
                .empty());
    }
  }
}

TEST_CASE("401 and 402 with the scheme License demand a licence") {
  const std::vector<http_header> headers{
      {"WWW-Authenticate", "License error=\"invalid_token\""},
      {"Link", "<https://e/l.xml>; rel=license; type=application/rsl+xml"}};
  const auto demand = licence_demand(401, headers);
  CHECK(demand.need == licence_need::token);
  CHECK(demand.challenge == "License error=\"invalid_token\"");
  CHECK(demand.licenses == std::vector<std::string>{"https://e/l.xml"});
  CHECK(licence_demand(402, headers).need == licence_need::payment);
}

TEST_CASE("Other statuses and other schemes demand no licence") {
  const std::vector<http_header> license{{"www-authenticate", "LICENSE"}};
  CHECK(licence_demand(401, license));
  CHECK_FALSE(licence_demand(403, license));
  CHECK_FALSE(licence_demand(200, license));
  const std::vector<http_header> basic{{"WWW-Authenticate", "Basic realm=\"License\""}};
  CHECK_FALSE(licence_demand(401, basic));
  CHECK_FALSE(licence_demand(402, {}));
}

}  // namespace

#include <robots/rep/document/to_json.hpp>

#include <robots/rep/document/document.hpp>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <stdexcept>
#include <string>
#include <string_view>

using nlohmann::json;
using robots::parse;
using robots::to_json;
using namespace std::string_view_literals;

TEST_CASE("A document is written in the form of WEB::ROBOTS's PARSE") {
  CHECK(to_json(parse("User-agent: *\nAllow: /public\nDisallow: /admin\nCrawl-delay: 5\n"
                      "Sitemap: https://example.com/sitemap.xml\n")) ==
        R"({"groups":[{"userAgents":["*"],"allow":["/public"],"disallow":["/admin"],)"
        R"("crawlDelay":5}],"sitemaps":["https://example.com/sitemap.xml"],"host":null})");
  CHECK(to_json(parse("")) == R"({"groups":[],"sitemaps":[],"host":null})");
}

TEST_CASE("Groups, rules, sitemaps and delays are written in file order") {
  CHECK(to_json(parse("User-agent: B\nUser-agent: A\nDisallow: /2\nAllow: /1\nDisallow: /1\n"
                      "Crawl-delay: 0.25\nUser-agent: c\nDisallow:\nSitemap: /b\nSitemap: /a\n"
                      "Host: example.com\n")) ==
        R"({"groups":[{"userAgents":["B","A"],"allow":["/1"],"disallow":["/2","/1"],)"
        R"("crawlDelay":0.25},{"userAgents":["c"],"allow":[],"disallow":[""],)"
        R"("crawlDelay":null}],"sitemaps":["/b","/a"],"host":"example.com"})");
}

TEST_CASE("A verdict is written in the form of WEB::ROBOTS's MATCH") {
  const auto file = parse("User-agent: FerretBot\nAllow: /products/\nDisallow: /admin\n");
  CHECK(to_json(file.match("/products/1", "FerretBot")) ==
        R"({"allowed":true,"directive":"allow","pattern":"/products/","userAgent":"FerretBot"})");
  CHECK(to_json(file.match("/admin", "FerretBot/2")) ==
        R"({"allowed":false,"directive":"disallow","pattern":"/admin","userAgent":"FerretBot"})");
  CHECK(to_json(file.match("/", "StoatBot")) ==
        R"({"allowed":true,"directive":null,"pattern":null,"userAgent":"StoatBot"})");
  const auto closed = parse("User-agent: *\nDisallow: /");
  CHECK(to_json(closed.match("/robots.txt", "StoatBot")) ==
        R"({"allowed":true,"directive":null,"pattern":null,"userAgent":"StoatBot"})");
  CHECK(to_json(closed.match("/", "StoatBot")) ==
        R"({"allowed":false,"directive":"disallow","pattern":"/","userAgent":"*"})");
}

TEST_CASE("JSON is valid printable ASCII, whatever octets a file has") {
  const auto file = parse(
      "User-agent: \"b\xC3\xB6t\"\nDisallow: /\xE2\x82\xAC\nDisallow: /\xF0\x9F\xA4\x96\n"
      "Disallow: /\x1B[2J\x7F\nAllow: /\xFF\xC3\nAllow: /a\\b\nHost: \xFE\n"sv);
  const std::string text = to_json(file);
  CHECK(text == R"({"groups":[{"userAgents":["\"b\u00F6t\""],"allow":["/\\xFF\\xC3","/a\\x5Cb"],)"
                R"("disallow":["/\u20AC","/\uD83E\uDD16","/\u001B[2J\u007F"],"crawlDelay":null}],)"
                R"("sitemaps":[],"host":"\\xFE"})");
  const json group = json::parse(text).at("groups").at(0);
  CHECK(group.at("userAgents") == json{"\"b\xC3\xB6t\""});
  CHECK(group.at("disallow") == json{"/\xE2\x82\xAC", "/\xF0\x9F\xA4\x96", "/\x1B[2J\x7F"});
  CHECK(group.at("allow") == json{R"(/\xFF\xC3)", R"(/a\x5Cb)"});

  const std::string verdict = to_json(file.match("/\x1B[2J\x7F", "\"b\xC3\xB6t\""));
  CHECK(json::parse(verdict).at("pattern") == "/\x1B[2J\x7F");
  const std::string not_utf8 = to_json(file.match("/\xFF\xC3", "\"b\xC3\xB6t\""));
  CHECK(json::parse(not_utf8).at("pattern") == R"(/\xFF\xC3)");
}

TEST_CASE("Different texts always have different JSON") {
  const auto written = [](std::string_view pattern) {
    return to_json(parse("User-agent: *\nDisallow: " + std::string{pattern}));
  };
  CHECK(written("/\xFF") != written("/\xFE"));
  CHECK(written("/\xFF") != written("/\\xFF"));
  CHECK(written("/\xFF") != written("/%FF"));
  CHECK(written("/\xFF") != written("/\xEF\xBF\xBD"));
}

TEST_CASE("The JSON of a file whose groups repeat their rules is bounded") {
  // Each delay begins a part of the group, and the JSON repeats all rules in each part.
  std::string text;
  for (int i = 0; i < 2'000; ++i) {
    text += "User-agent: a\nCrawl-delay: 1\n";
  }
  for (int i = 0; i < 2'000; ++i) {
    text += "Allow: /" + std::to_string(i) + "\n";
  }
  const auto file = parse(text);
  CHECK_THROWS_AS((void)to_json(file, 1'000'000), std::length_error);
  CHECK(to_json(file).size() > 1'000'000);
  CHECK_THROWS_WITH_AS((void)to_json(parse("User-agent: a\nDisallow: /\n"), 10),
                       "the JSON of the document has more than 10 octets: raise the limit or list "
                       "the groups one by one",
                       std::length_error);
}

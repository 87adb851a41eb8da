#include <robots/policy/sitemap_urls.hpp>

#include <robots/http/origin.hpp>
#include <robots/rep/document/document.hpp>

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

namespace {

using robots::origin;
using robots::parse;
using robots::sitemap_urls;
using robots::url_scheme;

using strings = std::vector<std::string>;

const origin example{url_scheme::https, "example.com", 443};

strings urls(std::string_view text) { return sitemap_urls(parse(text), example); }

TEST_CASE("Sitemaps are listed in file order, from the whole file") {
  CHECK(urls("Sitemap: https://example.com/b.xml\nUser-agent: *\nSitemap: "
             "http://cdn.example.net:8080/a.xml?x=1\nDisallow: /\n") ==
        strings{"https://example.com/b.xml", "http://cdn.example.net:8080/a.xml?x=1"});
  CHECK(urls("").empty());
}

TEST_CASE("Relative sitemaps are resolved against the URL of the robots.txt") {
  CHECK(urls("Sitemap: /a.xml\nSitemap: b.xml\nSitemap: ./c/../d.xml\nSitemap: //other.example/e\n"
             "Sitemap: ?f\n") == strings{"https://example.com/a.xml", "https://example.com/b.xml",
                                         "https://example.com/d.xml", "https://other.example/e",
                                         "https://example.com/robots.txt?f"});
  const origin plain{url_scheme::http, "example.com", 8080};
  CHECK(sitemap_urls(parse("Sitemap: a.xml\n"), plain) == strings{"http://example.com:8080/a.xml"});
}

TEST_CASE("Each sitemap is listed once, however it is spelled") {
  CHECK(urls("Sitemap: /a.xml\nSitemap: https://example.com/b.xml\nSitemap: "
             "HTTPS://Example.COM:443/a.xml\nSitemap: /a.xml\nSitemap: /x/../b.xml#part\n") ==
        strings{"https://example.com/a.xml", "https://example.com/b.xml"});
  CHECK(urls("Sitemap: https://example.com\nSitemap: https://example.com/\n") ==
        strings{"https://example.com/"});
  CHECK(urls("Sitemap: http://[1:0::2]/a\nSitemap: http://[1::0.0.0.2]/a\n") ==
        strings{"http://[1::2]/a"});
  CHECK(urls("Sitemap: /A.xml\nSitemap: /a.xml\n").size() == 2);
}

TEST_CASE("A text that is not an http or https URL is left out") {
  CHECK(urls("Sitemap:\nSitemap: ftp://example.com/a.xml\nSitemap: javascript:alert(1)\n"
             "Sitemap: https:///a.xml\nSitemap: https://exa mple.com/\nSitemap: https:a.xml\n"
             "Sitemap: http://example.com:99999/\nSitemap: \\a.xml\nSitemap: data:,x\n")
            .empty());
}

TEST_CASE("Octets outside ASCII are percent-encoded") {
  CHECK(urls("Sitemap: /caf\xC3\xA9.xml\nSitemap: /caf%C3%A9.xml\n") ==
        strings{"https://example.com/caf%C3%A9.xml"});
}

TEST_CASE("A file with very many sitemaps lists all of them") {
  std::string text;
  for (int i = 0; i < 20'000; ++i) {
    text += "Sitemap: /" + std::to_string(i % 10'000) + "\n";
  }
  CHECK(urls(text).size() == 10'000);
}

}  // namespace

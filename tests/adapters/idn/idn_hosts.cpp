#include <robots/adapters/idn/idn_hosts.hpp>

#include "cache/cache_fixture.hpp"
#include <robots/http/excluded_hosts.hpp>
#include <robots/http/location.hpp>
#include <robots/http/site.hpp>

#include <doctest/doctest.h>

#include <array>
#include <optional>
#include <string>
#include <string_view>

using robots::idn_to_ascii;
using robots::parse_site;
using robots::ScriptedFetcher;
using robots::detail::url_problem;
using robots::test::foo_bot;
using robots::test::scripted;

namespace {

// The German word for books, in UTF-8 and percent-encoded.
constexpr std::string_view books = "b\xC3\xBC\x63her.example";
constexpr std::string_view encoded_books = "b%C3%BCcher.example";
constexpr std::string_view ascii_books = "xn--bcher-kva.example";

/// Uses libidn2 until the end of a test.
struct with_idn {
  with_idn() { robots::use_idn(); }
  ~with_idn() { robots::set_host_to_ascii(nullptr); }
  with_idn(const with_idn&) = delete;
  with_idn& operator=(const with_idn&) = delete;
};

std::string key_of(std::string_view text) {
  const auto parsed = parse_site(text);
  return parsed ? parsed->key() : "none";
}

}  // namespace

TEST_CASE(
    "Without the adapter, an international host is refused, and the message names robots::idn") {
  for (const std::string_view host : {books, encoded_books}) {
    const std::string url = "https://" + std::string{host} + "/";
    CHECK(key_of(url) == "none");
    CHECK(
        url_problem(url) ==
        "the host is not ASCII: write its ASCII form, as in xn--bcher-kva.example, or call use_idn "
        "of the adapter robots::idn");
  }
}

TEST_CASE("With the adapter, every spelling of an international host is one site") {
  const with_idn used;
  for (const std::string_view host :
       {books, encoded_books, ascii_books, std::string_view{"B\xC3\x9C\x43HER.Example."},
        std::string_view{"bu\xCC\x88\x63her.example"},               // u and a combining diaeresis
        std::string_view{"b\xC3\xBC\x63her\xE3\x80\x82\x65xample"},  // an ideographic full stop
        std::string_view{"b%c3%bccher%2Eexample"}}) {
    CAPTURE(host);
    CHECK(key_of("https://" + std::string{host} + "/a") == "https://xn--bcher-kva.example");
    CHECK(key_of("http://" + std::string{host} + ":8080") == "http://xn--bcher-kva.example:8080");
    CHECK(url_problem(host).empty());
  }
  CHECK(key_of("stra\xC3\x9F\x65.example") == "xn--strae-oqa.example");  // not strasse.example
  CHECK(key_of("\xE4\xBE\x8B\xE3\x81\x88.\xE3\x83\x86\xE3\x82\xB9\xE3\x83\x88") ==
        "xn--r8jz45g.xn--zckzah");
  CHECK(key_of("\xEF\xBC\x91.2.3.4") == "1.2.3.4");  // a full-width digit
}

TEST_CASE("A name without an ASCII form is refused, and no decoded octet leaves the host") {
  const with_idn used;
  for (const std::string_view host :
       {"\xFF.example", "%FF.example", "b\xC3\xBC%2Fa.example", "b\xC3\xBC%00.example",
        "b\xC3\xBC%zz.example", "b\xC3\xBC%40\x61.example", "\xEF\xBC\x8F\x61.example",
        "b\xC3\xBC%25\x61.example", "b\xC3\xBC\xEF\xBC\x85\x34\x31.example", "\xE2\x80\x8B",
        "\xC3\xA4..example", "xn--\xC3\xA4", "\xEF\xBC\x91.2.3.256",
        "\xEF\xBC\xBB\xEF\xBC\x9A\xEF\xBC\x9A\x31\xEF\xBC\xBD"}) {
    CAPTURE(host);
    CHECK(key_of("https://" + std::string{host} + "/") == "none");
    CHECK_FALSE(url_problem("https://" + std::string{host} + "/").empty());
  }
  CHECK(url_problem("https://\xF0\x9F\xA4\x96\xEF\xBF\xBF.example/") ==
        "the host \"\xF0\x9F\xA4\x96\xEF\xBF\xBF.example\" has no ASCII form: correct it");
  std::string longest;
  for (int i = 0; i < 70; ++i) {
    longest += "\xC3\xBC";
  }
  CHECK(key_of(longest + ".example") == "none");
  std::string many;  // soft hyphens, which have no ASCII form
  while (many.size() < 4'000) {
    many += "\xC2\xAD";
  }
  CHECK(key_of(many + "a.example") == "none");
  CHECK(idn_to_ascii(std::string_view{"a\0b", 3}) == std::nullopt);
}

TEST_CASE("A URL, a redirect and an excluded host can have an international host") {
  const with_idn used;
  auto options = foo_bot();
  options.excluded = {"\xC3\xA4.example"};
  scripted bot{options};
  bot.web.on("https://xn--bcher-kva.example/robots.txt",
             robots::test::ok("User-agent: *\nDisallow: /a\n"));
  bot.web.on("https://example.com/robots.txt",
             ScriptedFetcher::redirect(301, "//" + std::string{books} + "/robots.txt"));
  for (const std::string& host : {std::string{books}, std::string{encoded_books},
                                  std::string{ascii_books}, std::string{"example.com"}}) {
    CAPTURE(host);
    CHECK_FALSE(bot.cache.allowed("https://" + host + "/a"));
    CHECK(bot.cache.allowed("https://" + host + "/b"));
  }
  CHECK(bot.web.count() == 2);
  CHECK(to_string(bot.cache.check("https://www.\xC3\xA4.example/").reason) == "excluded");
}

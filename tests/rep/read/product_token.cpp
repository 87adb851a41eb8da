#include <robots/rep/read/product_token.hpp>

#include <doctest/doctest.h>

#include <string_view>

namespace {

using robots::dialect;
using robots::product_token;
using robots::rep_detail::agent_match;
using robots::rep_detail::agent_matcher;

static_assert(product_token("FooBot") == "FooBot");
static_assert(product_token("FooBot/2.1 (+https://foo.example/bot)") == "FooBot");
static_assert(product_token("  FooBot 1") == "FooBot");
static_assert(product_token("FooBot(x)") == "FooBot");
static_assert(product_token("MJ12bot/v1.4.8") == "MJ12bot");
static_assert(product_token("*") == "*");
static_assert(product_token("Mozilla/5.0 (compatible; ExampleBot/0.1; "
                            "https://www.example.com/bot.html)") == "ExampleBot");
static_assert(product_token("Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; Compatible; "
                            "FooBot/2.1; +http://foo.example/)") == "FooBot");
static_assert(product_token("Mozilla/5.0 (X11; Linux x86_64)").empty());
static_assert(product_token("Mozilla/5.0 (compatible;").empty());
static_assert(product_token("Mozilla/5.0").empty());
static_assert(product_token("Mozilla") == "Mozilla");
static_assert(product_token("FooBot (compatible; BarBot)") == "FooBot");
static_assert(product_token("").empty());
static_assert(product_token("(compatible)").empty());

// A path or a URL is no user agent.
static_assert(robots::is_target("/private"));
static_assert(robots::is_target("http://example.com/"));
static_assert(robots::is_target("HTTPS://example.com/"));
static_assert(!robots::is_target("httpbot"));
static_assert(!robots::is_target("FooBot/1.0 (+https://foo.example/bot)"));
static_assert(!robots::is_target(""));
static_assert(product_token("/1.0").empty());
static_assert(product_token("https://example.com/private").empty());
static_assert(product_token("/private", dialect::google).empty());

// In a browser's header, the crawler is the product with a contact beside it.
static_assert(product_token("Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_5) AppleWebKit/605.1.15 "
                            "(KHTML, like Gecko) Version/13.1.1 Safari/605.1.15 (Applebot/0.1; "
                            "+http://www.apple.com/go/applebot)") == "Applebot");
static_assert(product_token("Mozilla/5.0 (FooBot/2.1; +https://foo.example/bot)") == "FooBot");
static_assert(product_token("Mozilla/5.0 (FooBot; +https://foo.example/bot)") == "FooBot");
static_assert(product_token("Mozilla/5.0 (FooBot +https://foo.example/bot)") == "FooBot");
static_assert(product_token("Mozilla/5.0 (+https://foo.example/bot; FooBot)") == "FooBot");
static_assert(product_token("Mozilla/5.0 (+https://foo.example/bot) FooBot/1.0") == "FooBot");
static_assert(product_token("Mozilla/5.0 (Windows NT 10.0; +https://foo.example/) FooBot/1.0 "
                            "Safari/537.36") == "FooBot");
static_assert(product_token("Mozilla/5.0 (Linux; Android 6.0.1; Nexus 5X Build/MMB29P) "
                            "AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Mobile "
                            "Safari/537.36 (compatible; Googlebot/2.1; "
                            "+http://www.google.com/bot.html)") == "Googlebot");
static_assert(product_token("Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; "
                            "bingbot/2.0; +http://www.bing.com/bingbot.htm) Chrome/116.0.1938.76 "
                            "Safari/537.36") == "bingbot");
static_assert(product_token("Mozilla/5.0 (Linux; Android 5.0) AppleWebKit/537.36 (KHTML, like "
                            "Gecko) Mobile Safari/537.36 (compatible; Bytespider; "
                            "spider-feedback@bytedance.com)") == "Bytespider");
static_assert(product_token("Mozilla/5.0 (compatible; archive.org_bot "
                            "+http://archive.org/details/archive.org_bot)") == "archive.org_bot");
static_assert(product_token("Mozilla/5.0 (compatible; FooBot/1.0; see https://foo.example/bot)") ==
              "FooBot");
static_assert(product_token("Mozilla/5.0 (compatible; Exabot/3.0 (BiggerBetter); "
                            "+http://www.exabot.com/go/robot)") == "Exabot");
static_assert(product_token("Mozilla/5.0 (compatible; Yahoo! Slurp; "
                            "http://help.yahoo.com/help/us/ysearch/slurp)") == "Yahoo!");
static_assert(product_token("Mozilla/5.0 (compatible; 360Spider/1.0; https://so.example/)") ==
              "360Spider");
static_assert(product_token("Mozilla/5.0 (compatible; FooBot/1.0 \\) (b); foo@foo.example)") ==
              "FooBot");

// Without a contact, the crawler is the first product that is no engine and no client library.
static_assert(product_token("Mozilla/5.0 (compatible; FooBot)") == "FooBot");
static_assert(product_token("Mozilla/5.0 (FooBot/2.1)") == "FooBot");
static_assert(product_token("Mozilla/5.0 (X11; Linux x86_64; rv:109.0) Gecko/20100101 "
                            "Firefox/115.0 FooBot/1.0") == "FooBot");
static_assert(product_token("python-requests/2.31 FooBot/1.0") == "FooBot");
static_assert(product_token("python-requests/2.31 FooBot") == "FooBot");
static_assert(product_token("python-requests/2.31 FooBot (+https://foo.example/)") == "FooBot");
static_assert(product_token("Scrapy/2.11 (+https://scrapy.org) FooBot/1.0") == "FooBot");
static_assert(product_token("FooBot/1.0 libwww-perl/6.72") == "FooBot");
static_assert(product_token("FooBot/1.0 (+https://foo.example/) python-requests/2.31") == "FooBot");
static_assert(product_token("FooBot/1.0 by Example (+https://foo.example/)") == "FooBot");
static_assert(product_token("FooBot 2.1 (+https://foo.example/)") == "FooBot");
static_assert(product_token("MJ12bot v1.4.8 (http://mj12bot.com/)") == "MJ12bot");
static_assert(product_token("MJ12BOT V1.4.8 (HTTP://MJ12BOT.COM/)") == "MJ12BOT");
static_assert(product_token("CURL/8 FOO/2 (WWW.FOO.EXAMPLE)") == "FOO");
static_assert(product_token("curl/8 foo/2 (www.foo.example)") == "foo");
static_assert(product_token("FooBot extra") == "FooBot");

// The first product is the crawler if it is no engine and no client library, even if another
// product has a contact beside it.
static_assert(
    product_token("Sogou web spider/4.0(+http://www.sogou.com/docs/help/webmasters.htm)") ==
    "Sogou");
static_assert(product_token("SearchBot/1.0 Nutch/1.19 (+http://search.example/bot)") ==
              "SearchBot");
static_assert(product_token("SearchBot Nutch/1.19 (http://search.example/)") == "SearchBot");
static_assert(product_token("SearchBot/1.0 (BarBot/2; +http://bar.example/) X/1") == "SearchBot");

// A browser's header names no crawler.
static_assert(product_token("Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, "
                            "like Gecko) Chrome/126.0.0.0 Safari/537.36 Edg/126.0.0.0")
                  .empty());
static_assert(product_token("Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) "
                            "AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 "
                            "Safari/604.1")
                  .empty());
static_assert(
    product_token("Mozilla/4.0 (compatible; MSIE 8.0; Windows NT 6.1; Trident/4.0)").empty());
static_assert(product_token("Mozilla/5.0 (+https://foo.example/bot)").empty());
static_assert(product_token("Python/3.11 aiohttp/3.9.1").empty());

// One product stays itself, with or without a version.
static_assert(product_token("Scrapy/2.11 (+https://scrapy.org)") == "Scrapy");
static_assert(product_token("Scrapy/2.11") == "Scrapy");
static_assert(product_token("curl") == "curl");
static_assert(product_token("FooBot/2.1 (like Googlebot/2.1; +https://foo.example/)") == "FooBot");
static_assert(product_token("FooBot/2.1 (a (b/1; +https://b.example/) c)") == "FooBot");

// `dialect::google` takes the first product, or the name behind `compatible;`.
static_assert(product_token("Mozilla/5.0 (X11; Linux x86_64)", dialect::google) == "Mozilla");
static_assert(product_token("Mozilla/5.0 (FooBot/2.1; +https://f.example/)", dialect::google) ==
              "Mozilla");
static_assert(product_token("Mozilla/5.0 (compatible; FooBot)", dialect::google) == "FooBot");
static_assert(product_token("python-requests/2.31 FooBot/1.0", dialect::google) ==
              "python-requests");

constexpr bool named(std::string_view own, std::string_view line) {
  return agent_matcher{own}.compare(line) == agent_match::own;
}

// Two tokens must be equal, apart from the case of letters.
static_assert(named("FooBot", "foobot"));
static_assert(named("FooBot", "FOOBOT/2.1"));
static_assert(named("FooBot", "FooBot*"));
static_assert(named("FooBot", "FooBot 1.0 and more"));
static_assert(!named("FooBot", "Foo"));
static_assert(!named("FooBot", "FooBot-News"));
static_assert(!named("Foo", "FooBot"));
static_assert(!named("FooBot", ""));
static_assert(!named("", ""));

// A digit or a dot ends the token of a line, unless the crawler's own token has such characters.
static_assert(named("MJ12bot", "MJ12bot"));
static_assert(named("MJ12bot", "mj12BOT/v1.4"));
static_assert(!named("MJ12bot", "MJ"));
static_assert(named("MJ", "MJ12bot"));
static_assert(named("foo.bot", "foo.bot 2"));

constexpr bool everyone(std::string_view line) {
  return agent_matcher{"FooBot"}.compare(line) == agent_match::everyone;
}

static_assert(everyone("*"));
static_assert(everyone("* all"));
static_assert(everyone("*\tall"));
static_assert(!everyone("*all"));
static_assert(!everyone("FooBot*"));
static_assert(!everyone(""));

// If the crawler's name has no token, only lines with `*` name the crawler.
static_assert(agent_matcher{""}.compare("*") == agent_match::everyone);
static_assert(agent_matcher{"*"}.compare("*") == agent_match::everyone);
static_assert(agent_matcher{"*"}.compare("FooBot") == agent_match::none);
static_assert(agent_matcher{"*"}.compare("*/2") == agent_match::none);

TEST_CASE("Every octet is either a character of product tokens or not") {
  int count = 0;
  for (int octet = 0; octet < 256; ++octet) {
    count += robots::rep_detail::is_product_token_char(static_cast<char>(octet)) ? 1 : 0;
  }
  CHECK(count == 26 + 26 + 2);
}

}  // namespace

// How the cache finds the site of a text: spellings, hosts without a scheme, and invalid texts.
#include "cache_fixture.hpp"
#include "rulings/ruled_cache.hpp"
#include <robots/cache/basic_robots_cache.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <string>
#include <utility>
#include <vector>

using namespace std::chrono_literals;
using robots::decision;
using robots::explain;
using robots::fetch_request;
using robots::policy;
using robots::ScriptedFetcher;
using robots::test::home;
using robots::test::reason_of;
using robots::test::robots_url;
using robots::test::scripted;
using robots::test::secret;

namespace {

/// The URLs that were asked for, in order.
std::vector<std::string> asked(const ScriptedFetcher& web) {
  std::vector<std::string> urls;
  for (const fetch_request& request : web.requests()) {
    urls.push_back(request.url);
  }
  return urls;
}

}  // namespace

TEST_CASE("Every spelling of an origin is one site and is fetched once") {
  const std::vector<std::string> spellings{"https://example.com",
                                           "https://example.com/",
                                           "https://example.com/a/b?c#d",
                                           "https://example.com?q",
                                           "https://example.com#f",
                                           "https://EXAMPLE.com:443/x",
                                           "HTTPS://Example.Com",
                                           "https://example.com.",
                                           "https://example.com.:443/",
                                           "https://example.com:/",
                                           "https://example.com:0443/",
                                           "https://user@example.com/",
                                           "https://user:pw@EXAMPLE.com:443/x",
                                           "https://ex%61mple.com/"};
  for (const std::string& first : spellings) {
    CAPTURE(first);
    scripted bot;
    bot.web.on(robots_url, robots::test::ok());
    const auto found = bot.cache.get(first);
    for (const std::string& next : spellings) {
      CAPTURE(next);
      CHECK(bot.cache.get(next) == found);
    }
    CHECK(asked(bot.web) == std::vector<std::string>{robots_url});
    CHECK(bot.cache.stats().size == 1);
    bot.cache.invalidate("https://Example.com.:443/y");
    CHECK(bot.cache.stats().size == 0);
  }
}

TEST_CASE("An IPv6 address is one site, however it is spelled") {
  scripted bot;
  bot.web.otherwise(robots::test::ok());
  for (const char* url :
       {"https://[2606:4700::0.0.17.18]/", "https://[2606:4700:0::1112]/x",
        "https://[2606:4700::1112]/", "https://[2606:4700:0:0:0:0:0:1112]:443/"}) {
    CAPTURE(std::string{url});
    static_cast<void>(bot.cache.check(url));
  }
  CHECK(asked(bot.web) == std::vector<std::string>{"https://[2606:4700::1112]/robots.txt"});
  CHECK(bot.cache.stats().size == 1);
}

TEST_CASE("Another scheme, host or port is another site") {
  scripted bot;
  bot.web.otherwise(robots::test::ok());
  for (const char* url :
       {"https://example.com/", "http://example.com/", "https://www.example.com/",
        "https://example.com:8443/", "http://example.com:443/", "https://example.com:80/",
        "https://[2001:db8::1]/", "https://[2001:db8::1]:444/", "https://127.0.0.1/",
        "https://xn--bcher-kva.example/", "https://_dmarc.example.com/"}) {
    static_cast<void>(bot.cache.check(url));
  }
  CHECK(asked(bot.web) ==
        std::vector<std::string>{
            "https://example.com/robots.txt", "http://example.com/robots.txt",
            "https://www.example.com/robots.txt", "https://example.com:8443/robots.txt",
            "http://example.com:443/robots.txt", "https://example.com:80/robots.txt",
            "https://[2001:db8::1]/robots.txt", "https://[2001:db8::1]:444/robots.txt",
            "https://127.0.0.1/robots.txt", "https://xn--bcher-kva.example/robots.txt",
            "https://_dmarc.example.com/robots.txt"});
  CHECK(bot.cache.stats().misses == 11);
}

TEST_CASE("The verdict depends on the path, however the rest of the URL is spelled") {
  scripted bot;
  bot.web.otherwise(robots::test::ok("User-agent: *\nDisallow: /private\nDisallow: /?secret\n"));
  for (const char* url :
       {"https://example.com/private", "HTTPS://EXAMPLE.com:443/private/x",
        "https://user:pw@example.com/private?q", "https://example.com./private#f",
        "example.com/private", "EXAMPLE.com:443/private", "[::1]:8080/private",
        "https://example.com/%70rivate", "https://example.com?secret", "example.com?secret"}) {
    CAPTURE(std::string{url});
    CHECK_FALSE(bot.cache.allowed(url));
    CHECK(reason_of(bot.cache.check(url)) == "rule");
  }
  for (const char* url : {"https://example.com", "https://example.com/Private", "example.com",
                          "https://example.com/#/private", "https://private.example.com/",
                          "https://private@example.com/"}) {
    CAPTURE(std::string{url});
    CHECK(bot.cache.allowed(url));
  }
}

TEST_CASE("Two slashes after a host begin its path, in every dialect") {
  for (const robots::dialect reading : {robots::dialect::rfc9309, robots::dialect::google}) {
    robots::cache_options options = robots::test::foo_bot();
    options.parse.dialect = reading;
    scripted bot{std::move(options)};
    bot.web.on(robots_url, robots::test::ok("User-agent: *\nDisallow: //x/y\n"));
    for (int time = 0; time < 2; ++time) {  // cold, then warm
      CHECK_FALSE(bot.cache.allowed("example.com//x/y"));
      CHECK_FALSE(bot.cache.check("example.com//x/y").allowed);
      CHECK(bot.cache.allowed("example.com//y"));
    }
  }
}

TEST_CASE("A host without a scheme means https") {
  scripted bot;
  bot.web.on(robots_url, robots::test::ok());
  CHECK_FALSE(bot.cache.allowed("example.com/private"));
  CHECK(bot.cache.allowed("Example.com."));
  CHECK(asked(bot.web) == std::vector<std::string>{robots_url});
}

TEST_CASE("A host and its https origin share one fetch, whichever is asked first") {
  const std::vector<std::pair<std::string, std::string>> pairs{
      {"example.com", "https://example.com/x"},
      {"https://example.com/x", "example.com"},
      {"example.com:8443", "https://example.com:8443/"},
      {"https://example.com:8443/", "EXAMPLE.com:8443"}};
  for (const auto& [first, second] : pairs) {
    CAPTURE(first);
    scripted bot;
    bot.web.otherwise(robots::test::ok());
    const auto found = bot.cache.get(first);
    CHECK(bot.cache.get(second) == found);
    CHECK(bot.cache.check(second).from_cache);
    CHECK(bot.web.count() == 1);
  }
}

TEST_CASE("A host without a scheme uses every answer of https") {
  for (const int status : {404, 403, 429, 500}) {
    scripted bot{foo_bot_that_asks_once()};
    bot.web.on(robots_url, ScriptedFetcher::status(status));
    const auto found = bot.cache.get("https://example.com/");
    CHECK(bot.cache.get("example.com") == found);
    CHECK(bot.web.count() == 1);
  }
}

TEST_CASE("If https cannot be reached, http serves the host but not the https URL") {
  const std::string http = "http://example.com/robots.txt";

  SUBCASE("the host first") {
    scripted bot{foo_bot_that_asks_once()};
    bot.web.on(http, robots::test::ok());
    CHECK_FALSE(bot.cache.allowed("example.com/private"));
    CHECK(bot.cache.get("example.com")->last_retrieval().url == http);
    const decision answer = bot.cache.check(home);
    CHECK_FALSE(answer.allowed);
    CHECK(reason_of(answer) == "fallback");
    CHECK(asked(bot.web) == std::vector<std::string>{robots_url, http, robots_url});
    // The answer by http also applies to the http origin.
    CHECK(bot.cache.get("http://example.com/") == bot.cache.get("example.com"));
    CHECK(bot.web.count() == 3);
  }
  SUBCASE("the https URL first") {
    scripted bot{foo_bot_that_asks_once()};
    bot.web.on(http, robots::test::ok());
    CHECK_FALSE(bot.cache.allowed(home));
    CHECK(bot.cache.allowed("example.com"));
    CHECK(reason_of(bot.cache.check(home)) == "fallback");
    CHECK(asked(bot.web) == std::vector<std::string>{robots_url, robots_url, http});
  }
  SUBCASE("and if neither can be reached, the host falls back like any other") {
    scripted bot{foo_bot_that_asks_once()};
    const decision answer = bot.cache.check("example.com/");
    CHECK_FALSE(answer.allowed);
    CHECK(reason_of(answer) == "fallback");
    CHECK(to_string(answer.policy->last_retrieval().outcome) == "unreachable");
    CHECK(bot.cache.check("example.com").from_cache);
    CHECK(asked(bot.web) == std::vector<std::string>{robots_url, http});
  }
}

TEST_CASE("The last good answer of the http origin is none of the https origin") {
  const std::string http = "http://example.com/robots.txt";
  scripted bot{foo_bot_that_asks_once()};
  bot.web.on(robots_url, ScriptedFetcher::failure(robots::fetch_error::connect),
             ScriptedFetcher::status(503));
  bot.web.on("https://www.example.com/robots.txt", robots::test::ok(""));
  SUBCASE("a file") { bot.web.on(http, robots::test::ok("")); }
  SUBCASE("a redirect") {
    bot.web.on(http, ScriptedFetcher::redirect(301, "https://www.example.com/robots.txt"));
  }
  CHECK(bot.cache.allowed("example.com/"));
  bot.clock.advance(25h);
  CHECK(bot.cache.allowed("example.com/"));  // by its last good answer, since https fails
  CHECK_FALSE(bot.cache.allowed(home));
}

TEST_CASE("The file of the https origin does not decide when http redirects to a failing site") {
  scripted bot{foo_bot_that_asks_once()};
  bot.web.on(robots_url, robots::test::ok(""),
             ScriptedFetcher::failure(robots::fetch_error::connect));
  bot.web.on("http://example.com/robots.txt",
             ScriptedFetcher::redirect(301, "https://www.example.com/robots.txt"));
  bot.web.on("https://www.example.com/robots.txt", ScriptedFetcher::status(503));
  CHECK(bot.cache.allowed("example.com/"));
  bot.clock.advance(25h);
  CHECK(bot.cache.allowed("example.com/"));  // by its last good answer
  CHECK_FALSE(bot.cache.allowed("http://example.com/"));
}

TEST_CASE("The last good copy of an origin is found by each of its names") {
  const std::vector<std::pair<std::string, std::string>> pairs{
      {"example.com", "https://example.com/"}, {"https://example.com/", "example.com"}};
  for (const auto& [first, second] : pairs) {
    CAPTURE(first);
    scripted bot{foo_bot_that_asks_once()};
    bot.web.on(robots_url, robots::test::ok(), ScriptedFetcher::status(503));
    CHECK(bot.cache.allowed(first));
    bot.clock.advance(24h);
    for (const std::string& name : {second, first}) {
      const decision answer = bot.cache.check(name);
      CHECK(answer.allowed);
      CHECK(to_string(answer.policy->basis()) == "last_good");
      CHECK(answer.age == 24h);
    }
  }
}

TEST_CASE(
    "A text that is not a URL or host is denied without exception or fetch, with the reason") {
  scripted bot;
  bot.web.otherwise(robots::test::ok(""));
  const std::string long_label = "https://" + std::string(64, 'a') + ".com/";
  const std::string long_host = "https://" + std::string(300, 'a') + "/";
  std::string every_octet;
  for (int octet = 0; octet < 256; ++octet) {
    every_octet += static_cast<char>(octet);
  }
  const std::vector<std::string> texts{"",
                                       " ",
                                       "/",
                                       "/private",
                                       "?q",
                                       "#f",
                                       "//example.com/",
                                       "://example.com/",
                                       "https:example.com",
                                       "http://",
                                       "https:///path",
                                       "https://?q",
                                       "https://#f",
                                       "https://user@/",
                                       "https://:443/",
                                       "https://./",
                                       "https://a..b/",
                                       "https://.example.com/",
                                       "https://example.com../",
                                       "https://exa mple.com/",
                                       "https://example.com:port/",
                                       "https://example.com:0/",
                                       "https://example.com:65536/",
                                       "https://example.com:99999999999999999999/",
                                       "https://example.com:-1/",
                                       "https://example.com:80:80/",
                                       "https://[::1/",
                                       "https://::1/",
                                       "https://[::1]x/",
                                       "https://[1.2.3.4]/",
                                       "https://[::g]/",
                                       "https://[fe80::1%25eth0]/",
                                       "https://good.example\\@evil.example/",
                                       "https://example.com\\private",
                                       "https://ex%00mple.com/",
                                       "https://ex%2Fmple.com/",
                                       "https://ex%/",
                                       "https://b\xC3\xBC"
                                       "cher.example/",
                                       "https://\xFF\xFE/",
                                       "https://exam\nple.com/",
                                       std::string("https://exam\0ple.com/", 21),
                                       "\thttps://example.com/",
                                       "ftp://example.com/",
                                       "file:///etc/passwd",
                                       "ws://example.com/",
                                       "httpss://example.com/",
                                       "javascript:alert(1)",
                                       "data:text/plain,x",
                                       long_label,
                                       long_host,
                                       every_octet,
                                       std::string(1'000'000, 'x'),
                                       std::string(100'000, ':'),
                                       std::string(100'000, '@')};
  for (const std::string& text : texts) {
    const std::string shown = text.substr(0, 60);
    CAPTURE(shown);
    const decision answer = bot.cache.check(text);
    CHECK_FALSE(answer.allowed);
    CHECK_FALSE(answer.verdict.allowed);
    CHECK(reason_of(answer) == "invalid_url");
    CHECK(explain(answer).starts_with("not allowed: not an http or https URL: "));
    CHECK(explain(answer).size() < 400);
    CHECK(answer.age == 0s);
    REQUIRE(answer.policy);
    CHECK(to_string(answer.policy->basis()) == "refused");
    CHECK_FALSE(bot.cache.allowed(text));
    const auto found = bot.cache.get(text);
    REQUIRE(found);
    CHECK_FALSE(found->allows(home));
    bot.cache.invalidate(text);
  }
  CHECK(bot.web.count() == 0);
  CHECK(bot.cache.stats().size == 0);
  CHECK(bot.cache.stats().denied == 2 * texts.size());
}

TEST_CASE("Every URL gets a decision, whatever follows its authority") {
  scripted bot;
  bot.web.otherwise(robots::test::ok());
  for (const std::string& rest :
       {std::string("/%00"), std::string("/a b"), std::string("/\n\r\t"), std::string("/\0x", 3),
        std::string("/%"), std::string("/%zz"), std::string("/\xFF\xFE"), std::string("/\\..\\"),
        std::string("?"), std::string("/") + std::string(60'000, '/'),
        std::string("/") + std::string(60'000, '%')}) {
    CHECK(reason_of(bot.cache.check("https://example.com" + rest)) == "no_rule");
    CHECK(reason_of(bot.cache.check("https://example.com/private" + rest)) == "rule");
  }
  for (const char filling : {'/', '%'}) {
    const std::string rest = "/" + std::string(100'000, filling);
    const decision answer = bot.cache.check("https://example.com" + rest);
    CHECK(reason_of(answer) == "undecided");
    CHECK_FALSE(answer.allowed);
    CHECK_FALSE(bot.cache.allowed("https://example.com" + rest));
  }
  CHECK(bot.web.count() == 1);
}

TEST_CASE("A refresh under one name of a site replaces the rules under its other names") {
  const std::vector<std::string> names{"https://example.com/private/x", "example.com/private/x"};
  for (const std::string& first : names) {
    for (const std::string& second : names) {
      CAPTURE(first);
      CAPTURE(second);
      scripted bot;
      bot.web.on(robots_url, robots::test::ok("User-agent: *\nDisallow:\n"),
                 robots::test::ok("User-agent: *\nDisallow:\n"), robots::test::ok());
      CHECK(bot.cache.allowed(first));
      CHECK(bot.cache.allowed(second));
      static_cast<void>(bot.cache.refresh(second));
      static_cast<void>(bot.cache.refresh(second));
      CHECK_FALSE(bot.cache.allowed(first));
      CHECK_FALSE(bot.cache.allowed(second));
    }
  }
}

TEST_CASE("A refresh under one name replaces the rules of a host that answered by http") {
  const std::vector<std::string> names{"http://example.com/private/x", "example.com/private/x"};
  for (const std::string& first : names) {
    for (const std::string& second : names) {
      CAPTURE(first);
      CAPTURE(second);
      scripted bot;
      std::string body = "User-agent: *\nDisallow:\n";
      bot.web.on(robots_url, ScriptedFetcher::failure(robots::fetch_error::connect));
      bot.web.on_call("http://example.com/robots.txt",
                      [&body](const robots::fetch_request&) { return robots::test::ok(body); });
      CHECK(bot.cache.allowed(first));
      CHECK(bot.cache.allowed(second));
      body = robots::test::rules;
      static_cast<void>(bot.cache.refresh(second));
      CHECK_FALSE(bot.cache.allowed(first));
      CHECK_FALSE(bot.cache.allowed(second));
    }
  }
}

TEST_CASE("An override under one name of a site applies to its other names") {
  robots::test::ruled_process bot;
  bot.web.on(robots_url, robots::test::ok());
  bot.rulings().override_with("https://example.com", robots::site_override::deny);
  CHECK(bot.reason("example.com") == "by_hand");
  CHECK(bot.reason("http://example.com") != "by_hand");
  bot.rulings().override_with("example.com", robots::site_override::allow);
  CHECK(bot.cache.allowed("http://example.com/private/x"));
  CHECK_FALSE(bot.cache.allowed(home));  // the more precise override decides
  CHECK_FALSE(bot.cache.allowed("example.com"));
  CHECK(bot.rulings().end_override("example.com").size() == 2);
  CHECK_FALSE(bot.cache.allowed(secret));
  bot.rulings().override_with("http://example.com", robots::site_override::deny);
  CHECK_FALSE(bot.cache.allowed("http://example.com/"));
  CHECK(bot.cache.allowed(home));
}

TEST_CASE("An invalidated site is forgotten under all names that shared its fetch") {
  for (const char* kind : {"example.com", "https://example.com/", "https://example.com:443/"}) {
    for (const char* stored : {"example.com", "https://example.com/"}) {
      CAPTURE(std::string{kind});
      CAPTURE(std::string{stored});
      scripted bot;
      bot.web.on(robots_url, robots::test::ok());
      static_cast<void>(bot.cache.check(stored));
      bot.cache.invalidate(kind);
      CHECK_FALSE(bot.cache.check(stored).from_cache);
      CHECK(bot.web.count() == 2);
    }
  }
}

TEST_CASE("A URL of another kind does not count as a host") {
  scripted bot;
  bot.web.otherwise(robots::test::ok(""));
  for (const std::string text :
       {"mailto:bob@example.com", "http:", "http:/example.com/", "https:/example.com/"}) {
    CAPTURE(text);
    CHECK(reason_of(bot.cache.check(text)) == "invalid_url");
  }
  CHECK(bot.web.count() == 0);
}

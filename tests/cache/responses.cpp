// Odd responses: redirects, cut files, any octets, broken fetchers.
#include "cache_fixture.hpp"
#include <robots/cache/basic_robots_cache.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <stdexcept>
#include <string>

using namespace std::chrono_literals;
using robots::cache_options;
using robots::decision;
using robots::explain;
using robots::fallback_policy;
using robots::fetch_error;
using robots::fetch_request;
using robots::fetch_response;
using robots::policy;
using robots::ScriptedFetcher;
using robots::test::foo_bot;
using robots::test::home;
using robots::test::reason_of;
using robots::test::robots_url;
using robots::test::scripted;
using robots::test::secret;

TEST_CASE("Rules at the end of redirects apply to the first origin") {
  scripted bot;
  bot.web.on(robots_url, ScriptedFetcher::redirect(301, "http://www.example.net:8080/r"));
  bot.web.on("http://www.example.net:8080/r", ScriptedFetcher::redirect(307, "/r/2"));
  bot.web.on("http://www.example.net:8080/r/2", robots::test::ok());
  const decision answer = bot.cache.check(secret);
  CHECK(reason_of(answer) == "rule");
  CHECK(answer.policy->last_retrieval().redirects == 2);
  CHECK(answer.policy->last_retrieval().url == robots_url);
  CHECK(answer.policy->last_retrieval().final_url == "http://www.example.net:8080/r/2");
  // The rules do not apply to the other origin.
  CHECK(reason_of(bot.cache.check("http://www.example.net:8080/private")) == "fallback");
}

TEST_CASE("No more than max_redirects redirects are followed") {
  cache_options options = foo_bot(fallback_policy::strict());
  options.max_redirects = 0;
  scripted bot{options};
  bot.web.on(robots_url, ScriptedFetcher::redirect(301, "/r"));
  bot.web.on("https://example.com/r", robots::test::ok(""));
  const decision answer = bot.cache.check(home);
  CHECK_FALSE(answer.allowed);
  CHECK(to_string(answer.policy->last_retrieval().outcome) == "server_error");
  CHECK(bot.web.count() == 1);
}

TEST_CASE("If a limit below that of RFC 9309 ends the redirects, nothing is allowed") {
  cache_options options = foo_bot(fallback_policy::rfc9309());
  options.max_redirects = 1;
  scripted bot{options};
  bot.web.on(robots_url, ScriptedFetcher::redirect(301, "/1"));
  bot.web.on("https://example.com/1", ScriptedFetcher::redirect(301, "/2"));
  bot.web.on("https://example.com/2", robots::test::ok("User-agent: *\nDisallow: /\n"));
  CHECK_FALSE(bot.cache.allowed(home));
}

TEST_CASE("A redirect with a long body is followed like any other") {
  scripted bot;
  fetch_response moved = ScriptedFetcher::redirect(301, "/1");
  moved.body = std::string(70'000, 'x');
  moved.truncated = true;
  bot.web.on(robots_url, moved);
  bot.web.on("https://example.com/1", robots::test::ok("User-agent: *\nDisallow: /\n"));
  const decision answer = bot.cache.check(home);
  CHECK_FALSE(answer.allowed);
  CHECK(reason_of(answer) == "rule");
}

TEST_CASE("The cut line of a cut file does not count") {
  const std::string stored = "User-agent: *\nDisallow: /\n";
  const std::string cut = "Allow: /";

  SUBCASE("if the fetcher has cut it") {
    scripted bot;
    fetch_response response = robots::test::ok(stored + cut);
    response.truncated = true;
    bot.web.on(robots_url, response);
    CHECK_FALSE(bot.cache.allowed(home));
  }
  SUBCASE("if the limit cuts it") {
    cache_options options = foo_bot();
    options.parse.max_bytes = stored.size() + cut.size();
    scripted bot{options};
    bot.web.on(robots_url, robots::test::ok(stored + cut + "only-this\n"));
    CHECK_FALSE(bot.cache.allowed(home));
    CHECK(bot.cache.get(home)->rules().size() == 1);
  }
  SUBCASE("and the whole file counts if it fits exactly") {
    cache_options options = foo_bot();
    options.parse.max_bytes = stored.size() + cut.size();
    scripted bot{options};
    bot.web.on(robots_url, robots::test::ok(stored + cut));
    CHECK(bot.cache.allowed(home));
  }
  SUBCASE("and all lines before the cut count") {
    cache_options options = foo_bot();
    options.parse.max_bytes = stored.size();
    scripted bot{options};
    bot.web.on(robots_url, robots::test::ok(stored + "Allow: /\n"));
    CHECK_FALSE(bot.cache.allowed(home));
  }
  SUBCASE("and a file with one endless line has no rules") {
    scripted bot;
    bot.web.on(robots_url, robots::test::ok(std::string(600'000, 'a')));
    const decision answer = bot.cache.check(home);
    CHECK(answer.allowed);
    CHECK(reason_of(answer) == "no_rule");
    CHECK(to_string(answer.policy->basis()) == "rules");
  }
}

TEST_CASE("A robots.txt can have any octets") {
  std::string every_octet;
  for (int round = 0; round < 4; ++round) {
    for (int octet = 0; octet < 256; ++octet) {
      every_octet += static_cast<char>((octet * (2 * round + 1)) % 256);
    }
  }
  for (const std::string& body :
       {std::string(), std::string("\0", 1), std::string("\xEF\xBB\xBF"), std::string("\r\r\n\n\r"),
        std::string(":"), std::string(1'000, ':'), std::string(100'000, '\n'), every_octet,
        std::string("\xFF\xFEU\0s\0e\0r\0", 10)}) {
    for (const auto fallback : {fallback_policy::permissive(), fallback_policy::strict()}) {
      scripted bot{foo_bot(fallback)};
      bot.web.on(robots_url, robots::test::ok(body));
      const decision answer = bot.cache.check(home);
      CHECK((answer.allowed ||
             answer.policy->last_retrieval().outcome == robots::outcome::malformed));
    }
  }
}

TEST_CASE("A response that violates the rules of a fetcher does no harm") {
  scripted bot;
  bot.web.on(robots_url, fetch_response{});
  CHECK(to_string(bot.cache.check(home).policy->last_retrieval().outcome) == "unreachable");
  fetch_response both = robots::test::ok();
  both.error = fetch_error::timeout;
  bot.web.on("https://both.example/robots.txt", both);
  const decision answer = bot.cache.check("https://both.example/");
  CHECK(to_string(answer.policy->last_retrieval().outcome) == "unreachable");
  CHECK(answer.policy->last_retrieval().status == 0);
}

TEST_CASE("A site whose fetcher throws is unreachable, and the policy has the exception's text") {
  scripted bot;
  bot.web.otherwise_call(
      [](const fetch_request&) -> fetch_response { throw std::runtime_error{"out of sockets"}; });
  const decision answer = bot.cache.check(home);
  CHECK_FALSE(answer.allowed);
  CHECK(reason_of(answer) == "fallback");
  CHECK(to_string(answer.policy->last_retrieval().error) == "other");
  CHECK(explain(answer) == "not allowed: fallback: unreachable (out of sockets)");
  bot.web.otherwise_call([](const fetch_request&) -> fetch_response { throw 42; });
  CHECK(reason_of(bot.cache.check("https://other.example/")) == "fallback");
  CHECK(bot.cache.stats().failures == 2);
  bot.clock.advance(5min);
  bot.web.otherwise(robots::test::ok());
  CHECK(bot.cache.allowed(home));
}

TEST_CASE("A file in UTF-16 is obeyed like a file in UTF-8") {
  scripted bot;
  std::string utf16{"\xFF\xFE"};
  for (const char c : std::string{"User-agent: *\nDisallow: /private\n"}) {
    utf16 += c;
    utf16 += '\0';
  }
  bot.web.on(robots_url, ScriptedFetcher::ok(utf16));
  CHECK_FALSE(bot.cache.allowed("https://example.com/private"));
  CHECK(bot.cache.allowed("https://example.com/public"));
}

TEST_CASE("A file is read with any media type") {
  for (const char* type : {"text/html", "application/octet-stream", "image/png", "nonsense"}) {
    CAPTURE(std::string{type});
    scripted bot;
    bot.web.on(robots_url, ScriptedFetcher::ok("User-agent: *\nDisallow: /private\n",
                                               {{"Content-Type", type}}));
    CHECK_FALSE(bot.cache.allowed("https://example.com/private"));
    CHECK(bot.cache.allowed("https://example.com/public"));
  }
}

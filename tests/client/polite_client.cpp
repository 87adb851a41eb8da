#include <robots/client/polite_client.hpp>

#include "cache/cache_fixture.hpp"
#include <robots/cache/cache_options.hpp>
#include <robots/client/client_options.hpp>
#include <robots/client/page_result.hpp>
#include <robots/observe/events.hpp>
#include <robots/policy/decision.hpp>
#include <robots/polite/gate_options.hpp>
#include <robots/polite/host_gate.hpp>
#include <robots/rep/read/purpose.hpp>
#include <robots/usage/page_statements.hpp>
#include <robots/usage/permission.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace robots::test {

namespace {

using namespace std::chrono_literals;

constexpr const char* page_url = "https://example.com/page";
constexpr const char* other_url = "https://other.example/page";

/// A client over a scripted web, with its cache and its gate. Two sites have the usual rules.
struct scripted_client {
  explicit scripted_client(client_options options = {}, cache_options rules_of = foo_bot())
      : cache{std::move(rules_of), web, clock}, client{cache, gate, web, std::move(options)} {
    web.on(robots_url, ok());
    web.on("https://other.example/robots.txt", ok());
    web.on(page_url, ScriptedFetcher::ok("a page", {{"Content-Type", "text/html"}}));
    web.on(other_url, ScriptedFetcher::ok("another page"));
  }

  ScriptedFetcher web;
  ManualClock clock;
  scripted_cache cache;
  basic_host_gate<ManualClock> gate{{.delay = {.fixed_delay = 1s}, .seed = 1}, clock};
  basic_polite_client<scripted_cache, basic_host_gate<ManualClock>, ScriptedFetcher> client;
};

std::optional<std::string> sent(const ScriptedFetcher& web, std::string_view name) {
  const fetch_request last = web.requests().back();
  const auto value = detail::find_header(last.headers, name);
  return value ? std::optional{std::string{*value}} : std::nullopt;
}

client_options with_reader() {
  client_options options;
  options.reader = [](page_statements& page, std::string_view body,
                      const std::vector<http_header>& /*headers*/, bool is_cut) {
    page.mark_read(statement_place::meta);
    if (body.find("noindex") != std::string_view::npos) {
      page.meta("robots", "noindex");
    }
    if (is_cut) {
      page.mark_unread(statement_place::meta);
    }
  };
  return options;
}

permission_answer answer_for(page_result& result, purpose wanted) {
  REQUIRE(result.page);
  return result.page->may(wanted, std::chrono::sys_days{std::chrono::year{2026} / 1 / 1}).answer;
}

}  // namespace

TEST_CASE("A page is fetched after its turn, with the headers of the crawler") {
  scripted_client bot;
  const time_point begin = bot.clock.now();
  const page_result result = bot.client.fetch("https://example.com/page#part");
  REQUIRE(result);
  CHECK(result.end == page_end::answered);
  CHECK(result.url == page_url);
  CHECK(result.response->body == "a page");
  REQUIRE(result.hops.size() == 1);
  CHECK(result.hops[0].reason == admission_reason::go);
  CHECK(result.hops[0].status == 200);
  CHECK(result.hops[0].waited >= 500ms);  // after the request for the robots.txt
  CHECK(bot.clock.now() - begin == result.hops[0].waited);
  const fetch_request request = bot.web.requests().back();
  CHECK(request.url == page_url);
  CHECK(request.timeout == 30s);
  CHECK(request.max_bytes == 10'000'000);
  CHECK(sent(bot.web, "User-Agent") == "FooBot/1.0 (+https://foo.example/bot)");
  CHECK(sent(bot.web, "Accept") == "text/html, application/xhtml+xml, */*");
  CHECK(sent(bot.web, "Range") == std::nullopt);
}

TEST_CASE("No request goes to a URL that the rules forbid, given by the caller or by a redirect") {
  scripted_client bot;
  const page_result direct = bot.client.fetch(secret);
  CHECK(direct.end == page_end::refused);
  CHECK_FALSE(direct.response);
  CHECK_FALSE(direct.page);
  CHECK(direct.hops.at(0).reason == admission_reason::disallowed);

  bot.web.on(page_url, ScriptedFetcher::redirect(302, "https://other.example/private/x"));
  const page_result led = bot.client.fetch(page_url);
  CHECK(led.end == page_end::refused);
  CHECK(led.url == "https://other.example/private/x");
  REQUIRE(led.hops.size() == 2);
  CHECK(led.hops[0].status == 302);
  CHECK(led.hops[1].decision.reason == decision_reason::rule);
  CHECK(bot.web.count(secret) == 0);
  CHECK(bot.web.count("https://other.example/private/x") == 0);
  CHECK(explain(led) ==
        "refused; https://other.example/private/x: not allowed: disallow \"/private\", line 2, "
        "for *");

  const page_result no_url = bot.client.fetch("mailto:a@b.example");
  CHECK(no_url.end == page_end::refused);
  CHECK(no_url.hops.at(0).reason == admission_reason::invalid_url);
}

TEST_CASE("The rules decide about the first URL in the form in which it is sent") {
  scripted_client bot;
  for (const char* const hidden :
       {"https://example.com/open/../private/x", "https://example.com/open/%2e%2E/private/x",
        "https://example.com/open\\..\\private\\x", "https://EXAMPLE.com./pri\nvate/x"}) {
    CAPTURE(hidden);
    const page_result result = bot.client.fetch(hidden);
    CHECK(result.end == page_end::refused);
    CHECK(result.url == secret);
  }
  CHECK(bot.client.fetch("https://me:secret@EXAMPLE.com.:443/page#part").url == page_url);
  CHECK(bot.web.requests().back().url == page_url);
  static_cast<void>(bot.client.fetch("https://example.com/a b"));
  CHECK(bot.web.requests().back().url == "https://example.com/a%20b");
  bot.web.on(page_url, ScriptedFetcher::redirect(302, "/open/%2e%2e/private/x"));
  CHECK(bot.client.fetch(page_url).end == page_end::refused);
  CHECK(bot.web.count(secret) == 0);
}

TEST_CASE("Each redirect asks the rules of its host, and waits for a turn there") {
  scripted_client bot;
  bot.web.on(page_url, ScriptedFetcher::redirect(301, other_url));
  const page_result result = bot.client.fetch(page_url);
  REQUIRE(result);
  CHECK(result.url == other_url);
  CHECK(result.response->body == "another page");
  REQUIRE(result.hops.size() == 2);
  CHECK(result.hops[1].waited >= 500ms);
  CHECK(bot.web.count("https://other.example/robots.txt") == 1);
  CHECK(explain(result.hops[0]).ends_with("; 301 after 0.000 s"));
}

TEST_CASE("The text of a hop leaves out a wait below a millisecond, which nobody notices") {
  scripted_client bot;
  page_hop hop = bot.client.fetch(page_url).hops.at(0);
  hop.waited = 999us;
  CHECK(explain(hop).find("waited") == std::string::npos);
  hop.waited = 1ms;
  CHECK(explain(hop).find("; waited 0.001 s; 200 after ") != std::string::npos);
}

TEST_CASE("The rules are asked again when the turn comes, and can forbid the page meanwhile") {
  cache_options options = foo_bot();
  options.max_ttl = 10min;
  scripted_client bot{{}, options};
  bot.web.on(robots_url, ok("User-agent: *\nCrawl-delay: 900\n"),
             ok("User-agent: *\nDisallow: /\n"));
  const page_result result = bot.client.fetch(page_url);
  CHECK(result.end == page_end::refused);
  CHECK(result.hops.at(0).reason == admission_reason::disallowed);
  CHECK(result.hops.at(0).waited >= 900s);
  CHECK(bot.web.count(page_url) == 0);
}

TEST_CASE("Rules that were renewed twice while a call waited can still forbid the page") {
  cache_options options = foo_bot();
  options.max_ttl = 10min;
  scripted_client bot{{}, options};
  bot.web.on(robots_url, ok("User-agent: *\nCrawl-delay: 900\n"),
             ok("User-agent: *\nCrawl-delay: 901\n"), ok("User-agent: *\nDisallow: /\n"));
  const page_result result = bot.client.fetch(page_url);
  CHECK(result.end == page_end::refused);
  CHECK(result.hops.at(0).reason == admission_reason::disallowed);
  CHECK(bot.web.count(robots_url) == 3);
  CHECK(bot.web.count(page_url) == 0);
}

TEST_CASE("A site whose delay is longer than the lifetime of its rules still gets requests") {
  cache_options options = foo_bot();
  options.max_ttl = 10min;
  scripted_client bot{{}, options};
  bot.web.on(robots_url, ok("User-agent: *\nCrawl-delay: 900\n"));
  const page_result result = bot.client.fetch(page_url);
  CHECK(result);
  CHECK(result.hops.at(0).waited <= 3 * 900s);
  CHECK(result.hops.at(0).decision.age == 0s);
}

TEST_CASE("After 429 and 503, the client waits as the site asks, and asks again") {
  scripted_client bot;
  bot.web.on(page_url, ScriptedFetcher::status(429, {{"Retry-After", "20"}}),
             ScriptedFetcher::status(503), ScriptedFetcher::ok("at last"));
  const page_result result = bot.client.fetch(page_url);
  REQUIRE(result);
  CHECK(result.response->body == "at last");
  REQUIRE(result.hops.size() == 3);
  CHECK(result.hops[0].status == 429);
  CHECK(result.hops[1].waited >= 20s);
  CHECK(result.hops[1].status == 503);
  CHECK(result.hops[2].waited >= 1s);
  CHECK(result.hops[2].plan.decided_by == start_limit::slow_down);
}

TEST_CASE("A site that asks too often or for too long to come back ends the call") {
  scripted_client bot;
  bot.web.on(page_url, ScriptedFetcher::status(503));
  const page_result often = bot.client.fetch(page_url);
  CHECK(often.end == page_end::overloaded);
  CHECK(often.hops.size() == 3);
  CHECK(often.response->status == 503);
  CHECK(often.retry_after == std::nullopt);

  bot.web.on(other_url, ScriptedFetcher::status(429, {{"Retry-After", "3600"}}));
  const page_result late = bot.client.fetch(other_url);
  CHECK(late.end == page_end::overloaded);
  CHECK(late.hops.size() == 1);
  CHECK(late.retry_after == 3600s);
  CHECK(explain(late).starts_with("overloaded: come back in 3600 s; https://other.example/page: "));
  // The gate obeys the site in the next call.
  const time_point begin = bot.clock.now();
  CHECK(bot.client.fetch(other_url).hops.at(0).waited >= 3600s);
  CHECK(bot.clock.now() - begin >= 3600s);
}

TEST_CASE("A redirect that cannot or must not be followed ends the call with its reason") {
  client_options options;
  options.max_redirects = 2;
  options.redirects = {.refuse_http = true};
  scripted_client bot{options};
  struct bad_redirect {
    std::string location;
    page_end end;
    std::string why;
  };
  for (const bad_redirect& one :
       {bad_redirect{"/page", page_end::redirect_limit, "the redirects form a loop"},
        bad_redirect{"ftp://example.com/", page_end::redirect_refused,
                     "redirect to a scheme that is not http or https: ftp"},
        bad_redirect{"http://example.com/", page_end::redirect_refused,
                     "redirect from https to http, which redirect_options refuse: "
                     "http://example.com"},
        bad_redirect{"//a..b/", page_end::redirect_refused,
                     "the redirect's Location cannot be used: the host \"a..b\" is neither a name "
                     "nor an address; Location: //a..b/"}}) {
    CAPTURE(one.location);
    bot.web.on(page_url, ScriptedFetcher::redirect(302, one.location));
    const page_result result = bot.client.fetch(page_url);
    CHECK(result.end == one.end);
    CHECK(result.why == one.why);
    CHECK(result.url == page_url);
    CHECK(result.hops.size() == 1);
  }
  bot.web.on(page_url, ScriptedFetcher::redirect(302, "/1"));
  bot.web.on("https://example.com/1", ScriptedFetcher::redirect(302, "/2"));
  bot.web.on("https://example.com/2", ScriptedFetcher::redirect(302, "/3"));
  const page_result many = bot.client.fetch(page_url);
  CHECK(many.end == page_end::redirect_limit);
  CHECK(explain(many).starts_with("redirect_limit: more than 2 redirects; https://example.com/2"));
  CHECK(bot.web.count("https://example.com/3") == 0);
}

TEST_CASE("A deadline or a stop ends the call before a request that would come too late") {
  scripted_client bot;
  static_cast<void>(bot.client.fetch(page_url));
  page_options hurried;
  hurried.deadline = bot.clock.now() + 10ms;
  const page_result late = bot.client.fetch(page_url, hurried);
  CHECK(late.end == page_end::too_late);
  CHECK(bot.web.count(page_url) == 1);

  stop_source source;
  page_options stopped;
  stopped.stop = source.get_token();
  bot.web.on_call(page_url, [&source](const fetch_request&) {
    source.request_stop();
    return ScriptedFetcher::status(200);
  });
  CHECK(bot.client.fetch(page_url, stopped).end == page_end::stopped);
  CHECK(bot.client.fetch(page_url, stopped).end == page_end::stopped);
  CHECK(bot.web.count(page_url) == 2);
}

TEST_CASE("No request is sent at the deadline, when it has no time left") {
  scripted_client bot;
  bot.web.on(page_url, ScriptedFetcher::status(429, {{"Retry-After", "20"}}),
             ScriptedFetcher::ok("too late"));
  static_cast<void>(bot.cache.get(page_url));
  bot.clock.advance(100s);
  page_options call;
  call.deadline = bot.clock.now() + 20s;
  const page_result late = bot.client.fetch(page_url, call);
  CHECK(late.end == page_end::too_late);
  CHECK(bot.clock.now() == *call.deadline);
  CHECK(bot.web.count(page_url) == 1);
}

TEST_CASE("A failed exchange and a refused address end the call") {
  scripted_client bot;
  bot.web.on(page_url, ScriptedFetcher::failure(fetch_error::timeout));
  const page_result failed = bot.client.fetch(page_url);
  CHECK(failed.end == page_end::failed);
  CHECK(failed.hops.at(0).error == fetch_error::timeout);
  CHECK_FALSE(failed);
  bot.web.on(page_url, ScriptedFetcher::failure(fetch_error::refused_address));
  CHECK(bot.client.fetch(page_url).end == page_end::refused_address);
  bot.web.on_call(
      page_url, [](const fetch_request&) -> fetch_response { throw std::runtime_error{"broken"}; });
  const page_result thrown = bot.client.fetch(page_url);
  CHECK(thrown.end == page_end::failed);
  CHECK(thrown.hops.at(0).error_text == "broken");
  CHECK(explain(thrown).find("; failed: other (broken) after 0.000 s") != std::string::npos);
}

TEST_CASE("A challenge and a demand for a licence are no pages") {
  scripted_client bot;
  bot.web.on(page_url, ScriptedFetcher::ok("puzzle", {{"cf-mitigated", "challenge"}}));
  const page_result wall = bot.client.fetch(page_url);
  CHECK(wall.end == page_end::challenged);
  CHECK_FALSE(wall.page);
  bot.web.on(page_url, ScriptedFetcher::status(402, {{"WWW-Authenticate", "License error=\"x\""}}));
  CHECK(bot.client.fetch(page_url).end == page_end::licence_demanded);
}

TEST_CASE("A response is reported to the gate and to the cache") {
  scripted_client bot;
  bot.web.on(page_url, ScriptedFetcher::status(403));
  CHECK(bot.client.fetch(page_url).end == page_end::answered);
  CHECK(bot.gate.stats().started == 1);
  bot.clock.advance(10min);
  static_cast<void>(bot.client.fetch(page_url));
  CHECK(bot.web.count(robots_url) == 1);
  // After the 403, the cache fetches the rules again, though they are fresh.
  static_cast<void>(bot.client.fetch(page_url));
  CHECK(bot.web.count(robots_url) == 2);
}

TEST_CASE("An HTML page that nobody read can forbid any use") {
  scripted_client bot;
  page_options call;
  call.purpose = purpose::index;
  const page_result unread = bot.client.fetch(page_url, call);
  REQUIRE(unread.permission);
  CHECK(unread.permission->answer == permission_answer::unread);
  const std::vector<statement_place> places{statement_place::meta};
  CHECK(unread.permission->unread == places);

  scripted_client reading{with_reader()};
  CHECK(reading.client.fetch(page_url, call).permission->answer == permission_answer::unstated);
  reading.web.on(page_url, ScriptedFetcher::ok("noindex", {{"Content-Type", "text/html"}}));
  page_result noindex = reading.client.fetch(page_url, call);
  CHECK(noindex.permission->answer == permission_answer::no);
  CHECK(answer_for(noindex, purpose::follow) == permission_answer::unstated);
}

TEST_CASE("A page without meta elements needs no reader, and its headers count") {
  scripted_client bot;
  bot.web.on(page_url, ScriptedFetcher::ok("", {{"Content-Type", "application/pdf"},
                                                {"X-Robots-Tag", "noarchive"}}));
  page_result result = bot.client.fetch(page_url);
  CHECK(answer_for(result, purpose::archive) == permission_answer::no);
  CHECK(answer_for(result, purpose::index) == permission_answer::unstated);
  CHECK_FALSE(result.permission);
  bot.web.on(page_url, ScriptedFetcher::status(404));
  CHECK_FALSE(bot.client.fetch(page_url).page);
}

TEST_CASE("A range and a limit are sent, and a part of a page is not taken for the whole") {
  scripted_client bot{with_reader()};
  const auto part = [](std::string range) {
    return fetch_response{
        .status = 206,
        .headers = {{"Content-Type", "text/html"}, {"Content-Range", std::move(range)}},
        .body = "part"};
  };
  page_options call;
  call.range = byte_range{.first = 100};
  call.max_bytes = 7;
  bot.web.on(page_url, part("bytes 100-103/104"));
  page_result end_of_page = bot.client.fetch(page_url, call);
  REQUIRE(end_of_page);
  CHECK(sent(bot.web, "Range") == "bytes=100-");
  CHECK(sent(bot.web, "Accept-Encoding") == "identity");
  CHECK(bot.web.requests().back().max_bytes == 7);
  CHECK(answer_for(end_of_page, purpose::index) == permission_answer::unread);

  call.range = byte_range{.first = 0, .last = 3};
  bot.web.on(page_url, part("bytes 0-3/104"));
  page_result start = bot.client.fetch(page_url, call);
  CHECK(sent(bot.web, "Range") == "bytes=0-3");
  CHECK(answer_for(start, purpose::index) == permission_answer::unread);

  bot.web.on(page_url, ScriptedFetcher::ok("12345678", {{"Content-Type", "text/html"}}));
  page_result cut = bot.client.fetch(page_url, call);
  CHECK(cut.response->truncated);
  CHECK(answer_for(cut, purpose::index) == permission_answer::unread);
}

TEST_CASE("A body that cannot be read from its start as it is stays unread") {
  scripted_client bot{with_reader()};
  page_options call;
  call.range = byte_range{.first = 500};
  for (const fetch_response& unread :
       {fetch_response{.status = 206, .headers = {{"Content-Type", "text/html"}}, .body = "middle"},
        fetch_response{.status = 206,
                       .headers = {{"Content-Type", "multipart/byteranges; boundary=x"}},
                       .body = "--x--"},
        ScriptedFetcher::ok("octets",
                            {{"Content-Type", "text/html"}, {"Content-Encoding", "dcb"}})}) {
    bot.web.on(page_url, unread);
    page_result result = bot.client.fetch(page_url, call);
    CHECK(answer_for(result, purpose::index) == permission_answer::unread);
  }
  bot.web.on(page_url, ScriptedFetcher::ok("noindex", {{"Content-Type", "text/plain"},
                                                       {"Content-Type", "text/html"}}));
  page_result two_types = bot.client.fetch(page_url);
  CHECK(answer_for(two_types, purpose::index) == permission_answer::no);
}

TEST_CASE("An answer 202, 204 or 205 has no page") {
  scripted_client bot{with_reader()};
  page_options call;
  call.purpose = purpose::index;
  for (const int status : {202, 204, 205}) {
    bot.web.on(page_url, ScriptedFetcher::status(status));
    const page_result result = bot.client.fetch(page_url, call);
    CHECK(result.end == page_end::answered);
    CHECK_FALSE(result);
    CHECK_FALSE(result.page);
    CHECK_FALSE(result.permission);
  }
}

TEST_CASE("Another crawler of the cache is asked for by its own name") {
  cache_options options = foo_bot();
  options.other_agents = {crawler_names{"BarBot/2.0 (+https://bar.example)"}};
  scripted_client bot{{}, options};
  bot.web.on(robots_url, ok("User-agent: BarBot\nDisallow: /page\n"));
  page_options call;
  call.user_agent = "BarBot";
  CHECK(bot.client.fetch(page_url, call).end == page_end::refused);
  CHECK(bot.client.fetch(page_url));
  CHECK(bot.client.fetch("https://example.com/open", call).end == page_end::failed);
  CHECK(sent(bot.web, "User-Agent") == "BarBot/2.0 (+https://bar.example)");
  call.user_agent = "Unknown";
  CHECK_THROWS_AS(static_cast<void>(bot.client.fetch(page_url, call)), std::invalid_argument);
}

TEST_CASE("Bad options of a client are refused with the way to correct them") {
  const auto refuses = [](const client_options& options, const char* message) {
    CHECK_THROWS_WITH_AS(scripted_client{options}, message, std::invalid_argument);
  };
  refuses({.max_redirects = -1}, "max_redirects is -1: use 0 or more; with 0, none is followed");
  refuses({.tries = 0}, "tries is 0: use 1 or more; with 1, none is repeated");
  refuses({.timeout = -1ms}, "timeout is -1 ms: use 0 or more; with 0, there is no limit");
  refuses({.max_retry_after = -1s}, "max_retry_after is -1 s: use 0 or more");
  refuses({.accept = "\n"}, "accept has a control character: remove it");
  scripted_client bot;
  page_options call;
  call.range = byte_range{.first = 5, .last = 4};
  CHECK_THROWS_WITH_AS(
      static_cast<void>(bot.client.fetch(page_url, call)),
      "range: last is 4, before first: give the numbers of the first and the last octet",
      std::invalid_argument);
}

}  // namespace robots::test

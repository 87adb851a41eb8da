#include <robots/testing/scripted_fetcher.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

using robots::fetch_error;
using robots::fetch_request;
using robots::fetch_response;
using robots::ScriptedFetcher;

namespace {

fetch_request get(std::string url) {
  fetch_request request;
  request.url = std::move(url);
  return request;
}

}  // namespace

TEST_CASE("A URL outside the script cannot be reached") {
  ScriptedFetcher web;
  const fetch_response response = web.fetch(get("http://a/"));
  CHECK(response.error == fetch_error::connect);
  CHECK(response.status == 0);
  web.otherwise(ScriptedFetcher::status(404));
  CHECK(web.fetch(get("http://a/")).status == 404);
}

TEST_CASE("Answers are returned in turn, and the last one is repeated") {
  ScriptedFetcher web;
  web.on("http://a/", ScriptedFetcher::status(503), ScriptedFetcher::ok("one"),
         ScriptedFetcher::ok("two"));
  CHECK(web.fetch(get("http://a/")).status == 503);
  CHECK(web.fetch(get("http://a/")).body == "one");
  CHECK(web.fetch(get("http://a/")).body == "two");
  CHECK(web.fetch(get("http://a/")).body == "two");
  web.on("http://a/", ScriptedFetcher::status(410));
  CHECK(web.fetch(get("http://a/")).status == 410);
}

TEST_CASE("The functions that make responses set the given status and body") {
  const fetch_response ok = ScriptedFetcher::ok("x", {{"ETag", "\"1\""}});
  CHECK(ok.status == 200);
  CHECK(ok.body == "x");
  CHECK(robots::detail::find_header(ok.headers, "Content-Type") == "text/plain");
  CHECK(robots::detail::find_header(ok.headers, "ETag") == "\"1\"");
  const fetch_response html = ScriptedFetcher::ok("x", {{"content-type", "text/html"}});
  CHECK(html.headers.size() == 1);
  const fetch_response moved = ScriptedFetcher::redirect(301, "/x");
  CHECK(moved.status == 301);
  CHECK(robots::detail::find_header(moved.headers, "location") == "/x");
  CHECK(ScriptedFetcher::failure(fetch_error::tls).error_text == "scripted: tls");
}

TEST_CASE("Requests are recorded in order") {
  ScriptedFetcher web;
  static_cast<void>(web.fetch(get("http://a/")));
  static_cast<void>(web.fetch(get("http://b/")));
  static_cast<void>(web.fetch(get("http://a/")));
  CHECK(web.count() == 3);
  CHECK(web.count("http://a/") == 2);
  CHECK(web.count("http://c/") == 0);
  CHECK(web.requests()[1].url == "http://b/");
}

TEST_CASE("A scripted fetcher obeys the size limit and the stop request") {
  ScriptedFetcher web;
  web.on("http://a/", ScriptedFetcher::ok("123456"));
  fetch_request request = get("http://a/");
  request.max_bytes = 4;
  CHECK(web.fetch(request).body == "1234");
  CHECK(web.fetch(request).truncated);
  request.max_bytes = 6;
  CHECK_FALSE(web.fetch(request).truncated);
  std::stop_source stop;
  stop.request_stop();
  request.stop = stop.get_token();
  CHECK(web.fetch(request).error == fetch_error::cancelled);
}

TEST_CASE("A function can make an answer, and can throw") {
  ScriptedFetcher web;
  web.on_call("http://a/",
              [](const fetch_request& request) { return ScriptedFetcher::ok(request.url); });
  CHECK(web.fetch(get("http://a/")).body == "http://a/");
  web.otherwise_call(
      [](const fetch_request&) -> fetch_response { throw std::runtime_error{"no"}; });
  CHECK_THROWS_AS(static_cast<void>(web.fetch(get("http://b/"))), std::runtime_error);
  CHECK_THROWS_AS(web.on_call("http://a/", nullptr), std::invalid_argument);
  CHECK_THROWS_AS(web.otherwise_call(nullptr), std::invalid_argument);
}

TEST_CASE("Copies share the script and the record, from any thread") {
  ScriptedFetcher web;
  web.on("http://a/", ScriptedFetcher::ok("x"));
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([copy = web]() mutable {
        for (int n = 0; n < 100; ++n) {
          static_cast<void>(copy.fetch(get("http://a/")));
        }
      });
    }
  }
  CHECK(web.count("http://a/") == std::size_t{400});
  const ScriptedFetcher moved = std::move(web);
  CHECK(moved.count() == web.count());  // NOLINT(bugprone-use-after-move)
}

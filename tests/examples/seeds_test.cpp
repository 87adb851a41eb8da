// Runs the programs of the seed documents against a real server.
#include "support/loopback_server.hpp"
#include "support/run_program.hpp"

#include <doctest/doctest.h>

#include <string>

using robots::test::loopback_server;
using robots::test::run_program;

TEST_CASE("The example of SPYDER skips excluded hosts and denied paths, and prints statistics") {
  loopback_server server;
  server.get("/robots.txt", "User-agent: *\nDisallow: /admin\n");
  const std::string page = server.url("/page.html");
  const std::string admin = server.url("/admin");
  const auto result = run_program(ROBOTS_SPYDER, {page, admin, "https://agency.gov/"});
  CHECK(result.status == 0);
  CHECK(result.output == "probe " + page + " (no_rule)\nskip  " + admin +
                             " (rule)\nskip  https://agency.gov/ (excluded)\n"
                             "cache hit rate 0.5\nallow rate 0.5\n"
                             "exclusion rate 0.333333\nfetch success rate 1\n");
  CHECK(server.requests() == 1);
}

TEST_CASE("The example of WEB::ROBOTS prints PARSE, ALLOWS, MATCH and SITEMAPS as JSON") {
  loopback_server server;
  server.get("/robots.txt",
             "User-agent: *\nAllow: /public\nDisallow: /admin\nCrawl-delay: 5\n"
             "Sitemap: https://example.com/sitemap.xml\nHost: example.com\n");
  const auto print = [&](const std::string& function, const std::string& path) {
    const auto result =
        run_program(ROBOTS_WEB_ROBOTS, {function, server.url(path), "FerretBot/1.0"});
    CHECK_MESSAGE(result.status == 0, result.errors);
    return result.output;
  };
  CHECK(print("PARSE", "/") ==
        "{\"groups\":[{\"userAgents\":[\"*\"],\"allow\":[\"/public\"],\"disallow\":[\"/admin\"],"
        "\"crawlDelay\":5}],\"sitemaps\":[\"https://example.com/sitemap.xml\"],"
        "\"host\":\"example.com\"}\n");
  CHECK(print("ALLOWS", "/admin/users") == "false\n");
  CHECK(print("MATCH", "/admin/users") ==
        "{\"allowed\":false,\"directive\":\"disallow\",\"pattern\":\"/admin\","
        "\"userAgent\":\"*\"}\n");
  CHECK(print("SITEMAPS", "/") == "[\"https://example.com/sitemap.xml\"]\n");
  CHECK(run_program(ROBOTS_WEB_ROBOTS, {"LIST", server.url("/"), "FerretBot"}).status == 2);
}

TEST_CASE(
    "The example of a queue delays, drops and sets aside messages before the worker has them") {
  loopback_server server;
  server.get("/robots.txt", "User-agent: *\nDisallow: /admin\nCrawl-delay: 0.002\n");
  server.get("/page", "a page");
  const std::string page = server.url("/page");
  const std::string admin = server.url("/admin");
  const auto result =
      run_program(ROBOTS_QUEUE, {page, admin, "https://clinic.gov/", "mailto:a@b.example"});
  CHECK_MESSAGE(result.status == 0, result.errors);
  // The page waits for the Crawl-delay, which begins with the request for robots.txt.
  CHECK(result.output == page + ": not_yet\n" + admin +
                             ": disallowed\nhttps://clinic.gov/: needs_sign_off\n"
                             "mailto:a@b.example: invalid_url\n" +
                             page + ": go\n");
  CHECK(result.errors == "for a person to review: https://clinic.gov/\n");
  CHECK(server.requests() == 2);
}

TEST_CASE("The example of CrawlingRules crawls the allowed pages of a site once each") {
  loopback_server server;
  server.get("/robots.txt", "User-agent: *\nDisallow: /*/test\nCrawl-delay: 0.002\n");
  server.get("/", "<a href=\"/foo/bar\"> <a href=\"/\">");
  server.get("/foo/bar", "<a href=\"/foo/test\"> <a href=\"/foo/bar\">");
  const std::string root = server.url("/");
  const auto result = run_program(ROBOTS_CRAWLING_RULES, {root.substr(0, root.size() - 1)});
  CHECK_MESSAGE(result.status == 0, result.errors);
  CHECK(result.output == "/: go\n/foo/bar: go\n/foo/test: disallowed\n");
  CHECK(server.requests() == 3);
}

TEST_CASE("The example of middleware answers 403 with JSON to a request that is denied") {
  loopback_server server;
  server.get("/robots.txt", "User-agent: *\nDisallow: /admin\n");
  server.get("/page", "a page");
  const std::string root = server.url("/");
  const auto result =
      run_program(ROBOTS_MIDDLEWARE, {root.substr(0, root.size() - 1), "/page", "/admin"});
  CHECK_MESSAGE(result.status == 0, result.errors);
  CHECK(result.output.find("200 a page\n") != std::string::npos);
  CHECK(result.output.ends_with("403 {\"error\":\"Blocked by robots.txt directive\"}\n"));
  const auto other_host = run_program(
      ROBOTS_MIDDLEWARE, {"http://example.com", "@" + root.substr(root.find("//") + 2) + "page"});
  CHECK(other_host.output == "400 \n");
  const auto unreachable = run_program(ROBOTS_MIDDLEWARE, {"http://127.0.0.1:1", "/page"});
  CHECK(unreachable.output.ends_with("403 {\"error\":\"Access denied: Policy fetch failed\"}\n"));
}

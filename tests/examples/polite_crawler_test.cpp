// The log of the server shows that a crawl that is stopped and started again is polite.
#include "generated_web.hpp"
#include "support/run_program.hpp"
#include "support/temporary_folder.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

TEST_CASE("robots-polite-crawler goes on where it was stopped, and sends no forbidden request") {
  const robots::example::generated_web web;
  const robots::test::temporary_folder folder;
  std::vector<std::string> arguments{"--depth",    "200",  "--delay", "1",
                                     "--patience", "5000", "--pages", "120"};
  const robots::curl_options client = web.client_options();
  for (const std::string& rule : client.connect_to) {
    arguments.insert(arguments.end(), {"--connect-to", rule});
  }
  for (const std::string& address : client.allowed_addresses) {
    arguments.insert(arguments.end(), {"--allow-address", address});
  }
  arguments.push_back((folder.path() / "state.sqlite").string());
  std::set<std::string> crawled;
  for (const std::string& seed : web.seeds()) {
    const std::string name = seed.substr(7, seed.find('/', 7) - 7);
    if (name == "host00.test" || name == "host01.test" || name == "host04.test") {
      crawled.insert(name);
      arguments.push_back(seed);
    }
  }
  REQUIRE(crawled.size() == 3);
  robots::test::program_result result = robots::test::run_program(ROBOTS_POLITE_CRAWLER, arguments);
  CHECK(result.status == 0);
  CHECK(result.output.find("  new: ") != std::string::npos);  // it stopped before the end
  const auto robots_requests = [&web] {
    return std::ranges::count(web.log(), "/robots.txt", &robots::example::logged_request::target);
  };
  const auto robots_requests_at_first = robots_requests();
  for (int runs = 0; runs < 10 && result.output.find("  new: ") != std::string::npos; ++runs) {
    result = robots::test::run_program(ROBOTS_POLITE_CRAWLER, arguments);
  }
  CAPTURE(result.output);
  CAPTURE(result.errors);
  CHECK(result.output.find("  new: ") == std::string::npos);
  CHECK(result.output.find("  answered 200: ") != std::string::npos);
  CHECK(result.output.find("index is permitted\n") != std::string::npos);

  CHECK(robots_requests() == robots_requests_at_first);  // the rules are in the state, too

  std::map<std::string, int> fetched;
  for (const robots::example::logged_request& request : web.log()) {
    CAPTURE(request.host);
    CAPTURE(request.target);
    CHECK(crawled.contains(request.host));
    const auto host =
        std::ranges::find(web.hosts(), request.host, &robots::example::generated_host::name);
    REQUIRE(host != web.hosts().end());
    for (const std::string& beginning : host->forbidden) {
      REQUIRE_FALSE(request.target.starts_with(beginning));
    }
    if (request.target != "/robots.txt" && request.status == 200) {
      CHECK(++fetched[request.host + request.target] == 1);
    }
  }
  for (const robots::example::generated_host& host : web.hosts()) {
    if (crawled.contains(host.name)) {
      const auto of_host = std::ranges::count_if(
          fetched, [&host](const auto& one) { return one.first.starts_with(host.name); });
      CHECK(of_host == host.pages_allowed);
    }
  }
}

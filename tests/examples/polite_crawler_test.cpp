// The log of the server shows that a crawl that is stopped and started again is polite.
#include "generated_web.hpp"
#include "polite_log.hpp"
#include "support/run_program.hpp"
#include "support/temporary_folder.hpp"

#include <doctest/doctest.h>

#include <set>
#include <string>
#include <vector>

TEST_CASE("robots-polite-crawler goes on where it was stopped, and sends no forbidden request") {
  const robots::example::generated_web web;
  const robots::test::temporary_folder folder;
  std::vector<std::string> arguments = robots::example::arguments_for(web);
  arguments.insert(arguments.end(), {"--depth", "200", "--delay", "1", "--patience", "5000",
                                     "--pages", "120", (folder.path() / "state.sqlite").string()});
  const std::set<std::string> crawled{"host00.test", "host01.test", "host04.test"};
  for (const std::string& host : crawled) {
    arguments.push_back("http://" + host + "/");
  }
  robots::test::program_result result = robots::test::run_program(ROBOTS_POLITE_CRAWLER, arguments);
  CHECK(result.status == 0);
  CHECK(result.output.find("  new: ") != std::string::npos);  // it stopped before the end
  const auto robots_requests_at_first = robots::example::robots_requests(web);
  for (int runs = 0; runs < 10 && result.output.find("  new: ") != std::string::npos; ++runs) {
    result = robots::test::run_program(ROBOTS_POLITE_CRAWLER, arguments);
  }
  CAPTURE(result.output);
  CAPTURE(result.errors);
  CHECK(result.output.find("  new: ") == std::string::npos);
  CHECK(result.output.find("  answered 200: ") != std::string::npos);
  CHECK(result.output.find("index is permitted\n") != std::string::npos);
  // The rules are in the state, too.
  CHECK(robots::example::robots_requests(web) == robots_requests_at_first);
  robots::example::check_log(web, crawled);
}

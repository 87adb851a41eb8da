#include <robots/rep/rules/explain.hpp>

#include <robots/rep/rules/compile.hpp>

#include <doctest/doctest.h>

#include <string>

using robots::explain;

TEST_CASE("The explanation of a verdict names the rule, its line and the crawler it is for") {
  const auto rules = robots::compile(
      "User-agent: FooBot\n"
      "Disallow: /admin\n"
      "Allow: /admin/\xC3\xA9$\n",
      "FooBot/2.1");
  CHECK(explain(rules.match("/admin/x")) == "disallow \"/admin\", line 2, for FooBot");
  CHECK(explain(rules.match("/admin/%C3%A9")) ==
        "allow \"/admin/\\xC3\\xA9$\", line 3, for FooBot");
  const auto everyone = robots::compile("User-agent: *\nDisallow: /admin\n", "FooBot");
  CHECK(explain(everyone.match("/admin")) == "disallow \"/admin\", line 2, for *");
}

TEST_CASE("The explanation of a verdict without a rule says why there is none") {
  const auto rules = robots::compile("User-agent: *\nDisallow: /admin\n", "FooBot");
  CHECK(explain(rules.match("/")) == "no rule matches");
  CHECK(explain(rules.match("/robots.txt")) == "/robots.txt itself");
  CHECK(explain(rules.match('/' + std::string(70'000, 'x'))) ==
        "the URL is too long to compare, or there are too many rules");
  CHECK(explain(robots::verdict{.allowed = false}) ==
        "no rule decides, but the policy of the site denies");
}

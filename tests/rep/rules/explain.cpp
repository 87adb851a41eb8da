#include <robots/rep/document/document.hpp>
#include <robots/rep/rules/compile.hpp>
#include <robots/rep/rules/explanation.hpp>

#include <doctest/doctest.h>

#include <string>
#include <string_view>

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
  const auto swapped = robots::compile("User-agent: *\nAllow: /\n", "/private");
  CHECK(explain(swapped.match("/")) ==
        "\"/private\" is a path or a URL, not a user agent: the target is the first argument");
  const robots::document file = robots::parse("User-agent: *\nDisallow: /admin\n");
  CHECK(explain(file.match("/admin", "Mozilla/5.0 (X11) Firefox/115.0")) ==
        "disallow \"/admin\", line 2, for *; the user agent names no crawler, so only groups of * "
        "apply: give a product token");
  const auto is_nameless = [&file](std::string_view name) {
    const auto rules_of_name = file.rules_for(name);
    CHECK(file.match("/x", name).nameless == rules_of_name.explain("/x").verdict.nameless);
    return rules_of_name.explain("/x").verdict.nameless;
  };
  CHECK(is_nameless("Mozilla/5.0"));
  for (const char* named : {"FooBot", "Mozilla", "*", ""}) {
    CHECK_FALSE(is_nameless(named));
  }
  CHECK(explain(robots::verdict{.allowed = false}) ==
        "no rule decides, but the policy of the site denies");
}

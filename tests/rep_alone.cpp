// Reads, queries and lints a robots.txt without exceptions and RTTI. tests/platforms.sh builds it.
#include <robots/rep/document/document.hpp>
#include <robots/rep/lint/lint.hpp>
#include <robots/rep/rules/compile.hpp>

#include <cstdio>

int main() {
  constexpr const char* text = "User-agent: *\nDisallow: /private/\nAllow: /private/map*.html$\n";
  const robots::document file = robots::parse(text);
  const robots::rule_set rules = robots::compile(text, "FooBot");
  const bool works = !file.allows("/private/x") && rules.allows("/private/map1.html") &&
                     robots::lint(text).empty();
  std::puts(works ? "works" : "fails");
}

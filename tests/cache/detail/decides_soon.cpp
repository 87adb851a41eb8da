#include <robots/cache/detail/decides_soon.hpp>

#include <robots/policy/policy.hpp>
#include <robots/rep/rules/crawler_directives.hpp>

#include <doctest/doctest.h>

#include <memory>
#include <string>

using robots::policy;
using robots::cache_detail::decides_soon;

namespace {

policy with_rules(int count) {
  std::string text = "User-agent: *\n";
  for (int i = 0; i < count; ++i) {
    text += "Disallow: /*a" + std::to_string(i) + '\n';
  }
  return {robots::directives_for(text, "FooBot"), {}};
}

}  // namespace

TEST_CASE("it is many rules together with a long URL that take long") {
  const std::string usual = "https://example.com/" + std::string(80, 'a');
  const std::string longest = "https://example.com/" + std::string(60'000, 'a');
  CHECK(decides_soon(with_rules(0), usual));
  CHECK(decides_soon(with_rules(600), usual));
  CHECK(decides_soon(with_rules(20'000), "/x"));
  CHECK(decides_soon(with_rules(0), longest));
  CHECK_FALSE(decides_soon(with_rules(20'000), usual));
  CHECK_FALSE(decides_soon(with_rules(1), longest));
  CHECK_FALSE(decides_soon(with_rules(0), longest + longest));
}

TEST_CASE("the rules that count are those in force") {
  const std::string usual = "https://example.com/" + std::string(80, 'a');
  const auto good = std::make_shared<const policy>(with_rules(20'000));
  const policy kept{robots::fallback_action::last_good_or_deny, "FooBot", {}, good};
  CHECK_FALSE(decides_soon(kept, usual));
}

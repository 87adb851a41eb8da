#include <robots/adapters/detail/proxy_choice.hpp>

#include <doctest/doctest.h>
#include <support/scoped_variable.hpp>

#include <optional>
#include <string>

using robots::adapters_detail::exempt_from_proxy;
using robots::adapters_detail::proxy_for;
using robots::test::scoped_variable;

namespace {

static_assert(exempt_from_proxy("example.com", "*"));
static_assert(exempt_from_proxy("example.com", "example.com"));
static_assert(exempt_from_proxy("EXAMPLE.com.", "a.test, .example.COM"));
static_assert(exempt_from_proxy("www.example.com", "example.com"));
static_assert(exempt_from_proxy("www.example.com", "a.test example.com."));
static_assert(exempt_from_proxy("127.0.0.1", "localhost,127.0.0.0/8"));
static_assert(exempt_from_proxy("10.1.2.3", "10.1.0.1/16"));
static_assert(exempt_from_proxy("10.1.2.3", "10.1.2.3"));
static_assert(exempt_from_proxy("[fd00::1]", "fd00::/8"));
static_assert(exempt_from_proxy("[::1]", "[::1]"));
static_assert(!exempt_from_proxy("example.com", ""));
static_assert(!exempt_from_proxy("example.com", " , ,."));
static_assert(!exempt_from_proxy("example.com", "www.example.com"));
static_assert(!exempt_from_proxy("notexample.com", "example.com"));
static_assert(!exempt_from_proxy("example.com", "*,a.test"));
static_assert(!exempt_from_proxy("10.2.2.3", "10.1.0.0/16"));
static_assert(!exempt_from_proxy("10.1.2.3", "2.3"));
static_assert(!exempt_from_proxy("[::1]", "127.0.0.1"));
static_assert(!exempt_from_proxy("", "example.com"));

}  // namespace

TEST_CASE("a proxy is named by the option, and else by the environment for the scheme") {
  const scoped_variable no_exemption("no_proxy", "");
  const scoped_variable nor_here("NO_PROXY", "");
  const scoped_variable http("http_proxy", "one:1");
  const scoped_variable never("HTTP_PROXY", "two:2");
  const scoped_variable https("https_proxy", "");
  const scoped_variable upper("HTTPS_PROXY", "three:3");
  const scoped_variable all("all_proxy", "");
  CHECK(proxy_for("http", "example.com", std::nullopt) == "one:1");
  CHECK(proxy_for("https", "example.com", std::nullopt) == "three:3");
  CHECK(proxy_for("http", "example.com", "four:4") == "four:4");
  CHECK(proxy_for("http", "example.com", "").empty());

  const scoped_variable none("http_proxy", "");
  const scoped_variable nor_https("HTTPS_PROXY", "");
  CHECK(proxy_for("http", "example.com", std::nullopt).empty());
  const scoped_variable all_upper("ALL_PROXY", "five:5");
  CHECK(proxy_for("http", "example.com", std::nullopt) == "five:5");
  CHECK(proxy_for("https", "example.com", std::nullopt) == "five:5");
}

TEST_CASE("a host that no_proxy lists has no proxy, whoever names it") {
  const scoped_variable proxy("http_proxy", "one:1");
  const scoped_variable upper("NO_PROXY", "upper.test");
  {
    const scoped_variable exempt("no_proxy", "lower.test");
    CHECK(proxy_for("http", "lower.test", std::nullopt).empty());
    CHECK(proxy_for("http", "www.lower.test", "four:4").empty());
    CHECK(proxy_for("http", "upper.test", std::nullopt) == "one:1");
  }
  const scoped_variable exempt("no_proxy", "");
  CHECK(proxy_for("http", "upper.test", std::nullopt).empty());
  CHECK(proxy_for("http", "lower.test", "four:4") == "four:4");
}

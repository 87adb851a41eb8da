#include <robots/cache/cache_options.hpp>

#include "cache_fixture.hpp"
#include <robots/cache/detail/valid_options.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <concepts>
#include <functional>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

using namespace std::chrono_literals;
using robots::cache_options;
using robots::test::foo_bot;

namespace {

// The user must choose a fallback policy: there is no default.
static_assert(!std::default_initializable<robots::fallback_policy>);
static_assert(!std::default_initializable<cache_options>);

/// Returns the message of the exception of `validated`, or an empty text. Checks that the cache's
/// constructor throws the same.
std::string objection(const cache_options& options) {
  std::string first;
  try {
    static_cast<void>(robots::cache_detail::validated(options));
  } catch (const std::invalid_argument& wrong) {
    first = wrong.what();
  }
  std::string second;
  try {
    const robots::test::scripted result{options};
  } catch (const std::invalid_argument& wrong) {
    second = wrong.what();
  }
  CHECK(first == second);
  return first;
}

}  // namespace

TEST_CASE("The default options have the values of the source documents and are accepted") {
  const cache_options options = foo_bot();
  CHECK(objection(options).empty());
  CHECK(options.default_ttl == 24h);
  CHECK(options.failure_ttl == 5min);
  CHECK(options.last_good_for == std::chrono::days{30});
  CHECK(options.max_redirects == 5);
  CHECK(options.parse.max_bytes == 512'000);
  CHECK(options.malformed.share == 0.10);
  CHECK(options.malformed.lines == 5);
  CHECK(options.excluded.empty());
}

TEST_CASE("Options that contradict each other are refused with a message that says what to do") {
  struct wrong_option {
    std::string_view name;  // a part of the message
    std::function<void(cache_options&)> spoil;
  };
  const std::vector<wrong_option> table{
      {"user_agent", [](cache_options& o) { o.user_agent.clear(); }},
      {"user_agent", [](cache_options& o) { o.user_agent = " /1.0"; }},
      {"user_agent", [](cache_options& o) { o.user_agent = "(only a comment)"; }},
      {"names every crawler", [](cache_options& o) { o.user_agent = "*"; }},
      {"names every crawler", [](cache_options& o) { o.user_agent = " */1.0 (everyone)"; }},
      {"user_agent", [](cache_options& o) { o.user_agent = "FooBot\r\nX: y"; }},
      {"user_agent", [](cache_options& o) { o.user_agent = std::string("Foo\0Bot", 7); }},
      {"max_redirects", [](cache_options& o) { o.max_redirects = -1; }},
      {"timeout", [](cache_options& o) { o.timeout = -1ms; }},
      {"min_ttl", [](cache_options& o) { o.min_ttl = -1s; }},
      {"max_ttl", [](cache_options& o) { o.max_ttl = -1s; }},
      {"default_ttl", [](cache_options& o) { o.default_ttl = -1s; }},
      {"failure_ttl", [](cache_options& o) { o.failure_ttl = -1s; }},
      {"unreachable_ttl", [](cache_options& o) { o.unreachable_ttl = -1s; }},
      {"last_good_for", [](cache_options& o) { o.last_good_for = -1s; }},
      {"malformed.share", [](cache_options& o) { o.malformed.share = -0.01; }},
      {"malformed.share", [](cache_options& o) { o.malformed.share = 1.01; }},
      {"malformed.share",
       [](cache_options& o) { o.malformed.share = std::numeric_limits<double>::quiet_NaN(); }},
  };
  for (const wrong_option& one : table) {
    cache_options options = foo_bot();
    one.spoil(options);
    const std::string message = objection(options);
    CAPTURE(message);
    CHECK(message.find(one.name) != std::string::npos);
  }
}

TEST_CASE("A no_file_after of less than a day is refused, with a message that says what to set") {
  cache_options options = foo_bot();
  CHECK(options.no_file_after == 0s);
  for (const auto wrong : {std::chrono::seconds{-1}, 1s, std::chrono::seconds{24h} - 1s}) {
    options.no_file_after = wrong;
    CHECK(objection(options) ==
          "no_file_after is " + std::to_string(wrong.count()) +
              " s: use 0 for never, or at least a day (86400 s), such as std::chrono::days{30}");
  }
  options.no_file_after = 24h;
  CHECK(objection(options).empty());
}

TEST_CASE("A limit of 0 octets is refused, since it would allow everything") {
  cache_options options = foo_bot();
  options.parse.max_bytes = 0;
  CHECK(objection(options).find("max_bytes") != std::string::npos);
}

TEST_CASE("Limits at the ends of their ranges are accepted") {
  cache_options options = foo_bot();
  options.timeout = 0ms;
  options.max_redirects = 0;
  options.min_ttl = options.max_ttl = options.default_ttl = 0s;
  options.failure_ttl = options.last_good_for = 0s;
  options.malformed = {.share = 0.0, .lines = 0};
  CHECK(objection(options).empty());
  options.malformed.share = 1.0;
  CHECK(objection(options).empty());
}

TEST_CASE("A crawler without a name is refused, with a message that says what to set") {
  for (const char* header :
       {"(only a comment)", "Mozilla/5.0 (X11) Firefox/115.0", "curl/8.1 lwp/6", "Mozilla/5.0"}) {
    cache_options options = foo_bot();
    options.user_agent = header;
    const std::string message = objection(options);
    CHECK(message.find(std::string{"user_agent \""} + header + "\" has no product token") == 0);
    CHECK(message.find("set cache_options::names") != std::string::npos);
    options.names = {"FooBot-Image", "FooBot"};
    CHECK(objection(options).empty());
    // With dialect::google, the first product of a header is the token.
    options.names = {};
    options.parse.dialect = robots::dialect::google;
    CHECK(objection(options).empty() == (std::string{header} != "(only a comment)"));
  }
  cache_options bound = foo_bot();
  bound.user_agent = "FooBot/1.0";
  bound.names = {{"Google-Extended", robots::purpose::ai_train}};
  CHECK(robots::cache_detail::names_of(bound) ==
        robots::crawler_names{"FooBot/1.0", {"Google-Extended", robots::purpose::ai_train}});
  const auto names_message = [](robots::crawler_names names) {
    cache_options options = foo_bot();
    options.names = std::move(names);
    return objection(options);
  };
  CHECK(names_message({"FooBot", "*"}).empty());
  CHECK(names_message("*").find("names \"*\" names every crawler") == 0);
  CHECK(names_message({"FooBot", ""}).find("names \"\" has no product token") == 0);
  CHECK(names_message("/private").find("names \"/private\" is a path or a URL") == 0);
  cache_options options = foo_bot();
  options.user_agent = "https://foo.example/bot";
  CHECK(objection(options).find("user_agent \"https://foo.example/bot\" is a path or a URL") == 0);
}

TEST_CASE(
    "The name of the crawler may contain characters that no token in a robots.txt can contain") {
  for (const char* name : {"MJ12bot/v1.4.8", "FooBot", "Mozilla/5.0 (compatible; FooBot/1.0)"}) {
    cache_options options = foo_bot();
    options.user_agent = name;
    CHECK(objection(options).empty());
  }
}

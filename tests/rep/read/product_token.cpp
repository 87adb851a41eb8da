#include <robots/rep/read/product_token.hpp>

#include <doctest/doctest.h>

#include <string_view>

namespace {

using robots::product_token;
using robots::rep_detail::agent_match;
using robots::rep_detail::agent_matcher;

static_assert(product_token("FooBot") == "FooBot");
static_assert(product_token("FooBot/2.1 (+https://foo.example/bot)") == "FooBot");
static_assert(product_token("  FooBot 1") == "FooBot");
static_assert(product_token("FooBot(x)") == "FooBot");
static_assert(product_token("MJ12bot/v1.4.8") == "MJ12bot");
static_assert(product_token("*") == "*");
static_assert(product_token("Mozilla/5.0 (compatible; ExampleBot/0.1; "
                            "https://www.example.com/bot.html)") == "ExampleBot");
static_assert(product_token("Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; Compatible; "
                            "FooBot/2.1; +http://foo.example/)") == "FooBot");
static_assert(product_token("Mozilla/5.0 (X11; Linux x86_64)") == "Mozilla");
static_assert(product_token("Mozilla/5.0 (compatible;") == "Mozilla");
static_assert(product_token("Mozilla") == "Mozilla");
static_assert(product_token("FooBot (compatible; BarBot)") == "FooBot");
static_assert(product_token("").empty());
static_assert(product_token("/1.0").empty());
static_assert(product_token("(compatible)").empty());

constexpr bool named(std::string_view own, std::string_view line) {
  return agent_matcher{own}.compare(line) == agent_match::own;
}

// Two tokens must be equal, apart from the case of letters.
static_assert(named("FooBot", "foobot"));
static_assert(named("FooBot", "FOOBOT/2.1"));
static_assert(named("FooBot", "FooBot*"));
static_assert(named("FooBot", "FooBot 1.0 and more"));
static_assert(!named("FooBot", "Foo"));
static_assert(!named("FooBot", "FooBot-News"));
static_assert(!named("Foo", "FooBot"));
static_assert(!named("FooBot", ""));
static_assert(!named("", ""));

// A digit or a dot ends the token of a line, unless the crawler's own token has such characters.
static_assert(named("MJ12bot", "MJ12bot"));
static_assert(named("MJ12bot", "mj12BOT/v1.4"));
static_assert(!named("MJ12bot", "MJ"));
static_assert(named("MJ", "MJ12bot"));
static_assert(named("foo.bot", "foo.bot 2"));

constexpr bool everyone(std::string_view line) {
  return agent_matcher{"FooBot"}.compare(line) == agent_match::everyone;
}

static_assert(everyone("*"));
static_assert(everyone("* all"));
static_assert(everyone("*\tall"));
static_assert(!everyone("*all"));
static_assert(!everyone("FooBot*"));
static_assert(!everyone(""));

// If the crawler's name has no token, only lines with `*` name the crawler.
static_assert(agent_matcher{""}.compare("*") == agent_match::everyone);
static_assert(agent_matcher{"*"}.compare("*") == agent_match::everyone);
static_assert(agent_matcher{"*"}.compare("FooBot") == agent_match::none);
static_assert(agent_matcher{"*"}.compare("*/2") == agent_match::none);

TEST_CASE("Every octet is either a character of product tokens or not") {
  int count = 0;
  for (int octet = 0; octet < 256; ++octet) {
    count += robots::rep_detail::is_product_token_char(static_cast<char>(octet)) ? 1 : 0;
  }
  CHECK(count == 26 + 26 + 2);
}

}  // namespace

#include <robots/fetch/retrieval_options.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <stdexcept>
#include <utility>

using namespace std::chrono_literals;
using robots::detail::retrieval_options;
using robots::detail::validate;

namespace {

retrieval_options usable() {
  retrieval_options options;
  options.user_agent = "FooBot/1.0 (+https://foo.example/bot)";
  return options;
}

}  // namespace

TEST_CASE("Only the user agent has no default") { CHECK_NOTHROW(validate(usable())); }

TEST_CASE("A retrieval without a user agent is refused") {
  CHECK_THROWS_AS(validate(retrieval_options{}), std::invalid_argument);
}

TEST_CASE("Options become valid by a check, and each retrieval may change what needs none") {
  using robots::detail::valid_retrieval_options;
  CHECK_THROWS_AS(valid_retrieval_options{retrieval_options{}}, std::invalid_argument);
  valid_retrieval_options options{usable()};
  options.unchecked().seed = 7;
  const retrieval_options taken = std::move(options).take();
  CHECK(taken.seed == 7);
  CHECK(taken.user_agent == usable().user_agent);
}

TEST_CASE("Options that would end a header line are refused") {
  retrieval_options options = usable();
  options.user_agent = "FooBot\r\nHost: evil";
  CHECK_THROWS_AS(validate(options), std::invalid_argument);
}

TEST_CASE("Negative numbers are refused, and zeros are accepted") {
  retrieval_options options = usable();
  options.max_redirects = 0;
  options.timeout = 0ms;
  options.max_bytes = 0;
  CHECK_NOTHROW(validate(options));
  options.max_redirects = -1;
  CHECK_THROWS_AS(validate(options), std::invalid_argument);
  options = usable();
  options.timeout = -1ms;
  CHECK_THROWS_AS(validate(options), std::invalid_argument);
}

#include <robots/policy/site_names.hpp>

#include "policy/record_samples.hpp"
#include <robots/fetch/outcome.hpp>
#include <robots/http/site.hpp>
#include <robots/policy/fallback.hpp>
#include <robots/policy/policy.hpp>

#include <doctest/doctest.h>

using robots::fallback_action;
using robots::outcome;
using robots::parse_site;
using robots::policy;
using robots::policy_detail::is_answer_for;
using robots::test::record_of_outcome;

TEST_CASE("A failure to reach a host applies to the host and to its origins") {
  const policy unreachable{fallback_action::deny_all, "FooBot",
                           record_of_outcome(outcome::unreachable)};
  for (const char* const key : {"example.com", "https://example.com", "http://example.com"}) {
    CAPTURE(key);
    CHECK(is_answer_for(parse_site("example.com"), key, unreachable));
  }
  CHECK(is_answer_for(parse_site("https://example.com/"), "example.com", unreachable));
  CHECK_FALSE(is_answer_for(parse_site("https://example.com/"), "http://example.com", unreachable));
  CHECK_FALSE(is_answer_for(parse_site("example.com"), "www.example.com", unreachable));
}

TEST_CASE("An answer applies to the host without a scheme and to the origin that sent it") {
  const policy missing{fallback_action::allow_all, "FooBot", record_of_outcome(outcome::not_found)};
  CHECK(is_answer_for(parse_site("example.com"), "https://example.com", missing));
  CHECK(is_answer_for(parse_site("https://example.com/"), "example.com", missing));
  CHECK_FALSE(is_answer_for(parse_site("http://example.com/"), "example.com", missing));
}

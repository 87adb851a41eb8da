#include <robots/rep/text/detail/normal_form.hpp>

#include <doctest/doctest.h>

#include <array>
#include <random>
#include <string>
#include <string_view>

namespace {

using namespace robots::rep_detail;

std::string normal(std::string_view text, const normal_form& form) {
  std::string result;
  write_normal(text, form, [&](char c) { result += c; });
  return result;
}

TEST_CASE(
    "Octets of a target are encoded, decoded or written as escapes in upper case as RFC 9309 "
    "says") {
  const auto target = [](std::string_view text) { return normal(text, rfc9309_target_form); };
  CHECK(target("/foo/bar?baz=quz") == "/foo/bar?baz=quz");
  CHECK(target("/%62%61%7A%2D%2E%5F%7E") == "/baz-._~");
  CHECK(target("/\xE3\x83\x84") == "/%E3%83%84");
  CHECK(target("/%e3%83%84") == "/%E3%83%84");
  CHECK(target("/%2f%3f%23") == "/%2F%3F%23");
  CHECK(target("/a*b$c") == "/a%2Ab%24c");
  CHECK(target(std::string_view{"/\0\x01 \x7F", 5}) == "/%00%01%20%7F");
  CHECK(target("/%zz%4%") == "/%zz%4%");
}

TEST_CASE("A stray percent sign stays, and reading goes on after it") {
  const auto target = [](std::string_view text) { return normal(text, rfc9309_target_form); };
  CHECK(target("%%61") == "%a");
  CHECK(target("%%%2d%") == "%%-%");
  CHECK(target("%4%31") == "%41");
  CHECK(target("%%34%31") == "%41");
  CHECK(target("%%341") == "%41");
  CHECK(target("%g%31") == "%g1");
  CHECK(target("%%2f") == "%%2F");
}

TEST_CASE("A rule keeps its wildcards") {
  CHECK(normal("/a*b%2A", rfc9309_rule_form) == "/a*b%2A");
  CHECK(normal("/a$b", rfc9309_rule_form) == "/a%24b");
}

TEST_CASE("The google dialect encodes rules and does not change targets") {
  CHECK(normal("/%7e \xE3", google_rule_form) == "/%7E %E3");
  CHECK(normal("/%7e \xE3*$", google_target_form) == "/%7e \xE3*$");
}

TEST_CASE(
    "Normalising twice changes nothing, and normalising a text in parts gives the same result") {
  std::mt19937 random{9309};
  constexpr std::string_view octets = "%%%%0123456789abcdefABCDEFgz/*$ ?~\xE3";
  for (int round = 0; round < 20'000; ++round) {
    std::string text;
    for (auto length = random() % 12; length > 0; --length) {
      text += octets[random() % octets.size()];
    }
    for (const normal_form* form : {&rfc9309_target_form, &rfc9309_rule_form, &google_rule_form}) {
      const std::string once = normal(text, *form);
      CAPTURE(text);
      REQUIRE(normal(text + "/" + text, *form) == once + "/" + once);
      if (is_normal(text, *form)) {
        REQUIRE(once == text);
      }
    }
  }
}

TEST_CASE("Without a stray percent sign, a normal form does not change again") {
  std::mt19937 random{2226};
  constexpr std::array<std::string_view, 12> parts{"%41", "%7e", "%2f", "%E3", "%25", "%00",
                                                   "4",   "a",   "/*",  "$",   " ",   "\xE3"};
  for (int round = 0; round < 20'000; ++round) {
    std::string text;
    for (auto length = random() % 12; length > 0; --length) {
      text += parts[random() % parts.size()];
    }
    for (const normal_form* form : {&rfc9309_target_form, &rfc9309_rule_form, &google_rule_form}) {
      const std::string once = normal(text, *form);
      CAPTURE(text);
      REQUIRE(normal(once, *form) == once);
      REQUIRE(is_normal(once, *form));
    }
  }
}

}  // namespace

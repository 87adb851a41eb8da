#include <robots/adapters/detail/body_decoder.hpp>

#include <doctest/doctest.h>
#include <support/gzip.hpp>
#include <support/site_rules.hpp>

#include <cstddef>
#include <string>
#include <string_view>

using robots::adapters_detail::body_decoder;
using namespace robots::test;

namespace {

/// The problem with a body of one octet in this coding.
std::string problem_of(std::string_view content_coding, std::string_view transfer_coding = "") {
  body_decoder body(0);
  body.begin(content_coding, transfer_coding);
  static_cast<void>(body.take("x"));
  return std::string(body.problem());
}

}  // namespace

TEST_CASE("a body in no coding is its own text, up to the limit") {
  body_decoder body(5);
  body.begin("", "chunked");
  CHECK(body.take("123"));
  CHECK(body.take("45"));
  CHECK_FALSE(body.over_limit());
  CHECK_FALSE(body.take("6"));
  CHECK(body.over_limit());
  CHECK_FALSE(body.take("7"));
  CHECK(body.text() == "12345");
  CHECK(body.problem().empty());
  CHECK_FALSE(body.refused());
}

TEST_CASE("a body is decoded by its coding, in any case and behind an empty list element") {
  for (const std::string_view coding : {"gzip", "GZIP", "x-gzip", " gzip\r", ", gzip ,"}) {
    CAPTURE(coding);
    body_decoder body(0);
    body.begin(coding, "");
    CHECK(body.take(gzip(rules)));
    CHECK(body.problem().empty());
    CHECK(body.text() == rules);
  }
}

TEST_CASE("a coding that nobody asked for is refused by its name") {
  CHECK(problem_of("") == "");
  CHECK(problem_of("identity", "identity") == "");
  CHECK(problem_of("br") == "Content-Encoding is br, which nobody asked for");
  CHECK(problem_of("gzip, br") == "Content-Encoding is gzip, br, which nobody asked for");
  CHECK(problem_of("", "gzip") == "Transfer-Encoding is gzip, which nobody asked for");
  CHECK(problem_of("gzip", "chunked, chunked") ==
        "Transfer-Encoding is chunked, chunked, which nobody asked for");
  CHECK(problem_of("\x1b[2J") == "Content-Encoding is \\x1B[2J, which nobody asked for");
  CHECK(problem_of(std::string(10'000, 'x')).size() < 200);
}

TEST_CASE("a body of which nothing came is whole") {
  const body_decoder body(0);
  CHECK(body.problem().empty());
  CHECK_FALSE(body.refused());
  CHECK_FALSE(body.over_limit());
}

TEST_CASE("a body that is cut is no problem when it is over the limit, and one when it is not") {
  const std::string whole = gzip(rules);
  body_decoder short_of_all(rules.size());
  short_of_all.begin("gzip", "");
  CHECK(short_of_all.take(whole.substr(0, whole.size() - 1)));
  CHECK_FALSE(short_of_all.refused());
  CHECK(short_of_all.problem() == "the encoded body breaks off");

  body_decoder over_limit(rules.size() - 1);
  over_limit.begin("gzip", "");
  CHECK_FALSE(over_limit.take(whole.substr(0, whole.size() - 1)));
  CHECK(over_limit.over_limit());
  CHECK(over_limit.problem().empty());
  CHECK(over_limit.text() == rules.substr(0, rules.size() - 1));
}

TEST_CASE("a body that never comes to its text is refused, though no limit on the text is hit") {
  constexpr std::size_t limit = 1'000;
  const std::string nothing = gzip("");
  const auto taken = [&](std::size_t most) {
    body_decoder body(most);
    body.begin("gzip", "");
    std::size_t octets = 0;
    constexpr std::size_t patience = 200'000;
    while (octets < patience && body.take(nothing)) {
      octets += nothing.size();
    }
    CHECK(body.problem() == (most == 0 ? "" : "the encoded body is far longer than what is in it"));
    return octets;
  };
  CHECK(taken(limit) >= 64 * 1024 + limit);
  CHECK(taken(limit) <= 64 * 1024 + 3 * limit);
  CHECK(taken(0) >= 200'000);
}

TEST_CASE("a server that flushes each line is not taken for malicious") {
  // Eight octets of text in a stored block of thirteen, again and again.
  const std::string header = gzip("").substr(0, 10);
  const std::string block("\x00\x08\x00\xf7\xff#23456\r\n", 13);
  body_decoder body(512'000);
  body.begin("gzip", "");
  CHECK(body.take(header));
  for (int i = 0; i < 60'000; ++i) {
    REQUIRE(body.take(block));
  }
  CHECK(body.text().size() == 8 * 60'000);
}

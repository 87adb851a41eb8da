#include <robots/rep/read/detail/common_line.hpp>

#include <doctest/doctest.h>

#include <string>
#include <string_view>

namespace {

using robots::directive_kind;
using robots::rep_detail::common_line;

/// Reads the first line of `text`.
common_line read(std::string_view text) {
  const char* const end = text.data() + text.size();
  robots::rep_detail::line_index index;
  index.fill(text.data(), end);
  return robots::rep_detail::read_common_line(text.data(), text.data() + index.ends().front(), end,
                                              index);
}

constexpr std::string_view next = "\nUser-agent: *\nDisallow: /\n";

TEST_CASE("a frequent key, a colon and a value without white space are a common line") {
  const std::string text = "disALLOW:/x?y=%20*$" + std::string{next};
  const common_line line = read(text);
  CHECK(line.kind == directive_kind::disallow);
  CHECK(line.key == "disALLOW");
  CHECK(line.value == "/x?y=%20*$");
  for (const std::string_view key : {"Allow", "User-agent", "SITEMAP", "Crawl-delay"}) {
    CAPTURE(key);
    const std::string other = std::string{key} + ": v" + std::string{next};
    CHECK(read(other).key == key);
    CHECK(read(other).value == "v");
  }
}

TEST_CASE("a common line may end in white space and a comment, or have no value") {
  for (const std::string_view rest : {"", " ", " \t", "#c", " # c : d", "\r"}) {
    CAPTURE(rest);
    const std::string text = "Allow: /x" + std::string{rest} + std::string{next};
    CHECK(read(text).kind == directive_kind::allow);
    CHECK(read(text).value == "/x");
    CHECK(read("Allow: /" + std::string(20, 'x')).value.size() == 21);
  }
  const std::string empty = "Disallow: " + std::string{next};
  CHECK(read(empty).value.data() == empty.data() + 9);
  CHECK(read(empty).value.empty());
}

TEST_CASE("any other line is left to others") {
  using namespace std::string_literals;
  for (const std::string& line :
       {"Disallow : /x"s, " Disallow: /x"s, "Disallow: /x y"s, "Disallow: /\0"s, "Disallow /x"s,
        "Disallowed: /x"s, "user\ragent: x"s, "Disallow\x1A /x"s, "Host: x"s, "Disallow: \"x"s,
        "Disallow:\v/x"s}) {
    CAPTURE(line);
    CHECK(read(line + std::string{next}).kind == directive_kind::unknown);
  }
}

TEST_CASE("a key that ends the text is left to others, whatever lies behind the text") {
  constexpr std::string_view longer = "Crawl-delay: 5\nAllow: /\n";
  CHECK(read(longer.substr(0, 11)).kind == directive_kind::unknown);
  CHECK(read(longer.substr(0, 14)).value == "5");
}

}  // namespace

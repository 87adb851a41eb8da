#include <robots/rep/read/scan.hpp>
#include <robots/rep/rules/compile.hpp>

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

namespace {

using robots::dialect;

bool allows(std::string_view text, std::string_view target, dialect reading) {
  return robots::compile(text, "foobot", {.dialect = reading}).allows(target);
}

struct disagreement {
  std::string_view name;
  std::string text;
  std::string_view target;
  bool rfc9309_allows;
};

std::vector<disagreement> disagreements() {
  using namespace std::string_literals;
  return {
      {"rule_normal_form", "User-agent: *\nDisallow: /%62ar\n", "/bar", false},
      {"target_normal_form", "User-agent: *\nDisallow: /bar\n", "/%62ar", false},
      {"robots_txt_always_allowed", "User-agent: *\nDisallow: /\n", "/robots.txt", true},
      {"key_prefixes", "User-agent: *\nDisallowed: /\n", "/x", true},
      {"nul_ends_line", "User-agent: *\nDisallow: /x\0y\n"s, "/x", true},
      {"ignores_keyless_lines", "User-agent: *\nDisallow: /\nUser-agent Good Bot\nAllow: /\n", "/x",
       false},
      {"keeps_cut_allow",
       "User-agent: *\nDisallow: /\nAllow: /x*" + std::string(robots::max_line_bytes, '*') + "\n",
       "/x", false},
      {"keeps_invisible", "User-agent: *\xC2\xA0\nDisallow: /\n", "/x", false},
      {"keeps_invisible", "User-agent: *\nDisallow:\xC2\xA0/x\n", "/x", false},
      {"one_byte_order_mark", "\xEF\xBB\xBF\xEF\xBB\xBFUser-agent: *\nDisallow: /\n", "/x", false},
      {"index_html_is_directory", "User-agent: *\nDisallow: /\nAllow: /x/index.html\n", "/x/",
       false},
      {"lenient_targets", "User-agent: *\nDisallow: /x\n", "//example.com/x", true},
  };
}

TEST_CASE("The dialects disagree only where the documents say so") {
  for (const disagreement& row : disagreements()) {
    CAPTURE(row.name);
    CHECK(allows(row.text, row.target, dialect::rfc9309) == row.rfc9309_allows);
    CHECK(allows(row.text, row.target, dialect::google) == !row.rfc9309_allows);
  }
}

}  // namespace

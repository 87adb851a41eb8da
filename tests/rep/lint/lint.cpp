#include <robots/rep/lint/lint.hpp>

#include <robots/rep/document/document.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

using robots::diagnostic_code;
using robots::lint;
using robots::parse;

using found = std::vector<std::pair<std::uint32_t, diagnostic_code>>;

found findings(std::string_view text, const robots::parse_options& options = {}) {
  found result;
  for (const auto& finding : lint(parse(text, options))) {
    result.emplace_back(finding.line, finding.code);
  }
  return result;
}

TEST_CASE("A clean file has no findings, and each finding has its line") {
  CHECK(lint(parse("User-agent: *\nDisallow: /x\n")).empty());
  CHECK(lint(parse("User-agent: *\nDisallow: /y\nDisallow: x\n")).front().code ==
        diagnostic_code::pattern_never_matches);
  CHECK(lint(parse("User-agent: *\nDisallow: /x\nDisallow: /x\n")).front().line == 3);
}

TEST_CASE("lint reports a rule that is twice in a group") {
  CHECK(findings("User-agent: *\nDisallow: /a\nAllow: /b\nDisallow: /%61\n") ==
        found{{4, diagnostic_code::duplicate_rule}});
  CHECK(findings("User-agent: a\nDisallow: /a\nUser-agent: b\nDisallow: /a\n").empty());
}

TEST_CASE("lint reports a rule that an opposite rule always overrides") {
  CHECK(findings("User-agent: *\nDisallow: /a\nAllow: /a\n") ==
        found{{2, diagnostic_code::shadowed_rule}});
  CHECK(
      findings("User-agent: *\nDisallow: /a\nAllow: /a\n", {.tie = robots::tie_break::disallow}) ==
      found{{3, diagnostic_code::shadowed_rule}});
  CHECK(findings("User-agent: *\nDisallow: /a$\nAllow: /a\n").empty());
}

TEST_CASE("lint reports a rule that repeats a shorter one") {
  CHECK(findings("User-agent: *\nDisallow: /private\nDisallow: /private/2020/\n") ==
        found{{3, diagnostic_code::redundant_rule}});
  CHECK(findings("User-agent: *\nDisallow: /a*b\nDisallow: /a*bc$\n") ==
        found{{3, diagnostic_code::redundant_rule}});
  CHECK(findings("User-agent: *\nDisallow: /\nAllow: /p/\nDisallow: /p/x\n").empty());
  CHECK(findings("User-agent: *\nDisallow: /p$\nDisallow: /p/x\n").empty());
  CHECK(findings("User-agent: *\nAllow: /p\nDisallow: /p/x\n").empty());
}

TEST_CASE("A rule is not redundant if an opposite rule would decide without it") {
  CHECK(findings("User-agent: a\nDisallow: /x\nDisallow: /x/y/z\nUser-agent: a\nAllow: /x/y\n")
            .empty());
}

TEST_CASE("A rule that google reads as two patterns is not redundant") {
  const robots::parse_options google{.dialect = robots::dialect::google};
  CHECK(findings("User-agent: *\nDisallow: /x\nAllow: /x/index.html\nDisallow: /x/***\n", google)
            .empty());
  CHECK(findings("User-agent: *\nDisallow: /x/\nAllow: /x/index.html\nDisallow: "
                 "/x/index.html*\n",
                 google)
            .empty());
}

TEST_CASE("Removing redundant, duplicate and shadowed rules changes no verdict") {
  const std::vector<std::string> lines{
      "Disallow: /a\n",  "Allow: /a\n", "Disallow: /ab\n", "Allow: /a*b\n",    "Disallow: /$\n",
      "Disallow: /a$\n", "Allow: /\n",  "Disallow: *b\n",  "Disallow: /ab*\n", "Disallow: /%61b"};
  const std::vector<std::string> targets{"/", "/a", "/ab", "/abb", "/b", "/axb", "/c", "/ba"};
  for (unsigned mask = 0; mask < 1U << lines.size(); ++mask) {
    std::string text = "User-agent: *\n";
    std::vector<std::string> kept_lines;
    for (std::size_t i = 0; i < lines.size(); ++i) {
      if ((mask >> i & 1U) != 0) {
        kept_lines.push_back(lines[i]);
      }
    }
    for (const std::string& line : kept_lines) {
      text += line;
    }
    const robots::document file = parse(text);
    for (const auto& finding : lint(file)) {
      std::string without = "User-agent: *\n";
      for (std::size_t i = 0; i < kept_lines.size(); ++i) {
        if (i + 2 != finding.line) {
          without += kept_lines[i];
        }
      }
      const robots::document changed = parse(without);
      for (const std::string& target : targets) {
        CAPTURE(text);
        CAPTURE(finding.line);
        CAPTURE(target);
        REQUIRE(changed.allows(target) == file.allows(target));
      }
    }
  }
}

TEST_CASE("lint reports several names, a rule and quotes in a User-agent line") {
  const auto code_of = [](std::string_view value) {
    return findings("User-agent: " + std::string{value} + "\nDisallow: /x\n");
  };
  for (const char* const value : {"GPTBot, ClaudeBot", "GPTBot,ClaudeBot", "GPTBot; ClaudeBot",
                                  "GPTBot | ClaudeBot", "GPTBot,*"}) {
    CAPTURE(value);
    CHECK(code_of(value) == found{{1, diagnostic_code::several_names_in_line}});
  }
  for (const char* const value : {"* Disallow: /", "FooBot disallow:/a", "FooBot Allow: /"}) {
    CAPTURE(value);
    CHECK(code_of(value) == found{{1, diagnostic_code::rule_in_agent_line}});
  }
  for (const char* const value : {"\"FooBot\"", "'FooBot'", "\"*\"", "\xE2\x80\x9C*\xE2\x80\x9D"}) {
    CAPTURE(value);
    CHECK(code_of(value) == found{{1, diagnostic_code::quoted_name}});
  }
  for (const char* const value :
       {"FooBot", "*", "FooBot/1.0", "FooBot 1.0", "* all", "Yahoo! Slurp"}) {
    CAPTURE(value);
    CHECK(code_of(value).empty());
  }
}

TEST_CASE("lint reports a regular expression and the key Content-Signals") {
  for (const char* const pattern : {"/a/.*", "/.+", "/(a|b)/", "/a\\.php", "/[a-z]/", "/[0-9]+"}) {
    CAPTURE(pattern);
    CHECK(findings("User-agent: *\nDisallow: " + std::string{pattern} + "\n") ==
          found{{2, diagnostic_code::regular_expression}});
  }
  CHECK(findings("User-agent: *\nDisallow: /b\nDisallow: ^/a\n").size() ==
        2);  // it never matches, too
  for (const char* const pattern :
       {"/*.php$", "/a.*", "/a(b)", "/a[1]", "/?a[]=", "/a|b", "/a+b"}) {
    CAPTURE(pattern);
    CHECK(findings("User-agent: *\nDisallow: " + std::string{pattern} + "\n").empty());
  }
  CHECK(findings("User-agent: *\nContent-signals: ai-train=no\nDisallow: /x\n") ==
        found{{2, diagnostic_code::unknown_key}, {2, diagnostic_code::misspelled_key}});
}

TEST_CASE("lint reports user agents that no crawler can have and sitemaps without a host") {
  CHECK(findings("User-agent: (compatible)\nDisallow: /\n") ==
        found{{1, diagnostic_code::unmatchable_user_agent}});
  for (const char* agent : {"/foo", "/", "*/1.0", "*,foo", "*foo"}) {
    CAPTURE(agent);
    CHECK(findings("User-agent: " + std::string{agent} + "\n") ==
          found{{1, diagnostic_code::unmatchable_user_agent}});
  }
  CHECK(findings("User-agent: * all\n").empty());
  CHECK(findings("User-agent: 360Spider\nUser-agent: MJ12bot/1\nUser-agent: *\n").empty());
  CHECK(findings("Sitemap: /sitemap.xml\nSitemap: https://example.com/s.xml\n") ==
        found{{1, diagnostic_code::relative_sitemap}});
  CHECK(findings("Sitemap:\nSitemap: \n") ==
        found{{1, diagnostic_code::empty_sitemap}, {2, diagnostic_code::empty_sitemap}});
}

TEST_CASE("lint reports a content signal that it cannot read") {
  for (const char* signal : {"ai-train=disallow", "ai-train=n", "search=false", "train-ai=no",
                             "search=yes; ai-train=no", "search", "/blog/ ai-train=never"}) {
    CAPTURE(signal);
    CHECK(findings("User-agent: *\nContent-Signal: " + std::string{signal} + "\n") ==
          found{{2, diagnostic_code::unread_content_signal}});
  }
  for (const char* signal :
       {"search=yes, ai-train=no", "AI-Train = NO,, search=yes,", "/b/ ai-input=no", ""}) {
    CAPTURE(signal);
    CHECK(findings("User-agent: *\nContent-Signal: " + std::string{signal} + "\n").empty());
  }
}

TEST_CASE("lint reports a line about use that says nothing, and one above all groups") {
  for (const char* usage : {"train-ai=maybe", "TRAIN-AI=n", "train-ai=n;", "*.pdf train-ai=n",
                            "train-ai", "/blog/", "train-ai=n, search=?1", ""}) {
    CAPTURE(usage);
    CHECK(findings("User-agent: *\nContent-Usage: " + std::string{usage} + "\n") ==
          found{{2, diagnostic_code::unread_content_usage}});
  }
  for (const char* usage : {"train-ai=n", "/blog/ train-ai=n, search=y", "x=y;a=1"}) {
    CAPTURE(usage);
    CHECK(findings("User-agent: *\nContent-Usage: " + std::string{usage} + "\n").empty());
  }
  CHECK(findings("License: https://e.example/l.xml\nUser-agent: *\nLicense: l.xml\n") ==
        found{{3, diagnostic_code::relative_license}});
  CHECK(
      findings("Content-Signal: search=yes\nContent-Usage: search=y\nUser-agent: *\n") ==
      found{{1, diagnostic_code::usage_outside_group}, {2, diagnostic_code::usage_outside_group}});
}

TEST_CASE("lint reports a file with too many malformed lines") {
  const auto all = findings("a\nb\nc\nd\ne\nUser-agent: *\n");
  REQUIRE(all.size() == 6);
  CHECK(all[1] == std::pair{1U, diagnostic_code::malformed_share});
  CHECK(findings("a\nb\nc\nd\nUser-agent: *\n").size() == 4);
  const auto values = findings("Crawl-delay: a\nVisit-time: b\nRequest-rate: c\nUser-agent:\n");
  REQUIRE(values.size() == 5);
  CHECK(values[0] == std::pair{1U, diagnostic_code::malformed_share});
}

TEST_CASE("Every finding has a name, a place and a text") {
  for (const auto& finding : lint(parse("x\nDisallow: y\nUser-agent:\nSitemap: s\n"))) {
    CHECK_FALSE(to_string(finding.code).empty());
    CHECK_FALSE(finding.text.empty());
    CHECK(finding.line > 0);
    CHECK(finding.column > 0);
  }
}

TEST_CASE("lint reads a text like parse") {
  const std::string text = "x\nDisallow: y\nUser-agent:\nSitemap: s\n";
  const auto of_text = lint(text);
  const auto of_document = lint(parse(text));
  REQUIRE(of_text.size() == of_document.size());
  CHECK(of_text.front().code == of_document.front().code);
  CHECK(lint("x\ny\nz\n", {.max_bytes = 2}).size() < lint("x\ny\nz\n").size() + 1);
}

}  // namespace

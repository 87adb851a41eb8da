#include <robots/usage/usage_lines.hpp>

#include <robots/rep/document/document.hpp>
#include <robots/rep/rules/crawler_directives.hpp>
#include <robots/usage/page_statements.hpp>

#include <doctest/doctest.h>

#include <string_view>

namespace {

using robots::usage_lines;

constexpr std::string_view whole_file =
    "License: https://e.example/all.xml\n"
    "License: relative.xml\n"
    "User-agent: *\n"
    "Content-Signal: ai-train=no\n"
    "Disallow: /private\n"
    "User-agent: FooBot\n"
    "Content-Usage: /a train-ai=n\n"
    "License: relative.xml\n"
    "Crawl-delay: 2\n"
    "Disallow: /foo\n"
    "User-agent: BarBot\n"
    "License: https://e.example/bar.xml\n"
    "User-agent: Google-Extended\n"
    "Disallow: /\n";

const robots::crawler_names foo_bot_of_two{"FooBot",
                                           {"Google-Extended", robots::purpose::ai_train},
                                           {"Unnamed", robots::purpose::ai_input}};

usage_lines from_text(std::string_view text, const robots::crawler_names& names) {
  return robots::usage_lines_of(text, robots::directives_for(text, names), names.policy_tokens());
}

usage_lines from_document(std::string_view text, const robots::crawler_names& names) {
  const robots::document file = robots::parse(text);
  return robots::usage_lines_of(file, file.rules_for(names), names.policy_tokens());
}

TEST_CASE("The lines about use are those of the crawler, and licences of the file if it has none") {
  const usage_lines lines = from_text(whole_file, foo_bot_of_two);
  CHECK(lines.agent == "FooBot");
  REQUIRE(lines.lines.size() == 2);
  CHECK(lines.lines[0] ==
        usage_lines::line{robots::directive_kind::content_usage, 7, "/a train-ai=n"});
  CHECK(lines.lines[1] ==
        usage_lines::line{robots::directive_kind::license, 1, "https://e.example/all.xml"});
  REQUIRE(lines.tokens.size() == 1);
  CHECK(lines.tokens[0].token == "Google-Extended");
  CHECK_FALSE(lines.tokens[0].rules.allows("/x"));
}

TEST_CASE("The lines of a document and the lines of its text are the same") {
  for (const robots::crawler_names& names :
       {foo_bot_of_two, robots::crawler_names{"BarBot"}, robots::crawler_names{"Other"},
        robots::crawler_names{"Other", "BarBot"}, robots::crawler_names{"*"}}) {
    CHECK(from_text(whole_file, names) == from_document(whole_file, names));
  }
  CHECK(from_text(whole_file, "BarBot").lines.front().value == "https://e.example/bar.xml");
  CHECK(from_text(whole_file, "Other").lines.size() == 2);
}

TEST_CASE("A file without lines about use gives an empty object") {
  constexpr std::string_view plain = "User-agent: *\nDisallow: /x\nCrawl-delay: 1\n";
  CHECK(from_text(plain, foo_bot_of_two).empty());
  CHECK(from_text(plain, foo_bot_of_two) == usage_lines{});
  CHECK(from_text("", "FooBot").empty());
}

TEST_CASE("A fingerprint of lines about use does not depend on line numbers, but on all else") {
  const auto hash = [](std::string_view text) {
    return from_text(text, foo_bot_of_two).fingerprint();
  };
  constexpr std::string_view one = "User-agent: *\nContent-Signal: ai-train=no\n";
  CHECK(hash(one) == hash("\n\nUser-agent: *\nContent-Signal: ai-train=no\n"));
  CHECK(hash(one) != hash("User-agent: *\nContent-Signal: ai-train=yes\n"));
  CHECK(hash(one) != hash("User-agent: *\nContent-Usage: ai-train=no\n"));
  CHECK(hash("User-agent: Google-Extended\nDisallow: /\n") !=
        hash("User-agent: Google-Extended\nDisallow: /a\n"));
  CHECK(from_text(whole_file, foo_bot_of_two).memory_bytes() > 100);
}

}  // namespace

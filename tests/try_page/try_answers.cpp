// Tests the answers of the page on which one tries a robots.txt. The page itself is tested in a
// browser by browser_test.mjs.
#include "try_page/try_answers.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

namespace {

using robots::try_page::page_facts;
using robots::try_page::tried_file;

/// Returns true if a JSON has the members.
bool has(std::string_view json, std::string_view members) {
  return json.find(members) != std::string_view::npos;
}

TEST_CASE("The try page gets a verdict in each dialect, and a flag if these differ") {
  const tried_file file{"User-agent: *\nDisallow: /~ann/\nDisallow: /b\n", "FooBot"};
  CHECK(file.verdicts("https://example.com/%7Eann/x") ==
        R"({"problem":"","dialects":[)"
        R"({"dialect":"rfc9309","allowed":false,"line":2,)"
        R"("why":"disallow \"/~ann/\", line 2, for *"},)"
        R"({"dialect":"google","allowed":true,"line":0,"why":"no rule matches"}],"differ":true})");
  CHECK(has(file.verdicts("/b/c"), R"("differ":false)"));
}

TEST_CASE("The try page reads a URL without a scheme as robots-check does") {
  const tried_file file{"User-agent: *\nDisallow: /a\n", "FooBot"};
  CHECK(has(file.verdicts("example.com/a"), R"("allowed":false)"));
  CHECK(has(file.verdicts("/a"), R"("allowed":false)"));
  CHECK(has(file.verdicts("ftp://example.com/a"),
            R"({"problem":"the scheme \"ftp\" is neither http nor https","dialects":[])"));
  CHECK(file.details("ftp://example.com/a", {}) == "{}");
}

TEST_CASE("The try page gets groups, delays, sitemaps and the findings of lint with their lines") {
  const tried_file file{
      "User-agent: *\nDisalow: /a\nCrawl-delay: 2\nSitemap: https://a.example/s\n",
      "FooBot/2.1 (+https://foo.example)"};
  const std::string summary = file.summary();
  CHECK(has(summary, R"("token":"FooBot","nameless":false)"));
  CHECK(has(summary, R"({"dialect":"rfc9309","group":"everyone","rules":1,"crawlDelay":2})"));
  CHECK(has(summary, R"("sitemaps":["https://a.example/s"],"sitemapCount":1)"));
  CHECK(has(summary, R"([{"line":2,"column":1,"severity":"warning","code":"misspelled_key")"));
  CHECK(has(summary, R"("counts":{"error":0,"warning":1,"note":0})"));
}

TEST_CASE("The lists for the try page are cut, and their counts are not") {
  std::string text = "User-agent: *\n";
  for (int i = 0; i < 9; ++i) {
    text += "hello\n";
  }
  const std::string summary = tried_file{text, "FooBot"}.summary(2);
  CHECK(has(summary, R"({"line":2,)"));
  CHECK_FALSE(has(summary, R"({"line":3,)"));
  CHECK(has(summary, R"("error":10)"));  // the last one is about the share of such lines
}

TEST_CASE("The try page gets each rule that matches, in the order of their rank") {
  const tried_file file{"User-agent: FooBot\nDisallow: /a\nAllow: /a/b\n", "FooBot"};
  const std::string details = file.details("/a/b/c", {});
  CHECK(has(details, R"("group":"own","target":"/a/b/c","matchCount":2,"matches":[)"
                     R"({"directive":"allow","pattern":"/a/b","compared":"/a/b","specificity":4,)"
                     R"("line":3,"decides":true},{"directive":"disallow","pattern":"/a",)"));
}

TEST_CASE("The try page gets an answer for each purpose, from the file and from headers") {
  const tried_file file{"User-agent: *\nContent-Signal: search=yes, ai-train=no\n", "FooBot"};
  const std::string alone = file.details("/a", {});
  CHECK(has(alone, R"({"purpose":"ai_train","answer":"no",)"
                   R"("why":"no: Content-Signal \"ai-train=no\", line 2, for *","line":2})"));
  CHECK(has(alone, R"({"purpose":"search","answer":"unread")"));
  const std::string read =
      file.details("/a", {.headers = "X-Robots-Tag: noarchive\r\nServer: x", .meta_is_read = true});
  CHECK(has(read, R"({"purpose":"search","answer":"yes")"));
  CHECK(has(read, R"({"purpose":"archive","answer":"no",)"
                  R"("why":"no: X-Robots-Tag \"noarchive\", header 1, for *","line":0})"));
}

TEST_CASE("The try page reads UTF-16 and a file beyond the limit as a cache does") {
  const std::string_view utf16{
      "\xFF\xFE"
      "U\0s\0e\0r\0-\0a\0g\0e\0n\0t\0:\0*\0\n\0"
      "D\0i\0s\0a\0l\0l\0o\0w\0:\0/\0",
      48};
  CHECK(has(tried_file{utf16, "FooBot"}.verdicts("/"), R"("allowed":false)"));
  std::string longer = "User-agent: *\n";
  while (longer.size() < 600'000) {
    longer += "Disallow: /x/y/z\n";
  }
  const tried_file file{longer + "Disallow: /last\n", ""};
  CHECK(has(file.verdicts("/last"), R"("allowed":true)"));
  CHECK(has(file.verdicts("/x/y/z"), R"("allowed":false)"));
  CHECK(has(file.summary(60'000), R"("code":"file_too_long")"));
}

}  // namespace

#include <robots/rep/read/scan.hpp>

#include <robots/rep/document/document.hpp>
#include <robots/rep/rules/compile.hpp>
#include <robots/rep/rules/crawler_directives.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace {

using robots::diagnostic_code;
using robots::dialect;
using robots::parse_options;

/// Records the directives and findings of `scan`.
struct recorder {
  void on_directive(const robots::directive& line) { directives.push_back(line); }
  void on_diagnostic(const robots::diagnostic& finding) { findings.push_back(finding); }

  std::vector<robots::directive> directives{};
  std::vector<robots::diagnostic> findings{};
};

recorder record(std::string_view text, const parse_options& options = {}) {
  recorder result;
  robots::scan(text, result, options);
  return result;
}

std::vector<diagnostic_code> codes(std::string_view text, const parse_options& options = {}) {
  std::vector<diagnostic_code> result;
  for (const auto& finding : record(text, options).findings) {
    result.push_back(finding.code);
  }
  return result;
}

using list = std::vector<diagnostic_code>;

static_assert(robots::DirectiveHandler<recorder>);
static_assert(!robots::DirectiveHandler<int>);

/// Needs no line before the next User-agent line.
struct waiting_recorder {
  void on_directive(const robots::directive& line) { kinds.push_back(line.kind); }
  [[nodiscard]] static constexpr bool waits_for_group() noexcept { return true; }

  std::vector<robots::directive_kind> kinds{};
};

TEST_CASE("A handler that waits for a group gets every User-agent line, however it is spelled") {
  using robots::directive_kind;
  for (const auto& [text, kind, is_right, is_prefix] : robots::rep_detail::spellings) {
    if (kind != directive_kind::user_agent) {
      continue;
    }
    std::string upper{text};
    for (char& c : upper) {
      c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    }
    for (const std::string& key : {std::string{text}, upper, "  " + upper, '\0' + upper}) {
      CAPTURE(key);
      waiting_recorder handler;
      robots::scan("Disallow: /x\n" + key + ": a\nDisallow: /y\nHost: z\n", handler);
      CHECK(handler.kinds == std::vector{directive_kind::user_agent, directive_kind::disallow});
    }
  }
}

TEST_CASE("Directives are passed in file order with key, value, line and group") {
  const auto seen =
      record("Sitemap: s\nUser-Agent : a # x\nuser-agent: b\nAllow: /1\n\nUSER-AGENT: c\n");
  REQUIRE(seen.directives.size() == 5);
  CHECK(seen.directives[0].in_group == false);
  CHECK(seen.directives[1].key == "User-Agent");
  CHECK(seen.directives[1].value == "a");
  CHECK(seen.directives[1].line == 2);
  CHECK(seen.directives[1].starts_group);
  CHECK_FALSE(seen.directives[2].starts_group);
  CHECK(seen.directives[3].kind == robots::directive_kind::allow);
  CHECK(seen.directives[4].starts_group);
  CHECK(seen.directives[4].line == 6);
  CHECK(seen.findings.empty());
}

TEST_CASE("Lines other than rules do not split a run of User-agent lines") {
  for (const std::string_view between :
       {"", "# comment", "Sitemap: /s", "Foo: bar", "Crawl-delay: 1", "Noindex: /x"}) {
    CAPTURE(between);
    const auto seen = record("User-agent: a\n" + std::string{between} + "\nUser-agent: b\n");
    CHECK_FALSE(seen.directives.back().starts_group);
  }
  for (const std::string_view between : {"Disallow:", "Allow: /", "Disallow /x"}) {
    CAPTURE(between);
    const auto seen = record("User-agent: a\n" + std::string{between} + "\nUser-agent: b\n");
    CHECK(seen.directives.back().starts_group);
  }
  const auto split =
      record("User-agent: a\nCrawl-delay: 1\nUser-agent: b\n", {.delay_closes_group = true});
  CHECK(split.directives.back().starts_group);
}

TEST_CASE("A mistake in a line has one finding, and the rest of the file is read") {
  CHECK(codes("User-agent: a\nDisallow: /x\n").empty());
  CHECK(codes("prose that is no directive\n") == list{diagnostic_code::malformed_line});
  CHECK(codes("hello world\n") == list{diagnostic_code::malformed_line});
  CHECK(codes(": /x\n") == list{diagnostic_code::malformed_line});
  CHECK(codes("User-agent *\n") == list{diagnostic_code::missing_colon});
  CHECK(codes("Useragent: *\n") == list{diagnostic_code::misspelled_key});
  CHECK(codes("Foo: bar\n") == list{diagnostic_code::unknown_key});
  CHECK(codes("Disallow: /x\n") == list{diagnostic_code::rule_outside_group});
  CHECK(codes("User-agent: *\nDisallow: x\n") == list{diagnostic_code::pattern_never_matches});
  CHECK(codes("User-agent: *\nDisallow: x\n", {.prepend_slash = true}).empty());
  CHECK(codes("User-agent:\n") == list{diagnostic_code::empty_product_token});
  CHECK(codes("Crawl-delay: 10s\n") == list{diagnostic_code::invalid_crawl_delay});
  CHECK(codes("Request-rate: x\n") == list{diagnostic_code::invalid_request_rate});
  CHECK(codes("Request-rate: 1/10s 0600-0845\n").empty());
  CHECK(codes("Visit-time: 9-17\n") == list{diagnostic_code::invalid_visit_time});
  CHECK(codes("Visit-time: 0900-1700\n").empty());
  CHECK(codes("User-agent: a\nCrawl-delay: 1\nCrawl-delay: 2\n") ==
        list{diagnostic_code::repeated_crawl_delay});
  CHECK(codes("User-agent: a\nCrawl-delay: 1\nUser-agent: b\n") ==
        list{diagnostic_code::delay_only_group});
  CHECK(codes("User-agent: a\nCrawl-delay: 1\nUser-agent: b\nCrawl-delay: 2\n") ==
        list{diagnostic_code::delay_only_group});
  CHECK(codes("<!DOCTYPE html>\n") == list{diagnostic_code::looks_like_html});
  CHECK(codes("<meta content=\"a: b\">\n") == list{diagnostic_code::looks_like_html});
  CHECK(codes("<html>\n<body>\n") ==
        list{diagnostic_code::looks_like_html, diagnostic_code::malformed_line});
}

TEST_CASE("A line whose key does not accept the value counts as malformed") {
  struct {
    void on_directive(const robots::directive& /*line*/) {}
  } silent;
  const auto malformed = [&](std::string_view text, const parse_options& options) {
    recorder heard;
    const auto count = robots::scan(text, heard, options).malformed;
    CHECK(robots::scan(text, silent, options).malformed == count);
    CHECK(robots::parse(text, options).lines().malformed == count);
    CHECK(robots::directives_for(text, "a", options).findings.lines.malformed == count);
    return count;
  };
  for (const std::string_view line :
       {"User-agent:", "Crawl-delay: abc", "Crawl-delay:", "Request-rate: x", "Request-rate: 0/1",
        "Visit-time: x", "Visit-time: 0900"}) {
    CAPTURE(line);
    CHECK(malformed(line, {}) == 1);
    CHECK(malformed("User-agent: a\n" + std::string{line}, {}) == 1);
  }
  for (const std::string_view line :
       {"Disallow:", "Disallow: x\nDisallow: /", "Allow: x", "Allow: *x",
        "Crawl-delay: 1\nCrawl-delay: 2", "Unknown: x", "Useragent: a", "Sitemap: /s",
        "Content-Signal: x", "Request-rate: 1/5", "Visit-time: 0000-2400"}) {
    CAPTURE(line);
    CHECK(malformed("User-agent: a\n" + std::string{line}, {}) == 0);
  }
  CHECK(malformed("User-agent: a\nDisallow: x\n", {.prepend_slash = true}) == 0);
}

TEST_CASE("Disallow patterns without a slash count as malformed if the file has no other") {
  constexpr robots::malformed_limit limit;
  for (const std::string_view rules :
       {"Disallow: wp-admin\n", "Disallow: https://a.example/b\nDisallow:\n",
        "Allow: /\nDisallow: a\nCrawl-delay: 1\nDisalow: b\n"}) {
    CAPTURE(rules);
    const std::string text = "User-agent: *\n" + std::string{rules};
    const auto counts = robots::parse(text).lines();
    CHECK(counts.all_disallows_dead);
    CHECK(counts.malformed > 0);
    CHECK(limit.exceeded_by(counts));
    for (const std::string_view good : {"Disallow: /b\n", "Disallow: *b\n"}) {
      const auto with_good = robots::parse(text + std::string{good}).lines();
      CHECK_FALSE(with_good.all_disallows_dead);
      CHECK(with_good.malformed == 0);
      CHECK_FALSE(limit.exceeded_by(with_good));
    }
    CHECK_FALSE(robots::parse(text, {.prepend_slash = true}).lines().all_disallows_dead);
  }
  CHECK_FALSE(robots::parse("User-agent: *\nAllow: a\nDisallow:\n").lines().all_disallows_dead);
}

TEST_CASE("A misspelled key and a missing colon are guesses, unless the line is malformed, too") {
  const auto guessed = [](std::string_view line, const parse_options& options = {}) {
    const std::string text = "User-agent: a\n" + std::string{line};
    const auto counts = robots::parse(text, options).lines();
    CHECK(robots::directives_for(text, "a", options).findings.lines.guessed == counts.guessed);
    return counts.guessed;
  };
  for (const std::string_view line : {"Disalow: /a", "Disallow /a", "disalow /a", "Useragent: b",
                                      "Sitemaps: https://a.example/", "Craw-delay: 1"}) {
    CAPTURE(line);
    CHECK(guessed(line) == 1);
    CHECK(guessed(line, {.strict = true}) == 0);
  }
  for (const std::string_view line :
       {"Disallow: /a", "DISALLOW : /a", "Disalowance: /a", "Craw-delay: soon", "Unknown: x"}) {
    CAPTURE(line);
    CHECK(guessed(line) == 0);
  }
  CHECK(guessed("Disallowed: /a", {.dialect = robots::dialect::google}) == 1);
  constexpr robots::malformed_limit usual;
  constexpr robots::malformed_limit careful{.guessed_lines = true};
  const auto all_guessed = robots::parse("Useragent: *\nDisalow: /a\n").lines();
  CHECK_FALSE(usual.exceeded_by(all_guessed));
  CHECK(careful.exceeded_by(all_guessed));
  CHECK_FALSE(careful.exceeded_by(robots::parse("User-agent: *\nDisalow: /a\n").lines()));
}

TEST_CASE("Strict reading accepts no misspelled key and no missing colon") {
  const parse_options strict{.strict = true};
  CHECK(codes("Useragent: *\n", strict) == list{diagnostic_code::unknown_key});
  CHECK(codes("User-agent *\n", strict) == list{diagnostic_code::malformed_line});
}

TEST_CASE("A NUL octet at the edge of a value is trimmed, and a line with NUL inside is dropped") {
  constexpr std::string_view edges{"User-agent: *\0\nDisallow: \0/x\0\n", 30};
  const auto trimmed = record(edges);
  REQUIRE(trimmed.directives.size() == 2);
  CHECK(trimmed.directives[1].value == "/x");
  constexpr std::string_view inside{"User-agent: *\nDisallow: /a\0b\n", 29};
  const auto spoiled = record(inside);
  CHECK(spoiled.directives.size() == 1);
  REQUIRE(spoiled.findings.size() == 1);
  CHECK(spoiled.findings[0].code == diagnostic_code::nul_in_line);
  CHECK(spoiled.findings[0].line == 2);
  const auto cut = record(inside, {.dialect = dialect::google});
  REQUIRE(cut.directives.size() == 2);
  CHECK(cut.directives[1].value == "/a");
}

TEST_CASE("The rules after a dropped User-agent line do not join the group above") {
  const parse_options strict{.strict = true};
  const auto allows = [](std::string_view line, const parse_options& options = {}) {
    const std::string text = "User-agent: *\nDisallow: /\n\n" + std::string{line} + "\nAllow: /\n";
    const robots::document file = robots::parse(text, options);
    CHECK(file.lines().malformed == 1);
    return file.allows("/a", "x") || robots::compile(text, "x", options).allows("/a");
  };
  CHECK_FALSE(allows({"User-agent: Good\0Bot", 20}));
  CHECK_FALSE(allows({"user-agent Good\0Bot", 19}));
  CHECK_FALSE(allows("User-agent Good Bot"));
  CHECK_FALSE(allows("Useragent\tGood Bot"));
  CHECK_FALSE(allows("User agent Good Bot"));
  CHECK_FALSE(allows({"User\0-agent: Good", 17}));
  CHECK_FALSE(allows({"\0U\0s\0e\0r\0-agent: Good", 21}));
  CHECK(allows({"Us\0er-agent-of-others: Good", 27}));
  CHECK_FALSE(allows("User-agent"));
  CHECK_FALSE(allows("User-agent Good", strict));
  CHECK_FALSE(allows("User-agent Good", {.dialect = dialect::google, .strict = true}));
  // google/robotstxt ignores such a line.
  CHECK(allows("User-agent Good Bot", {.dialect = dialect::google}));
  CHECK(allows("User-agent", {.dialect = dialect::google}));
  CHECK(allows("User agent Good Bot", {.dialect = dialect::google}));
  CHECK(allows({"User\0-agent: Good", 17}, {.dialect = dialect::google}));
}

TEST_CASE("In strict reading, a misspelled User-agent line is like any other record") {
  // RFC 9309, section 2.2.4: other records do not interfere with the defined ones.
  constexpr std::string_view text =
      "User-agent: a\nDisallow: /x\nUseragent: b\nDisallow: /y\nUser-agent: c\n";
  for (const dialect reading : {dialect::rfc9309, dialect::google}) {
    const robots::document exact = robots::parse(text, {.dialect = reading, .strict = true});
    CHECK_FALSE(exact.allows("/y", "a"));
    CHECK(exact.allows("/y", "b"));
    const robots::document lenient = robots::parse(text, {.dialect = reading});
    CHECK(lenient.allows("/y", "a"));
    CHECK_FALSE(lenient.allows("/y", "b"));
  }
}

TEST_CASE("A dropped rule ends the list of User-agent lines") {
  const auto allows = [](std::string_view line, const parse_options& options = {}) {
    return robots::parse("User-agent: *\n" + std::string{line} +
                             "\nUser-agent: Good\nAllow: /\n\nUser-agent: *\nDisallow: /\n",
                         options)
        .allows("/a", "x");
  };
  CHECK_FALSE(allows({"Disallow: /a\0b", 14}));
  CHECK_FALSE(allows("Disallow /a b"));
  CHECK_FALSE(allows({"Dis\0allow: /b", 13}));
  CHECK(allows("Disallow"));
  CHECK_FALSE(allows("Disallow /b", {.strict = true}));
  CHECK(allows("Disallow /a b", {.dialect = dialect::google}));
  CHECK(allows("What is this"));
}

TEST_CASE("A damaged byte order mark is skipped in every dialect") {
  for (const dialect reading : {dialect::rfc9309, dialect::google}) {
    for (const std::string mark : {"\xEF\xBB", "\xEF"}) {
      CHECK(record(mark + "User-agent: *\n", {.dialect = reading}).findings.empty());
      CHECK(record(mark + "User-agent: *\n", {.dialect = reading}).directives.size() == 1);
      CHECK(record(mark, {.dialect = reading}).findings.empty());
    }
  }
  CHECK(record("\xEF\xBB\xBF\xEF\xBBUser-agent: *\n").findings.empty());
  // The first octets of another character are no byte order mark.
  CHECK(record("\xEF\xBC\xA1: *\n").findings.front().code == diagnostic_code::unknown_key);
}

TEST_CASE("A byte order mark that was encoded twice is a part of the key") {
  for (const dialect mode : {dialect::rfc9309, dialect::google}) {
    CHECK(record("\xC3\xAF\xC2\xBB\xC2\xBFUser-agent: *\n", {.dialect = mode})
              .findings.front()
              .code == diagnostic_code::unknown_key);
  }
}

TEST_CASE("Several byte order marks are skipped") {
  CHECK(record("\xEF\xBB\xBF\xEF\xBB\xBFUser-agent: *\n").findings.empty());
  CHECK(record("\xEF\xBB\xBF\xEF\xBB\xBFUser-agent: *\n", {.dialect = dialect::google})
            .findings.front()
            .code == diagnostic_code::unknown_key);
}

TEST_CASE("A byte order mark is skipped") {
  CHECK(record("\xEF\xBB\xBFUser-agent: *\n").directives.size() == 1);
  CHECK(record("\xEF\xBB\xBF").directives.empty());
}

TEST_CASE("A line that is too long is cut: a Disallow is kept, an Allow is dropped") {
  const std::string filler(robots::max_line_bytes, 'x');
  const std::string text =
      "User-agent: *\nDisallow: /" + filler + "\nAllow: /" + filler + "\nAllow: /ok\n";
  const auto seen = record(text);
  REQUIRE(seen.directives.size() == 3);
  CHECK(seen.directives[1].kind == robots::directive_kind::disallow);
  CHECK(seen.directives[1].value.size() == robots::max_line_bytes - 10);
  CHECK(seen.directives[2].value == "/ok");
  CHECK(codes("User-agent: *\nAllow: /" + filler) == list{diagnostic_code::line_too_long});
  const auto cut_line = record("User-agent: *\nAllow: /" + filler, {.dialect = dialect::google});
  CHECK(cut_line.directives.size() == 2);
}

TEST_CASE("A line that is cut inside an escape is cut before it") {
  std::string line = "Disallow: /";
  line += std::string(robots::max_line_bytes - line.size() - 2, 'x') + "%e3%83";
  const std::string text = "User-agent: *\n" + line + "\n";
  const auto seen = record(text);
  REQUIRE(seen.directives.size() == 2);
  CHECK(seen.directives[1].value.ends_with('x'));
  CHECK_FALSE(robots::parse(text).allows("/" + line.substr(11)));
}

TEST_CASE("A line that is cut inside a comment has no finding") {
  const std::string text =
      "User-agent: *\nAllow: /a # " + std::string(robots::max_line_bytes, 'x') + "\nDisallow: /\n";
  const auto seen = record(text);
  REQUIRE(seen.directives.size() == 3);
  CHECK(seen.directives[1].value == "/a");
  CHECK(seen.findings.empty());
}

TEST_CASE("A finding has the column where its subject begins") {
  const auto column = [](std::string_view text) { return record(text).findings.at(0).column; };
  CHECK(column("  Useragent: *\n") == 3);
  CHECK(column("User-agent: *\nDisallow:  x\n") == 12);
  CHECK(column("\n\t nonsense\n") == 3);
  CHECK(column("User-agent *\n") == 12);
  CHECK(column("Crawl-delay: -1") == 14);
  const std::string cut = "User-agent: " + std::string(robots::max_line_bytes, 'x');
  CHECK(column(cut) == robots::max_line_bytes + 1);
}

TEST_CASE("A file that is too long loses the cut line and has a finding") {
  const std::string_view text = "User-agent: *\nDisallow: /a\nAllow: /b\n";
  CHECK(codes(text, {.max_bytes = text.size()}).empty());
  for (std::size_t limit = 27; limit < 36; ++limit) {
    CAPTURE(limit);
    const auto seen = record(text, {.max_bytes = limit});
    CHECK(seen.directives.size() == 2);
    REQUIRE(seen.findings.size() == 1);
    CHECK(seen.findings[0].code == diagnostic_code::file_too_long);
  }
  CHECK(record(text, {.max_bytes = 36}).directives.size() == 3);
  CHECK(record(text, {.max_bytes = 26}).directives.size() == 2);
  CHECK(record(text, {.max_bytes = 0}).directives.empty());
  CHECK(record("User-agent: *\nDisallow: /", {.max_bytes = 25}).directives.size() == 2);
  CHECK(record("User-agent: *\nAllow: /", {.truncated = true}).directives.size() == 1);
  CHECK(record("User-agent: *\nAllow: /\n", {.truncated = true}).directives.size() == 2);
}

TEST_CASE("parse reads 512,000 octets by default") {
  const std::string last = "Disallow: /last\n";
  std::string text = "User-agent: *\n";
  while (text.size() + last.size() < 512'000) {
    text += '#';
  }
  text.replace(text.size() - 1, 1, "\n");
  text += last;
  REQUIRE(text.size() == 512'000);
  CHECK_FALSE(robots::parse(text).allows("/last"));
  CHECK(robots::parse("  " + text).allows("/last"));
}

TEST_CASE("scan counts lines and malformed lines") {
  recorder handler;
  const auto counts = robots::scan("# c\n\nUser-agent: *\nfoo bar baz\n<p>\nX: y\n", handler);
  CHECK(counts.non_blank == 4);
  CHECK(counts.malformed == 2);
}

TEST_CASE("A handler does not need on_diagnostic") {
  struct counter {
    void on_directive(const robots::directive&) { ++count; }
    int count = 0;
  } handler;
  robots::scan("nonsense\nUser-agent: *\n", handler);
  CHECK(handler.count == 1);
}

TEST_CASE("Any octets can be scanned") {
  std::string text;
  for (int first = 0; first < 256; ++first) {
    for (const char second : {'\n', ':', '\0', '\r', '#', ' '}) {
      text += static_cast<char>(first);
      text += second;
    }
  }
  CHECK(record(text).directives.size() < text.size());
  for (std::size_t size = 0; size < text.size(); ++size) {
    const std::string part = text.substr(0, size);  // sanitizers notice a read after its end
    CHECK(record(part).directives.size() <= size);
  }
}

}  // namespace

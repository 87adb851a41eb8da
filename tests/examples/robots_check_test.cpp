// What robots-check makes of its arguments. The network has no part in it: the demo shows that.
#include "run_program.hpp"
#include "support/temporary_folder.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace {

using nlohmann::json;
using robots::test::program_result;

constexpr std::string_view text =
    "User-agent: FerretBot\n"
    "Allow: /products/\n"
    "Disallow: /admin\n"
    "Crawl-delay: 1.5\n"
    "\n"
    "User-agent: *\n"
    "User-agent: other\n"
    "Disallow: /*.php$\n"
    "Crawl-delay: 5\n"
    "\n"
    "Sitemap: https://example.com/sitemap.xml\n"
    "Host: example.com\n";

program_result run(const std::vector<std::string>& arguments, std::string_view input = {}) {
  return robots::test::run_program(ROBOTS_CHECK_PROGRAM, arguments, input);
}

/// A robots.txt on the disk for as long as it lives.
class robots_file {
 public:
  explicit robots_file(std::string_view content = text)
      : path_((folder_.path() / "robots.txt").string()) {
    std::ofstream(path_, std::ios::binary) << content;
  }

  /// Runs robots-check with this file.
  [[nodiscard]] program_result check(std::initializer_list<std::string> more) const {
    std::vector<std::string> arguments{"--file", path_};
    arguments.insert(arguments.end(), more);
    return run(arguments);
  }

  /// The same with --json, for one line of output.
  [[nodiscard]] json check_json(std::initializer_list<std::string> more) const {
    std::vector<std::string> arguments{"--json", "--file", path_};
    arguments.insert(arguments.end(), more);
    return json::parse(run(arguments).output);
  }

  [[nodiscard]] const std::string& path() const noexcept { return path_; }

 private:
  robots::test::temporary_folder folder_;
  std::string path_;
};

std::vector<std::string> lines_of(const std::string& output) {
  std::vector<std::string> lines;
  std::istringstream stream(output);
  for (std::string line; std::getline(stream, line);) {
    lines.push_back(line);
  }
  return lines;
}

bool contains(const std::string& where, std::string_view what) {
  return where.find(what) != std::string::npos;
}

/// MATCH's part of an answer, its values in the order `allowed, directive, pattern, userAgent`.
json match_shape(const json& answer) {
  return json::array(
      {answer.at("allowed"), answer.at("directive"), answer.at("pattern"), answer.at("userAgent")});
}

/// Printable ASCII and line ends.
bool is_plain(const std::string& output) {
  return std::ranges::all_of(output, [](char c) { return (c >= ' ' && c <= '~') || c == '\n'; });
}

}  // namespace

TEST_CASE("robots-check returns 0 when all URLs are allowed and 1 when some are not") {
  const robots_file file;
  CHECK(file.check({"/a"}).status == 0);
  CHECK(file.check({"/a", "https://example.com/b?c"}).status == 0);
  CHECK(file.check({"/a.php"}).status == 1);
  CHECK(file.check({"/a.php", "/a"}).status == 1);
  CHECK(file.check({"--user-agent", "FerretBot/2.0 (+https://ferret.example)", "/a.php"}).status ==
        0);
  CHECK(file.check({"--user-agent=FerretBot", "/admin/users"}).status == 1);
}

TEST_CASE("robots-check returns 2 for bad usage, says why and prints nothing else") {
  const robots_file file;
  const std::vector<std::vector<std::string>> bad{
      {},
      {"--file", file.path()},
      {"--file", file.path(), "--unknown", "/a"},
      {"--file", file.path(), "/a", "-z"},
      {"--file", file.path(), "--fallback", "lenient", "/a"},
      {"--file", file.path(), "--dialect", "bing", "/a"},
      {"--file", file.path(), "--timeout", "-1", "/a"},
      {"--file", file.path(), "--timeout", "nan", "/a"},
      {"--file", file.path(), "--repeat", "0", "/a"},
      {"--file", file.path(), "--repeat", "1.5", "/a"},
      {"--file", file.path(), "--user-agent", "", "/a"},
      {"--file", file.path(), "--user-agent", "Foo\r\nBar", "/a"},
      {"--connect-to", "example.com", "https://example.com/"},
      {"--ca-file", file.path() + ".not", "https://example.com/"},
      {"--file", "-", "-"},
      {"-", "-"},
      {"--file"},
  };
  for (const std::vector<std::string>& arguments : bad) {
    const program_result result = run(arguments);
    CAPTURE(json(arguments).dump());
    CHECK(result.status == 2);
    CHECK(result.output.empty());
    CHECK(result.errors.starts_with("robots-check: "));
  }
}

TEST_CASE("robots-check returns 2 for a text that is no URL and answers the others") {
  const robots_file file;
  for (const char* const no_url :
       {"", "ftp://example.com/", "http://", "a b", "example.com:99999"}) {
    const program_result result = file.check({"/a", no_url, "/a.php"});
    CAPTURE(no_url);
    CHECK(result.status == 2);
    CHECK(lines_of(result.output).size() == 2);
    CHECK(contains(result.errors, '"' + std::string(no_url) + '"'));
  }
  CHECK(file.check_json({""}).at("reason") == "invalid_url");
  CHECK(run({"/path-without-a-site"}).status == 2);
}

TEST_CASE(
    "robots-check returns 2 for input that cannot be read and output that cannot be written") {
  const robots_file file;
  const program_result missing = run({"--file", file.path() + ".not", "/a"});
  CHECK(missing.status == 2);
  CHECK(contains(missing.errors, file.path() + ".not"));
  CHECK(contains(missing.errors, "No such file"));
  CHECK(run({"--file", "/", "/a"}).status == 2);
  CHECK(run({"--file", "", "/a"}).status == 2);
  if (std::filesystem::exists("/dev/full")) {
    const program_result full = robots::test::run_program(
        "/bin/sh",
        {"-c", "exec \"$0\" --file \"$1\" /a >/dev/full", ROBOTS_CHECK_PROGRAM, file.path()});
    CHECK(full.status == 2);
    CHECK(contains(full.errors, "cannot write"));
  }
}

TEST_CASE("robots-check tells its version and how it is used") {
  const program_result version = run({"--version"});
  CHECK(version.status == 0);
  CHECK(version.output.starts_with("robots-check "));
  const program_result help = run({"--help"});
  CHECK(help.status == 0);
  for (const char* const option :
       {"--user-agent", "--fallback", "--json", "--file", "--dialect", "--timeout", "--exclude",
        "--ca-file", "--connect-to", "--repeat", "--stats", "--timing", "--version"}) {
    CHECK(contains(help.output, option));
  }
}

TEST_CASE("a line for people names the rule, its line, the delay and the file") {
  const robots_file file;
  const program_result result =
      file.check({"--user-agent", "FerretBot", "/admin/x", "/products/1"});
  const std::vector<std::string> lines = lines_of(result.output);
  REQUIRE(lines.size() == 2);
  CHECK(lines[0].starts_with("not allowed  /admin/x "));
  CHECK(contains(lines[0], "Disallow: /admin (line 3, for ferretbot)"));
  CHECK(contains(lines[0], "delay 1.5 s"));
  CHECK(contains(lines[0], file.path()));
  CHECK(lines[1].starts_with("allowed      /products/1 "));
  CHECK(contains(lines[1], "Allow: /products/ (line 2, for ferretbot)"));
}

TEST_CASE("--json without a URL prints PARSE's shape") {
  const json expected = {{"groups", json::array({{{"userAgents", {"FerretBot"}},
                                                  {"allow", {"/products/"}},
                                                  {"disallow", {"/admin"}},
                                                  {"crawlDelay", 1.5}},
                                                 {{"userAgents", {"*", "other"}},
                                                  {"allow", json::array()},
                                                  {"disallow", {"/*.php$"}},
                                                  {"crawlDelay", 5}}})},
                         {"sitemaps", {"https://example.com/sitemap.xml"}},
                         {"host", "example.com"}};
  CHECK(robots_file().check_json({}) == expected);
  CHECK(robots_file("").check_json({}) ==
        json{{"groups", json::array()}, {"sitemaps", json::array()}, {"host", nullptr}});
  CHECK(robots_file("User-agent: a\nDisallow: /\n")
            .check_json({})
            .at("groups")
            .at(0)
            .at("crawlDelay") == nullptr);
}

TEST_CASE("--json prints MATCH's shape for each URL") {
  const robots_file file;
  const auto match = [&file](const std::string& agent, const std::string& url) {
    return match_shape(file.check_json({"--user-agent", agent, url}));
  };
  CHECK(match("FerretBot", "/products/1") == json{true, "allow", "/products/", "ferretbot"});
  CHECK(match("FERRETBOT/1.0", "/admin") == json{false, "disallow", "/admin", "ferretbot"});
  CHECK(match("FerretBot", "/else") == json{true, nullptr, nullptr, "ferretbot"});
  CHECK(match("StoatBot", "/a.php") == json{false, "disallow", "/*.php$", "*"});
  CHECK(match("StoatBot", "/else") == json{true, nullptr, nullptr, "*"});
  CHECK(match("StoatBot", "/robots.txt").at(0) == true);
}

TEST_CASE("--json tells the circumstances of an answer") {
  const robots_file file;
  const json rule = file.check_json({"https://example.com/x.php"});
  CHECK(rule.at("url") == "https://example.com/x.php");
  CHECK(rule.at("line") == 8);
  CHECK(rule.at("reason") == "rule");
  CHECK(rule.at("crawlDelay") == 5);
  const json& source = rule.at("source");
  CHECK(source.at("outcome") == "success");
  CHECK(source.at("status") == nullptr);
  CHECK(source.at("error") == nullptr);
  CHECK(source.at("errorText") == nullptr);
  CHECK(source.at("url") == file.path());
  CHECK(source.at("finalUrl") == file.path());
  CHECK(source.at("redirects") == 0);
  CHECK(source.at("ageSeconds").is_number());
  CHECK(source.at("fromCache") == false);

  const json nothing = file.check_json({"/x"});
  CHECK(nothing.at("line") == nullptr);
  CHECK(nothing.at("reason") == "no_rule");
  CHECK_FALSE(nothing.contains("elapsed"));
  CHECK_FALSE(nothing.contains("round"));
  CHECK(file.check_json({"--timing", "/x"}).at("elapsed").is_number());
}

TEST_CASE("hostile octets reach neither the terminal nor the JSON as they are") {
  const std::string hostile = "/\033[2J\033]0;x\a\r\xFF\xC2\x9B\\x";
  const robots_file file("User-agent: *\nDisallow: /\033[2J\xFF\xC2\x9B\nHost: \xFE\n");
  for (const char* const option : {"--timing", "--json"}) {
    const program_result result =
        file.check({option, hostile, "/\033[2J\xFF\xC2\x9B", "\033", "b\xFF"});
    CAPTURE(result.output);
    CHECK(is_plain(result.output));
    CHECK(is_plain(result.errors));
    CHECK(result.status == 2);
  }
  const json answer = file.check_json({"/\033[2J\xFF\xC2\x9B"});
  CHECK(answer.at("allowed") == false);
  CHECK(answer.at("pattern") == "/\033[2J\xEF\xBF\xBD\xC2\x9B");
  CHECK(is_plain(file.check({"--json"}).output));
  CHECK(is_plain(run({"--\033[2J"}).errors));
  CHECK(is_plain(run({"--file", "/\033[2J", "/a"}).errors));
}

TEST_CASE("- takes the rules or the URLs from standard input") {
  const robots_file file;
  CHECK(run({"--file", "-", "/a.php"}, text).status == 1);
  CHECK(run({"--file", "-", "/a"}, text).status == 0);
  CHECK(json::parse(run({"--file", "-", "--json"}, text).output).at("host") == "example.com");

  const program_result some = run({"--file", file.path(), "/first", "-", "/last"},
                                  "/a\r\n\nhttps://example.com/b.php\n/without-end");
  CHECK(some.status == 1);
  const std::vector<std::string> lines = lines_of(some.output);
  REQUIRE(lines.size() == 5);
  CHECK(contains(lines[0], " /first "));
  CHECK(contains(lines[1], " /a "));
  CHECK(contains(lines[2], " https://example.com/b.php "));
  CHECK(contains(lines[3], " /without-end "));
  CHECK(contains(lines[4], " /last "));
  CHECK(run({"--file", file.path(), "-"}).status == 0);
}

TEST_CASE("options that may be repeated take one value each") {
  const robots_file file;
  const program_result result = file.check(
      {"--exclude", "gov", "--exclude", ".mil", "https://a.gov/", "https://a.mil/", "/a"});
  const std::vector<std::string> lines = lines_of(result.output);
  REQUIRE(lines.size() == 3);
  CHECK(lines[0].starts_with("not allowed  https://a.gov/ "));
  CHECK(lines[1].starts_with("not allowed  https://a.mil/ "));
  CHECK(lines[2].starts_with("allowed "));
  CHECK(result.status == 1);
}

TEST_CASE("IPv6 literals and what follows -- are taken as they are") {
  const robots_file file;
  const program_result result = file.check({"--", "[::1]", "[::1]:8080", "http://[::1]/"});
  CHECK(result.status == 0);
  CHECK(contains(result.output, " [::1] "));
  CHECK(contains(result.output, " [::1]:8080 "));
}

TEST_CASE("--repeat and --stats show the cache at work") {
  const robots_file file;
  const program_result result =
      file.check({"--json", "--repeat", "2", "--stats", "/a", "https://example.com/b.php"});
  const std::vector<std::string> lines = lines_of(result.output);
  REQUIRE(lines.size() == 5);
  const json cold = json::parse(lines[0]);
  const json warm = json::parse(lines[2]);
  CHECK(cold.at("round") == 1);
  CHECK(cold.at("source").at("fromCache") == false);
  CHECK(warm.at("round") == 2);
  CHECK(warm.at("source").at("fromCache") == true);
  const json stats = json::parse(lines[4]).at("stats");
  CHECK(stats.at("misses") == 2);
  CHECK(stats.at("hits") == 2);
  CHECK(stats.at("hitRate") == 0.5);
  CHECK(stats.at("allowed") == 2);
  CHECK(stats.at("denied") == 2);
  CHECK(contains(file.check({"--stats", "/a"}).output, "cache statistics"));
}

TEST_CASE("--fallback strict denies by a file that is mostly garbage") {
  std::string garbage;
  for (int i = 0; i < 20; ++i) {
    garbage += "what is this\n";
  }
  const robots_file file(garbage);
  CHECK(file.check({"/a"}).status == 0);
  CHECK(file.check({"--fallback", "strict", "/a"}).status == 1);
  CHECK(file.check_json({"--fallback", "strict", "/a"}).at("source").at("outcome") == "malformed");
}

TEST_CASE("--dialect google reads a file as google/robotstxt does") {
  const robots_file file("User-agent: *\nDisallow: /\n");
  CHECK(file.check({"/robots.txt"}).status == 0);
  CHECK(file.check({"--dialect", "google", "/robots.txt"}).status == 1);
}

TEST_CASE("a file over the size limit is read up to it") {
  std::string long_text = "User-agent: *\nDisallow: /early\n";
  long_text.resize(512'000 - 8, '#');
  const robots_file file(long_text + "\nDisallow: /late\n");
  CHECK(file.check({"/early"}).status == 1);
  CHECK(file.check({"/late"}).status == 0);
  CHECK(file.check_json({}).at("groups").at(0).at("disallow") == json{"/early"});
}

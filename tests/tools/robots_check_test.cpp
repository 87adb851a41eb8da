// The arguments and the output of robots-check, mostly without a network. robots-demo asks sites.
#include "support/loopback_server.hpp"
#include "support/run_program.hpp"
#include "support/temporary_folder.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

using nlohmann::json;
using std::string_view_literals::operator""sv;
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

const std::vector<std::string> commands{"check",
                                        "fetch",
                                        "parse",
                                        "lint",
                                        "diff",
                                        "audit verify",
                                        "audit report",
                                        "store list",
                                        "store erase",
                                        "store override",
                                        "rulings list",
                                        "rulings halt",
                                        "rulings resume",
                                        "rulings override",
                                        "rulings sign-off",
                                        "rulings import"};

/// Runs a command of one or two words.
program_result run_command(const std::string& command, const std::vector<std::string>& more) {
  const std::size_t space = command.find(' ');
  std::vector<std::string> arguments{command.substr(0, space)};
  if (space != std::string::npos) {
    arguments.push_back(command.substr(space + 1));
  }
  arguments.insert(arguments.end(), more.begin(), more.end());
  return run(arguments);
}

/// A robots.txt on the disk. The destructor deletes it.
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

  /// Returns the one line that robots-check prints with this file and --json.
  [[nodiscard]] json check_json(std::initializer_list<std::string> more) const {
    std::vector<std::string> arguments{"--json", "--file", path_};
    arguments.insert(arguments.end(), more);
    return json::parse(run(arguments).output);
  }

  /// Returns the output of `robots-check parse` for this file.
  [[nodiscard]] json parsed() const { return json::parse(run({"parse", path_}).output); }

  [[nodiscard]] const std::string& path() const noexcept { return path_; }

 private:
  robots::test::temporary_folder folder_;
  std::string path_;
};

bool contains(const std::string& whole, std::string_view part) {
  return whole.find(part) != std::string::npos;
}

/// Returns the members of an answer that MATCH prints, in the order `allowed, directive, pattern,
/// userAgent`.
json match_shape(const json& answer) {
  return json::array(
      {answer.at("allowed"), answer.at("directive"), answer.at("pattern"), answer.at("userAgent")});
}

/// Undoes the `\xNN` of --json.
std::string octets(std::string written) {
  for (std::size_t index = 0; (index = written.find("\\x", index)) != std::string::npos; ++index) {
    written.replace(index, 4, 1,
                    static_cast<char>(std::stoi(written.substr(index + 2, 2), nullptr, 16)));
  }
  return written;
}

/// Returns true for printable ASCII and line ends.
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

TEST_CASE("robots-check returns 2 for a wrong command line and prints only the reason") {
  const robots_file file;
  const std::vector<std::vector<std::string>> bad{
      {},
      {"check"},
      {"audit"},
      {"audit", "report"},
      {"audit", "list"},
      {"store"},
      {"parse"},
      {"parse", file.path(), file.path()},
      {"parse", "--json", file.path()},
      {"--file", file.path()},
      {"--file", file.path(), "--unknown", "/a"},
      {"--file", file.path(), "/a", "-z"},
      {"--file", file.path(), "--fallback", "lenient", "/a"},
      {"--file", file.path(), "--dialect", "bing", "/a"},
      {"--file", file.path(), "--timeout", "-1", "/a"},
      {"--file", file.path(), "--timeout", "nan", "/a"},
      {"--file", file.path(), "--attempts", "0", "/a"},
      {"--file", file.path(), "--repeat", "0", "/a"},
      {"--file", file.path(), "--repeat", "1.5", "/a"},
      {"--file", file.path(), "--user-agent", "", "/a"},
      {"--file", file.path(), "--user-agent", "Foo\r\nBar", "/a"},
      {"--connect-to", "example.com", "https://example.com/"},
      {"--allow-address", "localhost", "https://example.com/"},
      {"--allow-address", "127.0.0.1/8", "https://example.com/"},
      {"--ca-file", file.path() + ".not", "https://example.com/"},
      {"--file", "-", "-"},
      {"-", "-"},
      {"--file"},
      {"lint"},
      {"lint", "-", "-"},
      {"lint", file.path(), "--file", file.path()},
      {"lint", file.path(), "--explain"},
      {"lint", file.path(), "--dialect", "bing"},
      {"--explain"},
      {"--lint", file.path()},
  };
  for (const std::vector<std::string>& arguments : bad) {
    const program_result result = run(arguments);
    CAPTURE(json(arguments).dump());
    CHECK(result.status == 2);
    CHECK(result.output.empty());
    CHECK(result.errors.starts_with("robots-check: "));
  }
}

TEST_CASE("An error names the value that is wrong and says what to do") {
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases{
      {{}, "nothing to do: give URLs or a command\nRun \"robots-check --help\""},
      {{"--fallback", "lenient", "a.example"},
       "\"lenient\" is not one of permissive, rfc9309, strict\nRun \"robots-check check --help\""},
      {{"--timeout", "nan", "a.example"}, "\"nan\" is not a number of seconds from 0 to 1000000"},
      {{"--repeat", "1.5", "a.example"}, "\"1.5\" is not a whole number from 1 to 1000000"},
      {{"lint", "--explain", "a.txt"},
       "there is no option \"--explain\"\nRun \"robots-check lint "},
      {{"diff", "a.txt"}, "there are not enough arguments: give OLD NEW\n"},
      {{"diff", "a", "b", "c"}, "\"c\" is an argument too many: give only OLD NEW"},
      {{"audit", "verfy"}, "\"verfy\" is not a command: give audit verify or audit report"},
      {{"--attempts", "1", "--attempts", "2", "a.example"}, "--attempts: give one value\n"},
      {{"--user-agent"}, "--user-agent: give one value\n"},
      {{"store"}, "give store list, store erase or store override"},
      {{"rulings"}, "give rulings list, rulings halt, rulings resume, rulings override"},
      {{"store", "list", "memory"}, "\"memory\" is not a store: give sqlite:PATH or redis://HOST"},
  };
  for (const auto& [arguments, message] : cases) {
    const program_result result = run(arguments);
    CAPTURE(json(arguments).dump());
    CHECK(result.status == 2);
    CHECK_MESSAGE(contains(result.errors, message), result.errors);
  }
}

TEST_CASE("A host can have the name of a command") {
  const robots_file file;
  CHECK(contains(run({"check", "--file", file.path(), "lint"}).output, "allowed      lint "));
  CHECK(contains(file.check({"lint"}).output, "allowed      lint "));
}

TEST_CASE("The options about answers are accepted only by the command check") {
  const robots_file file;
  const std::vector<std::vector<std::string>> modes{
      {"lint", file.path()},
      {"parse", file.path()},
      {"diff", file.path(), file.path()},
      {"audit", "verify", file.path()},
      {"audit", "report", file.path()},
      {"store", "list", "sqlite:" + file.path() + ".sqlite"},
      {"store", "erase", "sqlite:" + file.path() + ".sqlite", "example.com"}};
  for (const std::vector<std::string>& mode : modes) {
    for (const std::vector<std::string>& option : std::vector<std::vector<std::string>>{
             {"--stats"}, {"--timing"}, {"--repeat", "2"}, {"--explain"}}) {
      std::vector<std::string> arguments = mode;
      arguments.insert(arguments.end(), option.begin(), option.end());
      const program_result result = run(arguments);
      CAPTURE(json(arguments).dump());
      CHECK(result.status == 2);
      CHECK(result.output.empty());
      CHECK(contains(result.errors, "there is no option \"" + option.front() + '"'));
    }
  }
}

TEST_CASE("robots-check returns 2 for a text that is not a URL, and answers the other URLs") {
  const robots_file file;
  for (const char* const no_url :
       {"", "ftp://example.com/", "http://", "a b", "example.com:99999"}) {
    const program_result result = file.check({"/a", no_url, "/a.php"});
    CAPTURE(no_url);
    CHECK(result.status == 2);
    CHECK(result.lines().size() == 2);
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

TEST_CASE("The help of robots-check fits on one screen and names every command") {
  CHECK(run({"--version"}).output.starts_with("robots-check "));
  const program_result help = run({"--help"});
  CHECK(help.status == 0);
  CHECK(help.lines().size() <= 24);
  CHECK(run({"help"}).output == help.output);
  for (const std::string& command : commands) {
    // The commands of rulings share a line.
    const bool is_alone = contains(help.output, "\n  " + command + ' ');
    const std::string second = command.substr(command.find(' ') + 1);
    const bool is_in_list = command.starts_with("rulings ") && contains(help.output, second);
    CHECK_MESSAGE((is_alone || is_in_list), command);
  }
}

TEST_CASE("The help of each command has its options, its exit statuses and examples") {
  for (const std::string& command : commands) {
    const program_result help = run_command(command, {"--help"});
    CAPTURE(command);
    CHECK(help.status == 0);
    CHECK(help.output.starts_with("Usage: robots-check " + command + " [OPTION]... "));
    CHECK(contains(help.output, "\nExit status: 0 "));
    CHECK(contains(help.output, "\nExamples:\n  robots-check "));
    CHECK(std::ranges::all_of(help.lines(),
                              [](const std::string& line) { return line.size() <= 80; }));
  }
}

TEST_CASE("Bash completes the commands and options that robots-check has, and no others") {
  if (!std::filesystem::exists("/bin/bash")) {
    MESSAGE("skipped: /bin/bash is missing");
    return;
  }
  const auto completions = [](const std::string& typed) {
    const std::string script =
        ". \"$0\"; COMP_WORDS=($1 \"$2\"); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _robots_check; "
        "[[ -z $COMPREPLY ]] || printf '%s\\n' \"${COMPREPLY[@]}\"";
    const std::size_t space = typed.rfind(' ');
    const program_result completed = robots::test::run_program(
        "/bin/bash",
        {"-c", script, ROBOTS_CHECK_COMPLETION, typed.substr(0, space), typed.substr(space + 1)});
    CHECK(completed.errors.empty());
    const std::vector<std::string> lines = completed.lines();
    return std::set<std::string>(lines.begin(), lines.end());
  };
  using names = std::set<std::string>;
  names first;
  std::map<std::string, names> second;
  for (const std::string& command : commands) {
    const std::string word = command.substr(0, command.find(' '));
    first.insert(word);
    if (word != command) {
      second[word].insert(command.substr(word.size() + 1));
    }
    names options;
    const std::string help = run_command(command, {"--help"}).output;
    for (std::size_t i = help.find("\n  -"); i != std::string::npos;
         i = help.find("\n  -", i + 1)) {
      const std::size_t start = help.find("--", i);
      options.insert(help.substr(start, help.find_first_of(" =\n", start) - start));
    }
    CAPTURE(command);
    CHECK(options.contains("--help"));
    CHECK(completions("robots-check " + command + " --") == options);
  }
  CHECK(completions("robots-check ") == first);
  for (const auto& [word, words] : second) {
    CHECK(completions("robots-check " + word + ' ') == words);
  }
  CHECK(completions("robots-check --v") == names{"--version"});
  CHECK(completions("robots-check --fallback ") == names{"permissive", "rfc9309", "strict"});
  CHECK(completions("robots-check store override sqlite:a ") == names{"allow", "deny", "none"});
  CHECK(completions("robots-check lint ").empty());
}

TEST_CASE("robots-check shows progress on a terminal and nowhere else") {
  const robots_file file;
  const auto run_on_terminal = [&](const std::string& redirection) {
    return robots::test::run_program(
        "/usr/bin/script",
        {"-qefc",
         std::string{ROBOTS_CHECK_PROGRAM} + " --file " + file.path() + " /a /b /c " + redirection,
         "/dev/null"});
  };
  if (!std::filesystem::exists("/usr/bin/script")) {
    MESSAGE("skipped: /usr/bin/script is missing");
    return;
  }
  CHECK(contains(run_on_terminal(">/dev/null").output, "URLs answered, 0 s"));
  CHECK_FALSE(contains(run_on_terminal("").output, "URLs answered"));
  CHECK(file.check({"/a"}).errors.empty());
}

TEST_CASE("A line without --json has the rule, its line, the delay and the file") {
  const robots_file file;
  const program_result result =
      file.check({"--user-agent", "FerretBot", "/admin/x", "/products/1"});
  const std::vector<std::string> lines = result.lines();
  REQUIRE(lines.size() == 2);
  CHECK(lines[0].starts_with("not allowed  /admin/x "));
  CHECK(contains(lines[0], "Disallow: /admin (line 3, for FerretBot)"));
  CHECK(contains(lines[0], "delay 1.5 s"));
  CHECK(contains(lines[0], file.path()));
  CHECK(lines[1].starts_with("allowed      /products/1 "));
  CHECK(contains(lines[1], "Allow: /products/ (line 2, for FerretBot)"));
}

TEST_CASE("parse prints the JSON of PARSE") {
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
  CHECK(robots_file().parsed() == expected);
  CHECK(robots_file("").parsed() ==
        json{{"groups", json::array()}, {"sitemaps", json::array()}, {"host", nullptr}});
  CHECK(robots_file("User-agent: a\nDisallow: /\n").parsed().at("groups").at(0).at("crawlDelay") ==
        nullptr);
}

TEST_CASE("--json prints the JSON of MATCH for each URL") {
  const robots_file file;
  const auto match = [&file](const std::string& agent, const std::string& url) {
    return match_shape(file.check_json({"--user-agent", agent, url}));
  };
  CHECK(match("FerretBot", "/products/1") == json{true, "allow", "/products/", "FerretBot"});
  CHECK(match("FERRETBOT/1.0", "/admin") == json{false, "disallow", "/admin", "FERRETBOT"});
  CHECK(match("FerretBot", "/else") == json{true, nullptr, nullptr, "FerretBot"});
  CHECK(match("StoatBot", "/a.php") == json{false, "disallow", "/*.php$", "*"});
  CHECK(match("StoatBot", "/else") == json{true, nullptr, nullptr, "*"});
  CHECK(match("StoatBot", "/robots.txt").at(0) == true);
}

TEST_CASE("--json prints the source of an answer") {
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

TEST_CASE("Hostile octets are escaped on the terminal and in the JSON") {
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
  CHECK(answer.at("pattern") == "/\033[2J\\xFF\xC2\x9B");
  CHECK(is_plain(run({"parse", file.path()}).output));
  CHECK(is_plain(run({"--\033[2J"}).errors));
  CHECK(is_plain(run({"--file", "/\033[2J", "/a"}).errors));
}

TEST_CASE("Different octets are different in --json, and valid UTF-8 is readable") {
  const robots_file file("User-agent: *\nDisallow: /\xC3\xA9\n");
  std::vector<json> seen;
  for (const std::string url : {"/a\xFF", "/a\xFE", "/a\xEF\xBF\xBD", "/a%FF", "/a\\xFF", "/a\xC3",
                                "/a\\", "/\xC3\xA9", "https://example.com/\xFF?\xC3\xA9"}) {
    const json answer = file.check_json({url});
    CAPTURE(answer.dump());
    CHECK(octets(answer.at("url")) == url);
    CHECK(std::ranges::find(seen, answer.at("url")) == seen.end());
    seen.push_back(answer.at("url"));
  }
  CHECK(seen.front() == R"(/a\xFF)");
  CHECK(seen.back() == "https://example.com/\\xFF?\xC3\xA9");

  const robots::test::temporary_folder folder;
  const std::string name = (folder.path() / "\xFF.txt").string();
  std::ofstream(name, std::ios::binary) << "User-agent: *\nDisallow /\xFE\n";
  const json answer = json::parse(run({"--json", "--explain", "--file", name, "/\xFE"}).output);
  CHECK(octets(answer.at("source").at("url")) == name);
  CHECK(octets(answer.at("source").at("finalUrl")) == name);
  CHECK(octets(answer.at("explain").at("matches").at(0).at("pattern")) == "/\xFE");
  const program_result linted = run({"lint", "--json", name});
  CHECK(octets(json::parse(linted.lines().at(0)).at("file")) == name);
  const json change = json::parse(run({"diff", "--json", name, file.path()}).output);
  CHECK(std::ranges::any_of(change.at("rules"), [](const json& rule) {
    return !rule.at("before").is_null() && octets(rule.at("before").at("pattern")) == "/\xFE";
  }));
}

TEST_CASE("The argument - reads the rules or the URLs from standard input") {
  const robots_file file;
  CHECK(run({"--file", "-", "/a.php"}, text).status == 1);
  CHECK(run({"--file", "-", "/a"}, text).status == 0);
  CHECK(json::parse(run({"parse", "-"}, text).output).at("host") == "example.com");

  const program_result some = run({"--file", file.path(), "/first", "-", "/last"},
                                  "/a\r\n\nhttps://example.com/b.php\n/without-end");
  CHECK(some.status == 1);
  const std::vector<std::string> lines = some.lines();
  REQUIRE(lines.size() == 5);
  CHECK(contains(lines[0], " /first "));
  CHECK(contains(lines[1], " /a "));
  CHECK(contains(lines[2], " https://example.com/b.php "));
  CHECK(contains(lines[3], " /without-end "));
  CHECK(contains(lines[4], " /last "));
  CHECK(run({"--file", file.path(), "-"}).status == 0);
}

TEST_CASE("A list of URLs may have a byte order mark, comments, and blanks around its URLs") {
  const robots_file file;
  const program_result listed = run(
      {"--file", file.path(), "-"},
      "\xEF\xBB\xBF# the list of Monday\n /a\t\r\n\t# /b.php\n   \n\t https://example.com/c#d \n");
  CHECK(listed.status == 0);
  CHECK(listed.errors.empty());
  const std::vector<std::string> lines = listed.lines();
  REQUIRE(lines.size() == 2);
  CHECK(lines[0].starts_with("allowed      /a "));
  CHECK(lines[1].starts_with("allowed      https://example.com/c#d "));

  const program_result first = run({"--file", file.path(), "-"}, "\xEF\xBB\xBF/a\n");
  CHECK(first.status == 0);
  CHECK(first.lines().size() == 1);
  // Only the first line can begin with a byte order mark.
  CHECK(run({"--file", file.path(), "-"}, "/a\n\xEF\xBB\xBF/b\n").status == 2);
}

TEST_CASE("A line of standard input over 65,536 octets is skipped and reported") {
  const robots_file file;
  const std::string longest = "/" + std::string(65'535, 'a');
  const program_result whole =
      run({"--file", file.path(), "--json", "-"}, longest + "\r\n" + longest + "\n" + longest);
  CHECK(whole.status == 0);
  CHECK(whole.errors.empty());
  REQUIRE(whole.lines().size() == 3);
  CHECK(json::parse(whole.lines()[0]).at("url") == longest);

  for (const std::string& too_long : {longest + "a", longest + "a\r", std::string(200'000, 'a')}) {
    const program_result some =
        run({"--file", file.path(), "-"}, "/a\n\n" + too_long + "\n/b\n" + too_long);
    CHECK(some.status == 2);
    CHECK(some.lines().size() == 2);
    CHECK(contains(some.output, " /b "));
    CHECK(some.errors ==
          "robots-check: line 3 of standard input is skipped: a URL has at most 65536 octets\n"
          "robots-check: line 5 of standard input is skipped: a URL has at most 65536 octets\n");
  }
}

TEST_CASE("An option that can be repeated accepts one value each time") {
  const robots_file file;
  const program_result result = file.check(
      {"--exclude", "gov", "--exclude", ".mil", "https://a.gov/", "https://a.mil/", "/a"});
  const std::vector<std::string> lines = result.lines();
  REQUIRE(lines.size() == 3);
  CHECK(lines[0].starts_with("not allowed  https://a.gov/ "));
  CHECK(lines[1].starts_with("not allowed  https://a.mil/ "));
  CHECK(lines[2].starts_with("allowed "));
  CHECK(result.status == 1);
}

TEST_CASE("IPv6 literals, and arguments after --, are read as they are") {
  const robots_file file;
  const program_result result = file.check({"--", "[::1]", "[::1]:8080", "http://[::1]/"});
  CHECK(result.status == 0);
  CHECK(contains(result.output, " [::1] "));
  CHECK(contains(result.output, " [::1]:8080 "));
}

#ifdef ROBOTS_CHECK_IDN
TEST_CASE("robots-check reads an international host in UTF-8, percent-encoded or in ASCII form") {
  const robots_file file;
  for (const char* const host :
       {"b\xC3\xBC\x63her.example", "b%C3%BCcher.example", "xn--bcher-kva.example"}) {
    CAPTURE(host);
    const std::string site = std::string{"https://"} + host;
    const program_result result = file.check({site + "/a", site + "/a.php"});
    CHECK(result.status == 1);
    CHECK(result.errors.empty());
    CHECK(result.lines().size() == 2);
    CHECK(file.check_json({"--exclude", "xn--bcher-kva.example", site + "/a"}).at("reason") ==
          "excluded");
    CHECK(file.check_json({"--exclude", "b\xC3\xBC\x63her.example", site + "/a"}).at("reason") ==
          "excluded");
  }
  const program_result wrong = file.check({"https://\xF0\x9F\xA4\x96\xEF\xBF\xBF.example/"});
  CHECK(wrong.status == 2);
  CHECK(contains(wrong.errors, "has no ASCII form: correct it"));
}
#endif

TEST_CASE("--file reads a target without scheme and slash as a host and warns of that once") {
  const robots_file file{"User-agent: *\nDisallow: /users\nDisallow: /admin\n"};
  const auto answered = [&file](const std::string& target) {
    return file.check({"--json", "--explain", target});
  };
  const program_result host = answered("example.com/users");
  CHECK(host.errors ==
        "robots-check: warning: \"example.com/users\" is read as the host example.com and the path "
        "/users: write https://example.com/users for a URL or /example.com/users for a path\n");
  const json why = json::parse(host.output);
  CHECK(why.at("pattern") == "/users");
  CHECK(why.at("explain").at("target") == "/users");
  CHECK(why.at("explain").at("matches").at(0).at("pattern") == "/users");

  CHECK(contains(answered("admin/users").errors, "the host admin and the path /users"));
  CHECK(contains(answered("index.html").errors, "the host index.html and the path /:"));
  CHECK(is_plain(answered("a\xFF/\x1B").errors));
  for (const char* const clear : {"/example.com/users", "https://example.com/users", "[::1]/users",
                                  "HTTP://example.com/users"}) {
    CAPTURE(clear);
    CHECK(answered(clear).errors.empty());
  }
  const std::string errors = file.check({"a.example", "b.example", "--repeat", "2"}).errors;
  CHECK(std::ranges::count(errors, '\n') == 1);
}

TEST_CASE("--repeat and --stats show hits and misses of the cache") {
  const robots_file file;
  const program_result result =
      file.check({"--json", "--repeat", "2", "--stats", "/a", "https://example.com/b.php"});
  const std::vector<std::string> lines = result.lines();
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
  for (const char* none :
       {"staleHits", "notModified", "storageFailures", "quarantined", "openBreakers"}) {
    CHECK(stats.at(none) == 0);
  }
  CHECK(contains(file.check({"--stats", "/a"}).output, "cache statistics"));
}

TEST_CASE("--fallback strict denies a file that is mostly malformed") {
  std::string garbage;
  for (int i = 0; i < 20; ++i) {
    garbage += "what is this\n";
  }
  const robots_file file(garbage);
  CHECK(file.check({"/a"}).status == 0);
  CHECK(file.check({"--fallback", "strict", "/a"}).status == 1);
  CHECK(file.check_json({"--fallback", "strict", "/a"}).at("source").at("outcome") == "malformed");
}

TEST_CASE("--dialect google reads a file like google/robotstxt") {
  const robots_file file("User-agent: *\nDisallow: /\n");
  CHECK(file.check({"/robots.txt"}).status == 0);
  CHECK(file.check({"--dialect", "google", "/robots.txt"}).status == 1);
}

TEST_CASE("A file above the size limit is read up to the limit") {
  std::string long_text = "User-agent: *\nDisallow: /early\n";
  long_text.resize(512'000 - 8, '#');
  const robots_file file(long_text + "\nDisallow: /late\n");
  CHECK(file.check({"/early"}).status == 1);
  CHECK(file.check({"/late"}).status == 0);
  CHECK(file.parsed().at("groups").at(0).at("disallow") == json{"/early"});
}

TEST_CASE("lint prints a line for each mistake in the order of the file, and counts them") {
  const robots_file file(
      "User-agent: *\nDisallow /x\nfoo\nSitemap: /s\nAllow: /x\nDisallow: /y\nDisallow: /y\n");
  const program_result result = run({"lint", file.path()});
  CHECK(result.status == 1);
  CHECK(result.errors.empty());
  const std::vector<std::string> lines = result.lines();
  REQUIRE(lines.size() == 6);
  CHECK(lines[0] ==
        file.path() + ":2:10: warning: write a colon between key and value " + "[missing_colon]");
  CHECK(lines[1].starts_with(file.path() + ":2:"));
  CHECK(lines[1].ends_with(" [shadowed_rule]"));
  CHECK(lines[2].starts_with(file.path() + ":3:1: error: "));
  CHECK(lines[2].ends_with(" [malformed_line]"));
  CHECK(lines[3].starts_with(file.path() + ":4:10: warning: "));
  CHECK(lines[3].ends_with(" [relative_sitemap]"));
  CHECK(lines[4].starts_with(file.path() + ":7:11: note: "));
  CHECK(lines[4].ends_with(" [duplicate_rule]"));
  CHECK(lines[5] == "1 error, 3 warnings, 1 note");
}

TEST_CASE("lint returns 1 for warnings and errors, and 0 for notes") {
  const auto lint = [](std::string_view content) { return run({"lint", "-"}, content); };
  CHECK(lint("").status == 0);
  CHECK(lint("").output == "0 errors, 0 warnings, 0 notes\n");
  CHECK(lint(text).status == 0);
  const program_result note = lint("User-agent: a\nDisallow: /\nUnknown: 1\n");
  CHECK(note.status == 0);
  CHECK(note.output.starts_with("standard input:3:1: note: "));
  CHECK(note.output.ends_with("\n0 errors, 0 warnings, 1 note\n"));
  CHECK(lint("User-agent: a\nDisallow /\n").status == 1);
  CHECK(lint("Disallow: /\n").status == 1);
}

TEST_CASE("lint --json prints an object for each mistake and nothing else") {
  const robots_file file("User-agent: *\nDisallow /x\nfoo\n");
  const program_result result = run({"lint", "--json", file.path()});
  CHECK(result.status == 1);
  const std::vector<std::string> lines = result.lines();
  REQUIRE(lines.size() == 2);
  CHECK(json::parse(lines[0]) == json{{"file", file.path()},
                                      {"line", 2},
                                      {"column", 10},
                                      {"severity", "warning"},
                                      {"code", "missing_colon"},
                                      {"text", "write a colon between key and value"}});
  CHECK(json::parse(lines[1]).at("code") == "malformed_line");
  const program_result clean = run({"lint", "-", "--json"}, text);
  CHECK(clean.status == 0);
  CHECK(clean.output.empty());
}

TEST_CASE("lint reads a file in the dialect of --dialect") {
  // In RFC 9309, %7E equals ~. google/robotstxt does not decode %7E, so the rules differ.
  const robots_file file("User-agent: *\nDisallow: /%7Ea\nDisallow: /~a\n");
  CHECK(contains(run({"lint", file.path()}).output, "[duplicate_rule]"));
  CHECK_FALSE(
      contains(run({"lint", file.path(), "--dialect", "google"}).output, "[duplicate_rule]"));
}

TEST_CASE("lint warns of a file above the size limit") {
  const robots_file file("User-agent: *\nDisallow: /a\n#" + std::string(512'000, '#') + "\n");
  const program_result result = run({"lint", file.path()});
  CHECK(result.status == 1);
  CHECK(contains(result.output, "[file_too_long]"));
}

TEST_CASE("lint fetches the robots.txt of a site and names its URL") {
  robots::test::loopback_server server;
  server.get("/robots.txt", "User-agent: *\nDisallow /x\n");
  const auto lint = [](const std::string& url) {
    return run({"lint", "--allow-address", "127.0.0.0/8", "-a", "FooBot/1.0", url});
  };
  for (const std::string path : {"/robots.txt", "/", "/page?a=b"}) {
    const program_result found = lint(server.url(path));
    CAPTURE(path);
    CHECK(found.status == 1);
    CHECK(found.errors.empty());
    CHECK(found.lines().at(0) == server.url("/robots.txt") +
                                     ":2:10: warning: write a colon between key and value "
                                     "[missing_colon]");
  }
  CHECK(server.last_request().header("User-Agent") == "FooBot/1.0");
  CHECK(server.requests("/robots.txt") == 3);

  server.get("/robots.txt", robots::test::redirect_to("/moved.txt"));
  server.get("/moved.txt", "foo\n");
  CHECK(lint(server.url()).output.starts_with(server.url("/moved.txt") + ":1:1: error: "));

  std::string utf16;
  for (const char c : std::string{"User-agent: *\nDisallow: /x\n"}) {
    utf16 += c;
    utf16 += '\0';
  }
  server.get("/robots.txt", robots::test::loopback_reply{
                                .body = utf16, .content_type = "text/plain; charset=utf-16le"});
  CHECK(lint(server.url()).status == 0);

  server.get("/robots.txt", "User-agent: *\nDisallow: /x\n");
  const program_result clean = lint(server.url());
  CHECK(clean.status == 0);
  CHECK(clean.output == "0 errors, 0 warnings, 0 notes\n");
}

TEST_CASE("fetch prints each hop of a page, and follows no redirect into a forbidden page") {
  robots::test::loopback_server server;
  server.get("/robots.txt", "User-agent: *\nDisallow: /private\nContent-Signal: ai-train=no\n");
  server.get("/old", robots::test::redirect_to("/new"));
  server.get("/new", robots::test::loopback_reply{.body = "a page", .content_type = "text/plain"});
  server.get("/bad", robots::test::redirect_to("/private/x"));
  server.get("/private/x", "secret");
  const auto fetch = [](std::vector<std::string> more) {
    more.insert(more.begin(), {"fetch", "--allow-address", "127.0.0.0/8", "-a", "FooBot/1.0"});
    return run(more);
  };
  const program_result page = fetch({server.url("/old")});
  CHECK(page.status == 0);
  CHECK(page.errors.empty());
  const std::vector<std::string> lines = page.lines();
  REQUIRE(lines.size() == 3);
  CHECK(lines[0].starts_with(server.url("/old") + ": allowed: no rule matches; waited "));
  CHECK(contains(lines[0], "; 302 after "));
  CHECK(lines[1].starts_with(server.url("/new") + ": allowed: no rule matches; waited "));
  CHECK(contains(lines[1], "; 200 after "));
  CHECK(lines[2] == "  answered with 200, 6 octets");
  CHECK(server.last_request().header("User-Agent") == "FooBot/1.0");

  const program_result bad = fetch({"--json", "--purpose", "ai_train", server.url("/bad"), "x:y"});
  CHECK(bad.status == 2);
  const json forbidden = json::parse(bad.lines().at(0));
  CHECK(forbidden["end"] == "refused");
  CHECK(forbidden["finalUrl"] == server.url("/private/x"));
  CHECK(forbidden["octets"] == nullptr);
  REQUIRE(forbidden["hops"].size() == 2);
  CHECK(forbidden["hops"][0]["status"] == 302);
  CHECK(forbidden["hops"][1]["reason"] == "disallowed");
  CHECK(forbidden["hops"][1]["status"] == nullptr);
  CHECK(json::parse(bad.lines().at(1))["hops"][0]["reason"] == "invalid_url");
  CHECK(server.requests("/private/x") == 0);

  const program_result use = fetch({"--purpose", "ai_train", server.url("/new")});
  CHECK(use.status == 1);
  CHECK(use.lines().back() == "  ai_train: no: Content-Signal \"ai-train=no\", line 3, for *");
}

TEST_CASE("lint returns 2 for a site without a robots.txt, and says why") {
  robots::test::loopback_server server;
  const auto lint = [](const std::string& url) {
    return run({"lint", "--allow-address", "127.0.0.0/8", url});
  };
  const program_result none = lint(server.url());
  CHECK(none.status == 2);
  CHECK(none.output.empty());
  CHECK(none.errors == "robots-check: there is no file to read at " + server.url("/robots.txt") +
                           ": not_found, HTTP 404\n");
  const program_result refused = run({"lint", server.url()});
  CHECK(refused.status == 2);
  CHECK(contains(refused.errors, server.url("/robots.txt") + ": refused, refused_address: "));
  CHECK(contains(lint("https://example.com:99999/").errors, "the port \"99999\" is not a number"));
}

TEST_CASE("lint returns 2 for input that cannot be read and output that cannot be written") {
  const robots_file file;
  for (const std::string& name : {file.path() + ".not", std::string{"/"}, std::string{}}) {
    const program_result missing = run({"lint", name});
    CAPTURE(name);
    CHECK(missing.status == 2);
    CHECK(missing.output.empty());
    CHECK(missing.errors.starts_with("robots-check: cannot read \"" + name + '"'));
  }
  if (std::filesystem::exists("/dev/full")) {
    const program_result full = robots::test::run_program(
        "/bin/sh", {"-c", "exec \"$0\" lint \"$1\" >/dev/full", ROBOTS_CHECK_PROGRAM, file.path()});
    CHECK(full.status == 2);
    CHECK(contains(full.errors, "cannot write"));
  }
}

TEST_CASE("lint and --explain print no control characters") {
  const robots::test::temporary_folder folder;
  const std::string name = (folder.path() / "\033[2J\xFF\n.txt").string();
  std::ofstream(name, std::ios::binary)
      << "User-agent: \033[2J\nUser-agent: *\nDisallow: /\033[2J\xFF\xC2\x9B\n"
         "\xFE\033\a\nDisallow: /\0x\n"sv;
  const program_result found = run({"lint", name});
  CHECK(found.status == 1);
  CHECK(is_plain(found.output));
  CHECK(contains(found.output, "\\x1B[2J\\xFF\\x0A.txt:"));
  const program_result objects = run({"lint", name, "--json"});
  CHECK(is_plain(objects.output));
  CHECK(json::parse(objects.lines().at(0)).at("file").is_string());
  CHECK(is_plain(run({"lint", name + "\033"}).errors));

  const std::string target = "/\033[2J\xFF\xC2\x9B";
  const program_result people = run({"--file", name, "--explain", "-a", "A\033", target});
  CHECK(is_plain(people.output));
  CHECK(is_plain(people.errors));
  const program_result why = run({"--file", name, "--explain", target});
  CHECK(why.status == 1);
  CHECK(is_plain(why.output));
  CHECK(contains(why.output, "Disallow: /\\x1B[2J\\xFF\\xC2\\x9B"));
  const program_result why_json = run({"--file", name, "--explain", "--json", target});
  CHECK(is_plain(why_json.output));
  CHECK(json::parse(why_json.output).at("explain").at("matches").size() == 1);
}

TEST_CASE("lint and --file read UTF-16 as the cache does") {
  std::string utf16 = "\xFF\xFE";
  for (const char c : std::string{"User-agent: *\nDisallow: /x\n"}) {
    utf16 += c;
    utf16 += '\0';
  }
  CHECK(run({"lint", "-"}, utf16).status == 0);
  const std::string parsed = run({"parse", "-"}, utf16).output;
  CHECK(json::parse(parsed).at("groups").at(0).at("disallow").at(0) == "/x");
  CHECK(run({"--file", "-", "/x"}, utf16).status == 1);
}

TEST_CASE("diff returns 0 when both files mean the same, 1 when they differ and 2 for an error") {
  const robots_file before;
  const robots_file same{
      "user-agent: ferretbot\nDisallow: /%61dmin*\nAllow: /products/\nCrawl-delay: 1.50\n"
      "Host: example.com\nSitemap: https://example.com/sitemap.xml\n"};
  const robots_file other{"User-agent: *\nDisallow: /\n"};
  const auto diff = [](const std::string& old_file, const std::string& new_file) {
    return run({"diff", old_file, new_file, "--user-agent", "FerretBot/2.0"});
  };
  CHECK(diff(before.path(), before.path()).status == 0);
  const auto unchanged = diff(before.path(), same.path());
  CHECK(unchanged.status == 0);
  CHECK(unchanged.output == "no change\n");
  CHECK(diff(before.path(), other.path()).status == 1);
  CHECK(diff(before.path(), "/no/such/file").status == 2);
  CHECK(run({"diff", before.path()}).status == 2);
  CHECK(run({"diff", before.path(), other.path(), "/a"}).status == 2);
  CHECK(run({"diff", "-", "-"}).status == 2);
  CHECK(run({"diff", before.path(), "-"}, text).status == 0);
}

TEST_CASE("A path or a URL in the place of the user agent is refused") {
  const robots_file file;
  const std::vector<std::vector<std::string>> cases{
      {"diff", "--user-agent", "/private", file.path(), file.path()},
      {"diff", "-a", "https://example.com/", file.path(), file.path()},
      {"lint", "-a", "HTTP://example.com/", file.path()},
      {"check", "--file", file.path(), "-a", "/private", "/a"}};
  for (const std::vector<std::string>& arguments : cases) {
    const program_result refused = run(arguments);
    CAPTURE(json(arguments).dump());
    CHECK(refused.status == 2);
    CHECK(refused.output.empty());
    CHECK_MESSAGE(contains(refused.errors, "is a path or a URL, not a user agent"), refused.errors);
  }
}

TEST_CASE("A wrong value is escaped only once in an error") {
  const robots_file file;
  CHECK(contains(file.check({"--user-agent", "Foo\r\nBar", "/a"}).errors, R"("Foo\x0D\x0ABar")"));
  CHECK(contains(file.check({"http://example.com:b\xC3/"}).errors, R"(the port "b\xC3")"));
  const json answer = file.check_json({"http://example.com:b\xC3/"});
  CHECK(contains(answer.at("source").at("errorText"), R"(the port "b\xC3")"));
}

TEST_CASE("diff prints each change with a path that shows it, then the share") {
  const robots_file before{
      "User-agent: *\nDisallow: /a\nDisallow: /b\nAllow: /b/c\nCrawl-delay: 1\n"};
  const robots_file after{"User-agent: *\nDisallow: /a/\nDisallow: /b\nDisallow: /\x1B\n"};
  const auto printed = run({"diff", before.path(), after.path()});
  CHECK(printed.status == 1);
  const auto lines = printed.lines();
  REQUIRE(lines.size() == 5);
  CHECK(lines[0].starts_with("loosened   Disallow: /a (line 2) -> /a/ (line 2)  "));
  CHECK(lines[0].ends_with("  /a is allowed now"));
  CHECK(lines[1].starts_with("added      Disallow: /\\x1B (line 4)  "));
  CHECK(lines[1].ends_with("  /%1B is not allowed now"));
  CHECK(lines[2].starts_with("removed    Allow: /b/c (line 4)  "));
  CHECK(lines[3] == "removed    Crawl-delay: 1");
  CHECK(lines[4] == "4 changes, 80.0 % of the rules and lines for this crawler");
  CHECK(is_plain(printed.output));

  const json found = json::parse(run({"diff", "--json", before.path(), after.path()}).output);
  CHECK(found.at("same") == false);
  CHECK(found.at("share") == 0.8);
  CHECK(found.at("complete") == true);
  CHECK(found.at("rules").size() == 3);
  CHECK(found.at("rules").at(0) == json::parse(R"({"change": "loosened", "directive": "disallow",
                        "before": {"pattern": "/a", "line": 2},
                        "after": {"pattern": "/a/", "line": 2},
                        "example": "/a", "allowed": true})"));
  CHECK(found.at("lines") ==
        json::parse(R"([{"directive": "Crawl-delay", "before": "1", "after": null}])"));
  CHECK(json::parse(run({"diff", "--json", before.path(), before.path()}).output).at("same") ==
        true);
}

TEST_CASE("--explain lists the group, the target and the rules in the order in which they decide") {
  const robots_file file(
      "User-agent: FerretBot\nAllow: /a\nDisallow: /%7Ea\nDisallow: /~\nDisallow: /b\n"
      "User-agent: *\nDisallow: /c$\n");
  const auto why = [&file](const std::string& agent, const std::string& url) {
    std::vector<std::string> lines = file.check({"--user-agent", agent, "--explain", url}).lines();
    lines.erase(lines.begin());
    return lines;
  };
  using list = std::vector<std::string>;
  CHECK(why("FerretBot/1.0", "/%7eab") ==
        list{"    group: own (a group names FerretBot)", "    target: /~ab",
             "    matches: Disallow: /%7Ea, compared as /~a (3 octets, line 3), decides",
             "    matches: Disallow: /~ (2 octets, line 4), would decide without the rule above"});
  CHECK(why("FerretBot", "https://example.com/b") ==
        list{"    group: own (a group names FerretBot)", "    target: /b",
             "    matches: Disallow: /b (2 octets, line 5), decides",
             "    without this rule, no rule matches: allowed"});
  CHECK(why("StoatBot", "/c") == list{"    group: * (no group names StoatBot)", "    target: /c",
                                      "    matches: Disallow: /c$ (3 octets, line 7), decides",
                                      "    without this rule, no rule matches: allowed"});
  CHECK(why("StoatBot", "/d").back() == "    no rule matches: allowed");
  CHECK(file.check({"--explain", "/c"}).status == 1);
  CHECK(file.check({"--explain", "/d"}).status == 0);
}

TEST_CASE("--explain says that no group applies, and that /robots.txt is always allowed") {
  const robots_file file("User-agent: FerretBot\nDisallow: /\n");
  CHECK(contains(file.check({"-a", "StoatBot", "--explain", "/a"}).output,
                 "    group: none (no group names StoatBot or *)\n"));
  const program_result itself = file.check({"-a", "FerretBot", "--explain", "/robots.txt"});
  CHECK(contains(itself.output, "    matches: Disallow: / (1 octet, line 2)\n"));
  CHECK(contains(itself.output, "    no rule decides: /robots.txt itself is always allowed\n"));
  const program_result google =
      file.check({"-a", "FerretBot", "--dialect", "google", "--explain", "/robots.txt"});
  CHECK(contains(google.output, "    matches: Disallow: / (1 octet, line 2), decides\n"));
}

TEST_CASE("--explain says when there are no rules") {
  const robots_file file;
  const program_result excluded = file.check({"--exclude", "gov", "--explain", "https://a.gov/"});
  CHECK(excluded.status == 1);
  CHECK(excluded.lines().at(1) == "    no rules: the host is excluded and was not asked");
  const json answer = file.check_json({"--exclude", "gov", "--explain", "https://a.gov/"});
  CHECK(answer.at("explain") == json{{"group", nullptr},
                                     {"target", "/"},
                                     {"matches", json::array()},
                                     {"mistakes", json::array()}});
  const json no_url = file.check_json({"--explain", "ftp://example.com/"});
  CHECK(no_url.at("explain") == json{{"group", nullptr},
                                     {"target", nullptr},
                                     {"matches", json::array()},
                                     {"mistakes", json::array()}});
  const robots_file garbage("what\nis\nthis\nfile\nhere\nnow\n");
  CHECK(contains(garbage.check({"--fallback", "strict", "--explain", "/a"}).output,
                 "    no rules: no robots.txt was obeyed\n"));
}

TEST_CASE("--explain names the mistakes of the file") {
  const robots_file file(
      "User-agent: GPTBot, ClaudeBot\nDisallow: /\n"
      "User-agent: PlumBot\nCrawl-delay: 2\nUser-agent: \"FooBot\"\nDisallow: /.*b\n"
      "Content-Signals: ai-train=no\n");
  const std::string printed = file.check({"-a", "GPTBot", "--explain", "/x"}).output;
  for (const char* const mistake :
       {"    mistake: line 1, error: ", "[several_names_in_line]\n", "[delay_only_group]\n",
        "    mistake: line 5, ", "[regular_expression]\n", "    mistake: line 7, warning: "}) {
    CAPTURE(printed);
    CHECK(contains(printed, mistake));
  }
  const json answer = file.check_json({"--explain", "/x"});
  CHECK(answer.at("explain").at("mistakes").at(0).at("code") == "several_names_in_line");
  CHECK(answer.at("explain").at("mistakes").at(0).at("line") == 1);
  const robots_file bad("User-agent: *\n" + std::string(12 * 2, '\n') +
                        "Allow: 1\nAllow: 2\nAllow: 3\nAllow: 4\nAllow: 5\nAllow: 6\nAllow: 7\n"
                        "Allow: 8\nAllow: 9\nAllow: 10\nAllow: 11\nAllow: 12\n");
  CHECK(contains(bad.check({"--explain", "/x"}).output,
                 "    and 2 mistakes more: robots-check lint lists them\n"));
}

TEST_CASE("--explain --json adds the group, the target and the matches") {
  const robots_file file("User-agent: *\nAllow: /a\nDisallow: /%7ea$\nDisallow: /*a\n");
  const json answer = file.check_json({"--explain", "/%7Ea"});
  CHECK(answer.at("explain") == json{{"group", "everyone"},
                                     {"target", "/~a"},
                                     {"mistakes", json::array()},
                                     {"matches", json::array({{{"directive", "disallow"},
                                                               {"pattern", "/%7ea$"},
                                                               {"compared", "/~a$"},
                                                               {"specificity", 4},
                                                               {"line", 3}},
                                                              {{"directive", "disallow"},
                                                               {"pattern", "/*a"},
                                                               {"compared", "/*a"},
                                                               {"specificity", 3},
                                                               {"line", 4}}})}});
  CHECK(file.check_json({"--explain", "/b"}).at("explain").at("matches") == json::array());
  CHECK(robots_file("").check_json({"--explain", "/b"}).at("explain").at("group") == "none");
  CHECK_FALSE(file.check_json({"/a"}).contains("explain"));
}

TEST_CASE("--purpose adds the answer for each purpose, and the statement that decided") {
  const robots_file file(
      "License: https://e.example/l.xml\nUser-agent: *\n"
      "Content-Signal: ai-train=no, search=yes, future=yes\nDisallow: /x\n");
  const robots::test::temporary_folder folder;
  const std::string tdmrep = (folder.path() / "tdmrep.json").string();
  std::ofstream(tdmrep) << R"([{"location":"/","tdm-reservation":1}])";
  const program_result answered = file.check(
      {"--purpose", "ai_train", "--purpose", "index", "--purpose", "snippet", "--purpose", "future",
       "--purpose", "tdm", "--header", "X-Robots-Tag: noindex", "--tdmrep", tdmrep, "/a"});
  CHECK(answered.status == 1);
  CHECK(contains(answered.output,
                 "    ai_train: no: Content-Signal \"ai-train=no\", line 3, for *; licences: "
                 "https://e.example/l.xml\n"
                 "    index: no: X-Robots-Tag \"noindex\", header 1, for *\n"
                 "    snippet: unread: not read: meta elements\n"
                 "    future: yes: Content-Signal \"future=yes\", line 3, for *\n"
                 "    tdm: no: tdm-reservation \"1\", entry 1, for *; licences: "
                 "https://e.example/l.xml\n"));
  CHECK(file.check({"--purpose", "future", "--header", "A: b", "/a"}).status == 0);
  const json one = file.check_json({"--purpose", "fetch", "/x"}).at("purposes").at(0);
  CHECK(one.at("purpose") == "fetch");
  CHECK(one.at("answer") == "no");
  CHECK(one.at("reason").at("kind") == "robots_rule");
  CHECK(one.at("reason").at("position") == 4);
  CHECK(file.check({"--header", "A: b", "/a"}).status == 2);
  CHECK(file.check({"--purpose", "index", "--header", "no header", "/a"}).status == 2);
}

#ifdef ROBOTS_CHECK_HTML
TEST_CASE("--page reads the meta elements of a page") {
  const robots_file file("User-agent: *\nAllow: /\n");
  const robots::test::temporary_folder folder;
  const std::string page = (folder.path() / "page.html").string();
  std::ofstream(page) << "<title>a</title><meta name=robots content=noarchive><p>text";
  const program_result answered = file.check(
      {"--purpose", "archive", "--purpose", "index", "--header", "A: b", "--page", page, "/a"});
  CHECK(contains(answered.output,
                 "    archive: no: robots \"noarchive\", meta element 1, for *\n"
                 "    index: unstated: no statement about index\n"));
}
#endif

// Runs robots-check on audit trails that are intact, falsified or damaged.
#include "adapters/audit/audit_sample.hpp"
#include "support/run_program.hpp"
#include "support/temporary_folder.hpp"
#include <robots/adapters/audit/audit_trail.hpp>
#include <robots/adapters/audit/detail/entry.hpp>
#include <robots/cache/basic_robots_cache.hpp>
#include <robots/store/lru_storage.hpp>
#include <robots/testing/manual_clock.hpp>
#include <robots/testing/scripted_fetcher.hpp>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

using nlohmann::json;
using robots::adapters_detail::audit_chain;
using robots::adapters_detail::audit_entry;
using robots::test::chain_anew;
using robots::test::line_with;
using robots::test::lines_of;
using robots::test::program_result;
using robots::test::replace;
using robots::test::write_lines;
using texts = std::vector<std::string>;

program_result run(const texts& arguments) {
  return robots::test::run_program(ROBOTS_CHECK_PROGRAM, arguments);
}

/// A signed trail in several files.
struct signed_trail {
  signed_trail() {
    robots::audit_options options{.path = (folder.path() / "audit").string()};
    options.file_bytes = 40'000;
    options.signing_key = robots::test::signing_key;
    options.sign_every = 20;
    files = robots::test::write_sample(options);
    REQUIRE(files.size() > 2);
    second = lines_of({files[1]});
    head = audit_entry::read(lines_of(files).back())->hash();
    std::ofstream{key()} << robots::test::public_key;
  }

  [[nodiscard]] std::string key() const { return (folder.path() / "public.pem").string(); }

  /// Verifies the files as they are.
  [[nodiscard]] program_result verify(const texts& more = {}) const {
    texts arguments{"audit", "verify"};
    arguments.insert(arguments.end(), files.begin(), files.end());
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run(arguments);
  }

  /// Falsifies the second file.
  void write(const texts& lines) const { write_lines(files[1], lines); }

  robots::test::temporary_folder folder;
  texts files;
  texts second;
  std::string head;
};

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("A trail with every kind of event is intact, and its decisions are confirmed") {
  const signed_trail trail;
  const program_result found = trail.verify({"--key", trail.key(), "--head", trail.head});
  CHECK_MESSAGE(found.status == 0, found.output);
  CHECK(found.output.starts_with("intact: "));
  CHECK(has(found.output, ", the last with the hash " + trail.head + "\nconfirmed: "));
  CHECK_FALSE(has(found.output, "note:"));
  CHECK(found.errors.empty());
  const json object = json::parse(trail.verify({"--json"}).output);
  CHECK(object["intact"] == true);
  CHECK(object["head"] == trail.head);
  CHECK(object["decisions"]["confirmed"] ==
        robots::test::count_of(lines_of(trail.files), "decision"));
  CHECK(object["decisions"]["differences"].empty());
  CHECK(object["notes"].size() == 1);  // the signatures were not checked
}

TEST_CASE("Audit verify names the place where a trail was falsified") {
  const signed_trail trail;
  texts lines = trail.second;
  const std::string n = std::to_string(audit_entry::read(trail.second[5])->n());
  const std::string line_6 = trail.files[1] + ":6: ";
  std::string expected;
  texts more;
  SUBCASE("a changed octet") {
    lines[5][lines[5].size() / 2] ^= 1;
    expected = line_6 + "changed: entry " + n;
  }
  SUBCASE("a deleted entry") {
    lines.erase(lines.begin() + 5);
    expected = line_6 + "lost: entry " + n + " is lost";
  }
  SUBCASE("an added entry") {
    audit_chain chain{std::stoull(n) - 1, audit_entry::read(trail.second[4])->hash()};
    std::string added = chain.add("2026-01-01T12:00:00.000Z", "decision", "{}");
    added.pop_back();
    lines.insert(lines.begin() + 5, added);
    expected = trail.files[1] + ":7: added: there are two entries " + n;
  }
  SUBCASE("a repeated entry") {
    lines.insert(lines.begin() + 6, lines[5]);
    expected = trail.files[1] + ":7: added: a copy of entry " + n;
  }
  SUBCASE("two exchanged entries") {
    std::swap(lines[5], lines[6]);
    expected = line_6 + "reordered: ";
  }
  SUBCASE("a missing start of a file") {
    lines.erase(lines.begin());
    expected = trail.files[1] + ":1: lost: ";
  }
  SUBCASE("a rewritten chain that was signed before") {
    const std::size_t index = line_with(lines, "\"type\":\"decision\"");
    replace(lines[index], "\"allowed\":", "\"allowed\":true,\"was\":");
    texts all = lines_of({trail.files[0]});
    const std::size_t first = all.size();
    all.insert(all.end(), lines.begin(), lines.end());
    for (std::size_t i = 2; i < trail.files.size(); ++i) {
      const texts rest = lines_of({trail.files[i]});
      all.insert(all.end(), rest.begin(), rest.end());
    }
    chain_anew(all, first + index);
    std::size_t next = first;
    for (std::size_t i = 1; i < trail.files.size(); ++i) {
      const auto from = all.begin() + static_cast<std::ptrdiff_t>(next);
      next += i == 1 ? lines.size() : lines_of({trail.files[i]}).size();
      const texts part{from, all.begin() + static_cast<std::ptrdiff_t>(next)};
      i == 1 ? void(lines = part) : write_lines(trail.files[i], part);
    }
    more = {"--key", trail.key()};
    expected = "is not what the key has signed";
  }
  SUBCASE("a missing end whose hash is known") {
    texts last = lines_of({trail.files.back()});
    last.pop_back();
    write_lines(trail.files.back(), last);
    more = {"--head", trail.head};
    expected = "lost: no entry has the hash that is known";
  }
  SUBCASE("a missing end that should be signed") {
    texts last = lines_of({trail.files.back()});
    audit_chain chain{audit_entry::read(last.back())->n(), trail.head};
    for (int i = 0; i < 30; ++i) {
      last.push_back(chain.add("2026-01-01T12:00:00.000Z", "decision", "{}"));
      last.back().pop_back();
    }
    write_lines(trail.files.back(), last);
    more = {"--key", trail.key()};
    expected = "not_signed: the last 30 entries are not signed";
  }
  SUBCASE("a replaced robots.txt with new hashes") {
    const texts all = lines_of(trail.files);
    texts whole = all;
    const std::size_t index = line_with(whole, "\"type\":\"body\"");
    const std::string old = audit_entry::read(whole[index])->text("id");
    replace(whole[index], "/private", "/other");
    const std::string now =
        robots::adapters_detail::sha256(audit_entry::read(whole[index])->text("text"));
    for (std::string& line : whole) {
      for (std::size_t i = line.find(old); i != std::string::npos; i = line.find(old)) {
        line.replace(i, old.size(), now);
      }
    }
    chain_anew(whole, index);
    write_lines(trail.files[0], whole);
    const program_result found = run({"audit", "verify", trail.files[0]});
    CHECK(found.status == 1);
    CHECK(has(found.output, "decision: entry "));
    CHECK(has(found.output, "the decision differs"));
    return;
  }
  SUBCASE("octets of a server are escaped once") {
    texts whole = lines_of(trail.files);
    const std::size_t index = line_with(whole, "\"pattern\":\"/private\"");
    replace(whole[index], "\"pattern\":\"/private\"",
            R"("note":"\\x5C\\xC3","pattern":"/a\\x5C\\xC3")");
    chain_anew(whole, index);
    write_lines(trail.files[0], whole);
    const program_result found = run({"audit", "verify", trail.files[0]});
    CHECK(has(found.output, R"(pattern: /a\x5C\xC3, line: 2)"));
    CHECK(has(found.output, R"(: \x5C\xC3)"
                            "\n"));
    const program_result as_json = run({"audit", "verify", "--json", trail.files[0]});
    CHECK(has(as_json.output, R"(pattern: /a\\x5C\\xC3, line: 2)"));
    return;
  }
  trail.write(lines);
  const program_result found = trail.verify(more);
  CHECK(found.status == 1);
  CHECK_MESSAGE(has(found.output, expected), expected << " in " << found.output);
  CHECK(has(found.output, "broken: "));
}

TEST_CASE("Audit verify names files that are missing or in the wrong order") {
  const signed_trail trail;
  texts arguments{"audit", "verify", trail.files[0], trail.files[2]};
  program_result found = run(arguments);
  CHECK(found.status == 1);
  CHECK(has(found.output, trail.files[2] + ":1: lost: "));
  CHECK(has(found.output, "a file before this one is missing"));
  found = run({"audit", "verify", trail.files[1], trail.files[0]});
  CHECK(found.status == 1);
  CHECK(has(found.output, trail.files[0] + ":1: reordered: the files are not in order"));
  found = run({"audit", "verify", trail.files[1]});
  CHECK_MESSAGE(found.status == 0, found.output);
  CHECK(has(found.output, "note: the entries 1 to "));
}

TEST_CASE("Audit verify distinguishes a torn last line from a changed one") {
  const signed_trail trail;
  std::filesystem::resize_file(trail.files.back(),
                               std::filesystem::file_size(trail.files.back()) - 20);
  const program_result found = trail.verify();
  CHECK(found.status == 1);
  CHECK(has(found.output, ": torn: the last line is not whole"));
  CHECK(has(found.output, "confirmed: "));
}

namespace {

std::size_t count_of(const std::string& text, std::string_view part) {
  std::size_t count = 0;
  for (std::size_t index = text.find(part); index != std::string::npos;
       index = text.find(part, index + 1)) {
    ++count;
  }
  return count;
}

/// Returns the page about a trail.
std::string report_of(const texts& files) {
  texts arguments{"audit", "report"};
  arguments.insert(arguments.end(), files.begin(), files.end());
  const program_result printed = run(arguments);
  REQUIRE_MESSAGE(printed.status == 0, printed.errors);
  return printed.output;
}

}  // namespace

TEST_CASE("Audit report shows the events of a trail, and each number links to its entries") {
  const signed_trail trail;
  const std::string page = report_of(trail.files);
  CHECK(has(page, "The trail is intact."));
  const texts lines = lines_of(trail.files);
  CHECK(has(page, ">" + std::to_string(robots::test::count_of(lines, "decision")) +
                      "</a></b>decisions recorded"));
  CHECK(has(page, ">" + std::to_string(robots::test::count_of(lines, "retrieval")) +
                      "</a></b>retrievals<"));
  for (const std::string_view part :
       {"Decisions over time", "Retrievals over time", "circuit_open", "server_error", "last_good",
        "Longest waits", "https://none.example/2", "- disallow: /private", "+ disallow: /",
        "https://moved.example", "FooBot/1.0 (+https://foo.example/bot), fallback strict"}) {
    CHECK_MESSAGE(has(page, part), part);
  }
  std::size_t lists = 0;
  for (std::size_t index = page.find("href=\""); index != std::string::npos;
       index = page.find("href=\"", index + 1)) {
    const std::size_t start = index + 6;
    const std::string target = page.substr(start, page.find('"', start) - start);
    REQUIRE(target.starts_with("#"));
    const bool is_closed = target == "#closed";
    CHECK_MESSAGE(count_of(page, "id=\"" + target.substr(1) + '"') == (is_closed ? 0 : 1), target);
    lists += is_closed ? 1 : 0;
  }
  CHECK(lists > 50);
}

TEST_CASE("Audit report shows what a site changes about the use of its pages") {
  const robots::test::temporary_folder folder;
  const robots::audit_options options{.path = (folder.path() / "audit").string()};
  const robots::cache_options crawler{.user_agent = "FooBot/1.0",
                                      .fallback = robots::fallback_policy::strict()};
  const auto says = [](const std::string& line) {
    return robots::ScriptedFetcher::ok("User-agent: *\n" + line + "\n");
  };
  robots::ScriptedFetcher web;
  web.on("https://example.com/robots.txt", says("Content-Signal: ai-train=yes"),
         says("Content-Signal: ai-train=no"));
  const robots::ManualClock clock;
  {
    robots::basic_robots_cache<robots::ScriptedFetcher, robots::ManualClock, robots::LruStorage<16>,
                               robots::AuditTrail>
        cache{crawler, web, clock, {}, robots::AuditTrail{options, crawler}};
    static_cast<void>(cache.check("https://example.com/"));
    clock.advance(std::chrono::hours{48});
    static_cast<void>(cache.check("https://example.com/"));
  }
  const std::string page = report_of(robots::test::files_of(options.path));
  CHECK(has(page, "- Content-Signal: ai-train=yes"));
  CHECK(has(page, "+ Content-Signal: ai-train=no"));
}

TEST_CASE("A report needs no other file, and escapes text from outside") {
  const signed_trail trail;
  texts all = lines_of(trail.files);
  for (std::string& line : all) {  // the host has HTML, which no parser accepts
    for (std::size_t index = line.find("\"site\":\"https://none"); index != std::string::npos;
         index = line.find("\"site\":\"https://none")) {
      line.replace(index, 20, "\"site\":\"<img src=x onerror='a()'>\\u202E&");
    }
  }
  write_lines(trail.files[0], all);
  const std::string page = report_of({trail.files[0]});
  CHECK(has(page, "The trail is broken."));
  CHECK(has(page, "&lt;img src=x onerror=&#39;a()&#39;&gt;\\u202E&amp;"));
  CHECK(has(page, "&quot;&lt;/script&gt;"));
  CHECK(has(page, "prefers-color-scheme: dark"));
  for (const std::string_view part :
       {"<script", "</script", "<img", "<link", "<iframe", "<object", "src=\"", "url(", "@import",
        "http-equiv=\"refresh", "href=\"http", "javascript:"}) {
    CHECK_MESSAGE(!has(page, part), part);
  }
  for (const char c : page) {
    const bool is_plain = c == '\n' || (c >= ' ' && c <= '~');
    REQUIRE(is_plain);
  }
}

TEST_CASE("A browser finds every element of a report") {
  const std::string browser = [] {
    for (const char* const name : {"/usr/bin/chromium", "/usr/bin/google-chrome"}) {
      if (std::filesystem::exists(name)) {
        return std::string{name};
      }
    }
    return std::string{};
  }();
  if (browser.empty()) {
    MESSAGE("skipped: chromium is missing");
    return;
  }
  const signed_trail trail;
  const std::string page = report_of(trail.files);
  const std::string file = (trail.folder.path() / "report.html").string();
  std::ofstream{file} << page;
  const program_result shown = robots::test::run_program(
      browser, {"--headless", "--no-sandbox", "--disable-gpu", "--user-data-dir=" + file + ".d",
                "--dump-dom", "file://" + file + "#l1"});
  REQUIRE_MESSAGE(shown.status == 0, shown.errors);
  for (const std::string_view part : {"<a ", "<section", "<li>", "<tr>", "<rect", "<title>"}) {
    CHECK_MESSAGE(count_of(shown.output, part) == count_of(page, part), part);
  }
}

TEST_CASE("Audit commands refuse a pipe, since they read a trail more than once") {
  const signed_trail trail;
  const std::string pipe = (trail.folder.path() / "pipe").string();
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  for (const char* const command : {"verify", "report"}) {
    const program_result found = run({"audit", command, pipe});
    CHECK(found.status == 2);
    CHECK(found.output.empty());
    CHECK(has(found.errors, "is not a regular file"));
  }
}

TEST_CASE("Audit commands return 2 for files that cannot be read") {
  const signed_trail trail;
  for (const texts& arguments :
       {texts{"audit", "verify", trail.files[0] + ".none"}, texts{"audit", "verify"},
        texts{"audit", "verify", trail.files[0], "--key", trail.files[0]},
        texts{"audit", "verify", trail.files[0], "--explain"},
        texts{"audit", "report", trail.files[0] + ".none"}, texts{"audit", "report"},
        texts{"--key", trail.key(), "/"}}) {
    const program_result found = run(arguments);
    CHECK(found.status == 2);
    CHECK(found.output.empty());
    CHECK(has(found.errors, "robots-check: "));
  }
}

// Runs robots-check with a store in a file.
#include "policy/record_samples.hpp"
#include "support/loopback_server.hpp"
#include "support/run_program.hpp"
#include "support/temporary_folder.hpp"
#include <robots/adapters/sqlite/sqlite_store.hpp>
#include <robots/policy/codec.hpp>
#include <robots/policy/site_records.hpp>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace std::chrono_literals;
using nlohmann::json;
using robots::detail::site_records;
using robots::test::program_result;

/// The file of a store.
class store_file {
 public:
  [[nodiscard]] robots::SqliteStore open() const {
    return robots::SqliteStore{robots::sqlite_options{.path = path()}};
  }
  [[nodiscard]] std::string path() const { return (folder_.path() / "robots.sqlite").string(); }
  /// Asks about URLs with this store.
  [[nodiscard]] program_result check(const std::vector<std::string>& more) const {
    return run({"--store", "sqlite:" + path()}, more);
  }
  /// Runs a subcommand of `store` with this store.
  [[nodiscard]] program_result store(const std::string& command,
                                     const std::vector<std::string>& more = {}) const {
    return run({"store", command, "sqlite:" + path()}, more);
  }

 private:
  [[nodiscard]] static program_result run(std::vector<std::string> arguments,
                                          const std::vector<std::string>& more) {
    arguments.insert(arguments.end(), more.begin(), more.end());
    return robots::test::run_program(ROBOTS_CHECK_PROGRAM, arguments);
  }

  robots::test::temporary_folder folder_;
};

/// Returns a record that was fetched now and is fresh for a day.
robots::record fresh(robots::outcome outcome) {
  robots::record record =
      robots::test::record_of_outcome(outcome, "User-agent: *\nDisallow: /private\n");
  record.fetched_at = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  return record;
}

}  // namespace

TEST_CASE("store list prints the answer of each site, its time and its expiry") {
  const store_file file;
  {
    robots::SqliteStore store = file.open();
    robots::record of_2026 = robots::test::record_of_outcome(robots::outcome::success, "text");
    store.publish("https://a.example", encode(site_records{.latest = of_2026}), 24h);
    robots::record failed = robots::test::record_of_outcome(robots::outcome::server_error);
    failed.lifetime = std::chrono::seconds::max();
    store.publish("https://b.example", encode(site_records{.latest = failed, .last_good = of_2026}),
                  24h);
    failed.final_url = "https://d.example/robots.txt";
    failed.outcome = robots::outcome::redirected;
    store.publish("https://c.example", encode(site_records{.latest = failed}), 24h);
    store.publish("https://d\n.example", "no record", 1h);
  }
  const program_result text = file.store("list");
  CHECK(text.status == 0);
  CHECK(text.errors.empty());
  const std::vector<std::string> lines = text.lines();
  REQUIRE(lines.size() == 4);
  CHECK(lines[0].starts_with("https://a.example  "));
  for (const char* part : {"  success, HTTP 200  ", "  2026-11-22T03:00:00Z, ", " s old, ",
                           "holds until 2026-11-23T03:00:00Z, kept for 86"}) {
    CHECK_MESSAGE(lines[0].find(part) != std::string::npos, lines[0]);
  }
  CHECK(lines[1].find("server_error, HTTP 503") != std::string::npos);
  CHECK(lines[1].find("holds until") == std::string::npos);
  CHECK(lines[1].find(", last good copy of 2026-11-22T03:00:00Z") != std::string::npos);
  CHECK(lines[2].find("  as https://d.example/robots.txt  ") != std::string::npos);
  CHECK(lines[3].starts_with("https://d\\x0A.example  "));
  CHECK(lines[3].find("cannot be read: unknown_version, kept for 3") != std::string::npos);

  const std::vector<std::string> objects = file.store("list", {"--json"}).lines();
  REQUIRE(objects.size() == 4);
  const json success = json::parse(objects[0]);
  CHECK(success.at("site") == "https://a.example");
  CHECK(success.at("outcome") == "success");
  CHECK(success.at("status") == 200);
  CHECK(success.at("octets") == 4);
  CHECK(success.at("fetchedAt") == "2026-11-22T03:00:00Z");
  CHECK(success.at("holdsUntil") == "2026-11-23T03:00:00Z");
  CHECK(success.at("storedFor") > 86'000);
  CHECK(success.at("problem").is_null());
  CHECK(success.at("lastGoodAt").is_null());
  const json failed = json::parse(objects[1]);
  CHECK(failed.at("holdsUntil").is_null());
  CHECK(failed.at("lastGoodAt") == "2026-11-22T03:00:00Z");
  CHECK(json::parse(objects[2]).at("redirects") == true);
  const json unreadable = json::parse(objects[3]);
  CHECK(unreadable.at("problem") == "unknown_version");
  CHECK(!unreadable.contains("outcome"));
}

TEST_CASE("store list prints thousands of sites, and nothing for an empty store") {
  const store_file file;
  file.open().erase("https://a.example");
  CHECK(file.store("list").output.empty());
  {
    robots::SqliteStore store = file.open();
    for (int i = 0; i < 1'000; ++i) {
      store.publish("https://site" + std::to_string(i) + ".example",
                    encode(site_records{.latest = fresh(robots::outcome::not_found)}), 24h);
    }
  }
  CHECK(file.store("list").lines().size() == 1'000);
}

TEST_CASE("store erase erases a site in any spelling, and says whether it was stored") {
  const store_file file;
  {
    robots::SqliteStore store = file.open();
    for (const char* key : {"https://a.example", "https://b.example", "c.example"}) {
      store.publish(key, encode(site_records{.latest = fresh(robots::outcome::success)}), 24h);
    }
  }
  const program_result result =
      file.store("erase", {"HTTPS://A.example:443/page", "c.example", "https://d.example"});
  CHECK(result.status == 0);
  const std::vector<std::string> lines = result.lines();
  REQUIRE(lines.size() == 3);
  CHECK(lines[0] == "https://a.example is erased");
  CHECK(lines[1] == "c.example is erased");
  CHECK(lines[2] == "https://d.example was not there");
  CHECK(file.store("list").output.starts_with("https://b.example "));
  CHECK(file.store("erase", {"mailto:bob@example.com"}).status == 2);
}

TEST_CASE("An error says why a store cannot be used") {
  const store_file file;
  const auto complaint = [](const std::vector<std::string>& arguments) {
    const program_result result = robots::test::run_program(ROBOTS_CHECK_PROGRAM, arguments);
    CHECK(result.status == 2);
    CHECK(result.output.empty());
    return result.errors;
  };
  CHECK(complaint({"store", "list", "sqlite:/dev/null"}).find("no regular file") !=
        std::string::npos);
  for (const char* const command : {"list", "erase", "override"}) {
    const std::string missing = "sqlite:" + file.path() + ".none";
    CHECK(complaint({"store", command, missing, "deny", "a.example"}).find("robots-check: ") == 0);
    CHECK(!std::filesystem::exists(file.path() + ".none"));
  }
  CHECK(
      complaint({"store", "list", "sqlite:" + file.path()}).find("does not exist: give the file") !=
      std::string::npos);
  CHECK(complaint({"store", "list", "sqlite:"}).find("is not a store") != std::string::npos);
  CHECK(complaint({"store", "list", "memory"}).find("sqlite:PATH") != std::string::npos);
  CHECK(complaint({"store", "list", "ftp://host"}).find("redis") != std::string::npos);
  CHECK(complaint({"store", "list", "redis://127.0.0.1:1"}).find("127.0.0.1:1") !=
        std::string::npos);
  CHECK(complaint({"store", "list"}).find("give STORE") != std::string::npos);
  CHECK(complaint({"store", "erase", "sqlite:" + file.path()}).find("give STORE SITE...") !=
        std::string::npos);
  static_cast<void>(file.open());
  CHECK(complaint({"--store", "sqlite:" + file.path()}).find("give URL...") != std::string::npos);
  CHECK(complaint({"store", "override", "sqlite:" + file.path(), "allowed", "a.example"})
            .find("\"allowed\" is not an override: give allow, deny or none") != std::string::npos);
  CHECK(
      complaint({"--store", "sqlite:" + file.path(), "--file", "robots.txt", "/"}).find("--file") !=
      std::string::npos);
}

TEST_CASE("store list shows the rulings that an older version has left in a store") {
  const store_file file;
  file.open().publish("ruling://a.example", "ruling 1 a.example 0 2 2 1795000000000", 24h);
  CHECK(file.store("list").output.find("  override deny (https), since 2026-") !=
        std::string::npos);
  const json listed = json::parse(file.store("list", {"--json"}).lines().at(0));
  CHECK(listed.at("rulings") == json{"override deny (https)"});
}

TEST_CASE("store override allows and denies a site for every process that uses the store") {
  robots::test::loopback_server server;
  server.get("/robots.txt", "User-agent: *\nDisallow: /private\n");
  const std::string site = server.url("");
  const store_file file;
  static_cast<void>(file.open());
  const auto status_of = [&](const std::string& path) {
    return file.check({"--allow-address", "127.0.0.0/8", site + path}).status;
  };
  const program_result denied = file.store("override", {"deny", site});
  CHECK(denied.status == 0);
  CHECK(denied.output.starts_with(site + "  site_override deny  by robots-check, 20"));
  CHECK(status_of("/") == 1);
  CHECK(file.store("override", {"allow", site}).status == 0);
  CHECK(status_of("/private") == 0);
  CHECK(file.store("override", {"none", site}).status == 0);
  CHECK(status_of("/private") == 1);
  CHECK(status_of("/") == 0);
}

TEST_CASE(
    "With --store, a site that another process knows gets no request, and answers are shared") {
  robots::test::loopback_server server;
  server.get("/robots.txt", "User-agent: *\nDisallow: /private\n");
  const std::string site = server.url("");
  const store_file file;
  const std::vector<std::string> question{"--allow-address", "127.0.0.0/8", "--json", "--stats",
                                          site + "/private"};
  const std::vector<std::string> cold = file.check(question).lines();
  REQUIRE(cold.size() == 2);
  CHECK(json::parse(cold[0]).at("allowed") == false);
  CHECK(json::parse(cold[1]).at("stats").at("retrievals") == 1);
  CHECK(server.requests() == 1);
  CHECK(file.store("list").output.starts_with(site + "  "));

  const std::vector<std::string> warm = file.check(question).lines();
  REQUIRE(warm.size() == 2);
  CHECK(json::parse(warm[0]).at("allowed") == false);
  CHECK(json::parse(warm[1]).at("stats").at("retrievals") == 0);
  CHECK(json::parse(warm[1]).at("stats").at("farHits") == 1);
  CHECK(server.requests() == 1);

  CHECK(file.store("erase", {site}).status == 0);
  CHECK(file.check(question).status == 1);
  CHECK(server.requests() == 2);
}

TEST_CASE("Closed standard streams do not damage the store, and a closed output is an error") {
  const store_file file;
  const std::string value = encode(site_records{.latest = fresh(robots::outcome::success)});
  file.open().publish("https://a.example", value, 24h);
  const auto run = [&](const std::string& arguments) {
    return robots::test::run_program("/bin/sh", {"-c", "exec \"$0\" " + arguments,
                                                 ROBOTS_CHECK_PROGRAM, "sqlite:" + file.path()});
  };
  for (const char* closed : {">&-", "<&- >&-", ">&- 2>&-"}) {
    CAPTURE(closed);
    CHECK(run("--store \"$1\" --user-agent FooBot https://a.example/x " + std::string{closed})
              .status == 2);
  }
  CHECK(run("--store \"$1\" --user-agent FooBot https://a.example/x <&- 2>&-").status == 1);
  CHECK(file.open().load("https://a.example") == value);
  for (const char* option : {"--help", "--version"}) {
    CAPTURE(option);
    CHECK(run(std::string{option} + " >&-").status == 2);
    CHECK(run(std::string{option} + " > /dev/full").status == 2);
    CHECK(run(std::string{option} + " > /dev/null").status == 0);
  }
}

TEST_CASE("rulings halts, resumes, overrides and signs off sites in a ledger, and lists them") {
  const store_file file;
  file.open().erase("https://a.example");  // makes the file
  const std::string ledger = "sqlite:" + file.path();
  const auto rulings = [&](std::vector<std::string> words) {
    words.insert(words.begin(), "rulings");
    return robots::test::run_program(ROBOTS_CHECK_PROGRAM, words);
  };
  CHECK(rulings({"list", ledger}).output.empty());
  const program_result halted =
      rulings({"halt", "--maker", "ann", ledger, "a.example", "https://b.example/page"});
  CHECK(halted.status == 0);
  REQUIRE(halted.lines().size() == 2);
  CHECK(halted.lines()[0].starts_with("a.example  halt by_hand  by ann, 20"));
  CHECK(halted.lines()[0].ends_with(", order 1-1"));
  CHECK(halted.lines()[1].starts_with("https://b.example  halt by_hand  by ann, 20"));
  CHECK(rulings({"halt", ledger, "a.example"}).output == "a.example  nothing to change\n");
  CHECK(rulings({"override", ledger, "deny", "c.example"}).status == 0);
  CHECK(rulings({"sign-off", ledger, "d.gov"}).status == 0);
  CHECK(rulings({"list", ledger}).lines().size() == 4);

  const json listed = json::parse(rulings({"list", "--json", ledger}).lines().at(0));
  CHECK(listed.at("site") == "a.example");
  CHECK(listed.at("kind") == "halt");
  CHECK(listed.at("maker") == "ann");
  CHECK(listed.at("order") == "1-1");

  CHECK(rulings({"resume", ledger, "a.example", "b.example"}).lines().size() == 2);
  CHECK(rulings({"override", ledger, "none", "c.example"}).status == 0);
  CHECK(rulings({"sign-off", "--withdraw", ledger, "d.gov"}).status == 0);
  CHECK(rulings({"list", ledger}).output.empty());

  const program_result wrong = rulings({"override", ledger, "maybe", "c.example"});
  CHECK(wrong.status == 2);
  CHECK(wrong.errors.find("is not an override: give allow, deny or none") != std::string::npos);
  CHECK(rulings({"halt", ledger, "no site"}).status == 2);
  CHECK(rulings({"list", ledger + ".missing"}).status == 2);
}

TEST_CASE("rulings import names each record that it cannot read, and takes the others") {
  const store_file file;
  file.open().publish("ruling://a.example:443", "ruling 1 a.example:443 1 0 3 1795000000000", 24h);
  file.open().publish("ruling://b.example", "ruling 1 b.example 7", 24h);
  const program_result taken = robots::test::run_program(
      ROBOTS_CHECK_PROGRAM, {"rulings", "import", "sqlite:" + file.path()});
  CHECK(taken.status == 1);
  REQUIRE(taken.lines().size() == 1);
  CHECK(
      taken.lines()[0].starts_with("http://a.example:443  halt by_hand  by a record of an older"));
  CHECK(taken.errors ==
        "robots-check: not imported, since it is no record of rulings: \"ruling 1 b.example 7\": "
        "give "
        "these orders by rulings halt or override\n");
}

TEST_CASE("rulings import takes the rulings of a store into the ledger, once") {
  const store_file file;
  file.open().publish("ruling://a.example", "ruling 1 a.example 0 0 2 1795000000000", 24h);
  const auto import = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"rulings", "import", "sqlite:" + file.path()});
    return robots::test::run_program(ROBOTS_CHECK_PROGRAM, words);
  };
  const program_result shown = import({"--dry-run"});
  REQUIRE(shown.lines().size() == 1);
  CHECK(shown.lines()[0].starts_with("a.example  site_override deny  by a record of an older"));
  CHECK(import({}).lines().size() == 1);
  CHECK(import({}).lines().empty());
  const program_result listed =
      robots::test::run_program(ROBOTS_CHECK_PROGRAM, {"rulings", "list", "sqlite:" + file.path()});
  CHECK(listed.output.find("a.example  site_override deny") == 0);
}

#include <robots/adapters/sqlite/sqlite_store.hpp>

#include "adapters/sqlite/sqlite_records.hpp"
#include "store/store_conformance.hpp"
#include "support/extremes.hpp"
#include "support/temporary_folder.hpp"
#include "support/text_of.hpp"

#include <doctest/doctest.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

using namespace std::chrono_literals;
using robots::sqlite_options;
using robots::SqliteStore;
using robots::store_error;
using robots::test::temporary_folder;
using robots::test::text_of;

namespace fs = std::filesystem;

namespace {

constexpr std::size_t mebibyte = std::size_t{1} << 20U;

sqlite_options in(const temporary_folder& folder, std::size_t max_bytes = 64 * mebibyte) {
  return {.path = (folder.path() / "robots.sqlite").string(), .max_bytes = max_bytes};
}

/// Returns the error message of the constructor, or "none".
std::string refusal(const sqlite_options& options) {
  try {
    const SqliteStore store{options};
    return "none";
  } catch (const store_error& error) {
    return error.what();
  }
}

void write_file(const std::string& path, std::string_view octets) {
  std::ofstream{path, std::ios::binary} << octets;
}

/// Changes a file with SQLite, as another program can.
void change_as_stranger(const std::string& path, const std::string& sql) {
  sqlite3* opened = nullptr;
  REQUIRE(::sqlite3_open(path.c_str(), &opened) == SQLITE_OK);
  CHECK(::sqlite3_exec(opened, sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK);
  REQUIRE(::sqlite3_close(opened) == SQLITE_OK);
}

/// Simulates a full disk: during its lifetime, no file of this process grows above `octets`.
class full_disk {
 public:
  explicit full_disk(std::size_t octets) : handler_{::signal(SIGXFSZ, SIG_IGN)} {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit small{octets, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &small);
  }
  full_disk(const full_disk&) = delete;
  full_disk& operator=(const full_disk&) = delete;
  ~full_disk() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    ::signal(SIGXFSZ, handler_);
  }

 private:
  rlimit before_{};
  void (*handler_)(int);
};

std::vector<std::string> keys_of(SqliteStore& store) {
  std::vector<std::string> keys;
  store.for_each([&](std::string_view key, std::chrono::milliseconds left) {
    CHECK(left > 0ms);
    keys.emplace_back(key);
  });
  return keys;
}

/// Runs the process as a user who cannot write everywhere, as root can.
class ordinary_user {
 public:
  ordinary_user() : was_root_{::geteuid() == 0 && ::seteuid(65'534) == 0} {}
  ordinary_user(const ordinary_user&) = delete;
  ordinary_user& operator=(const ordinary_user&) = delete;
  ~ordinary_user() { static_cast<void>(was_root_ && ::seteuid(0) == 0); }

 private:
  bool was_root_;
};

}  // namespace

TEST_CASE("SqliteStore is a shared store") {
  const temporary_folder folder;
  sqlite_options options = in(folder);
  options.timeout = 20s;  // SQLite's locks are not fair, and 16 threads write on a busy machine
  robots::test::store_conformance([&] { return SqliteStore{options}; });
}

TEST_CASE("SqliteStore with compression is a shared store") {
  const temporary_folder folder;
  sqlite_options options = in(folder);
  options.compress = true;
  options.timeout = 20s;
  robots::test::store_conformance([&] { return SqliteStore{options}; });
}

TEST_CASE("SqliteStore compresses values, and reads them with and without the option") {
  const temporary_folder folder;
  sqlite_options options = in(folder, mebibyte);
  SqliteStore plain{options};
  options.compress = true;
  SqliteStore compressing{options};
  const std::string value(100'000, 'x');
  for (int i = 0; i < 100; ++i) {  // ten times the size of the file
    compressing.publish(std::to_string(i), value, 1h);
  }
  const auto held = compressing.try_lease("leased", 1h);
  CHECK(compressing.publish("leased", value, 1h, *held));
  CHECK(plain.load("0") == value);
  CHECK(plain.load("leased") == value);
  plain.publish("plain", value, 1h);
  CHECK(compressing.load("plain") == value);
  CHECK_THROWS_WITH_AS(compressing.publish("large", std::string(mebibyte / 8, 'x'), 1h),
                       doctest::Contains("an eighth of max_bytes"), store_error);
}

TEST_CASE("SqliteStore returns a compressed value as it is if it is damaged or above the limit") {
  const temporary_folder folder;
  sqlite_options options = in(folder);
  options.compress = true;
  SqliteStore larger{options};
  larger.publish("bomb", std::string(mebibyte, 'x'), 1h);
  larger.publish("good", std::string(100'000, 'x'), 1h);
  larger.publish("damaged", std::string(100'000, 'x'), 1h);
  change_as_stranger(
      options.path,
      "UPDATE records SET octets = X'8310200101' WHERE name = CAST('site:damaged' AS BLOB)");
  SqliteStore store{in(folder, mebibyte)};
  CHECK(store.load("bomb").value().size() < 2'000);
  CHECK(store.load("good") == std::string(100'000, 'x'));
  CHECK(store.load("damaged") == "\x83\x10\x20\x01\x01");
}

TEST_CASE("Impossible options are refused") {
  const temporary_folder folder;
  CHECK_THROWS_AS(SqliteStore{sqlite_options{}}, std::invalid_argument);
  CHECK_THROWS_AS(SqliteStore{in(folder, mebibyte - 1)}, std::invalid_argument);
  sqlite_options options = in(folder);
  options.timeout = 0ms;
  CHECK_THROWS_AS(SqliteStore{options}, std::invalid_argument);
}

TEST_CASE("A process can open a file several times, by several names") {
  const temporary_folder folder;
  const sqlite_options options = in(folder);
  SqliteStore store{options};
  fs::create_symlink(options.path, folder.path() / "other name");
  SqliteStore other{{.path = (folder.path() / "other name").string(), .max_bytes = 2 * mebibyte}};
  other.publish("https://example.com", "value", 1h);
  CHECK(SqliteStore{options}.load("https://example.com") == "value");
  CHECK(store.load("https://example.com") == "value");
  CHECK(!fs::exists((folder.path() / "other name-wal")));
}

TEST_CASE("A path is the name of a file, even if SQLite gives it another meaning") {
  const temporary_folder folder;
  const fs::path before = fs::current_path();
  fs::current_path(folder.path());
  for (const char* name : {":memory:", "file:name?mode=memory", "%20"}) {
    SqliteStore{{.path = name}}.publish("https://example.com", name, 1h);
    CHECK(fs::is_regular_file(folder.path() / name));
    CHECK(SqliteStore{{.path = name}}.load("https://example.com") == name);
  }
  fs::current_path(before);
}

TEST_CASE("A file of another program is refused, and the error says what to do") {
  const temporary_folder folder;
  const sqlite_options options = in(folder);
  const auto says = [&](std::string_view part) {
    const std::string said = refusal(options);
    CHECK_MESSAGE(said.find(part) != std::string::npos, said);
    CHECK_MESSAGE(said.find(options.path) != std::string::npos, said);
  };
  SUBCASE("a text") {
    write_file(options.path, "User-agent: *\nDisallow:\n");
    says("not a database. Name another file, or");
    CHECK(text_of(options.path) == "User-agent: *\nDisallow:\n");
  }
  SUBCASE("zeros") {
    write_file(options.path, std::string(100'000, '\0'));
    says("not a database");
  }
  SUBCASE("a folder") {
    fs::create_directory(options.path);
    says("unable to open database file: Is a directory");
  }
  SUBCASE("a file in a missing folder") {
    CHECK(refusal({.path = (folder.path() / "no" / "robots.sqlite").string()})
              .find("No such file or directory") != std::string::npos);
  }
  SUBCASE("a device") {
    CHECK(refusal({.path = "/dev/null"}).find("no regular file") != std::string::npos);
  }
  SUBCASE("a file that is read-only for this user") {
    if (::geteuid() != 0) {
      write_file(options.path, "");
      fs::permissions(options.path, fs::perms::owner_read);
      says("attempt to write a readonly database");
    }
  }
  SUBCASE("a database of another program, which does not change") {
    change_as_stranger(options.path, "CREATE TABLE records(number INTEGER PRIMARY KEY, key BLOB)");
    const std::string before = text_of(options.path);
    says("belongs to another program");
    CHECK((text_of(options.path) == before));
  }
  SUBCASE("an empty database of another program") {
    change_as_stranger(options.path, "PRAGMA application_id=1");
    says("belongs to another program");
  }
  SUBCASE("a store in another format") {
    {
      const SqliteStore store{options};
    }
    change_as_stranger(options.path, "PRAGMA application_id=1919902210");
    says("another program or version");
  }
  SUBCASE("a store that was cut off") {
    {
      SqliteStore store{options};
      for (int i = 0; i < 100; ++i) {
        store.publish("https://site" + std::to_string(i) + ".example", std::string(5'000, 'x'), 1h);
      }
    }
    const std::string whole = text_of(options.path);
    for (const std::size_t size : {whole.size() / 2, std::size_t{8'192}, std::size_t{5'000},
                                   std::size_t{4'096}, std::size_t{100}, std::size_t{2}}) {
      write_file(options.path, std::string_view{whole}.substr(0, size));
      CHECK(refusal(options) != "none");
    }
    write_file(options.path, whole);
    CHECK(refusal(options) == "none");
  }
}

TEST_CASE("A folder that cannot be written is named as the reason") {
  const temporary_folder folder;
  ::chmod(folder.path().c_str(), 0555);
  const ordinary_user nobody;
  CHECK_THROWS_WITH_AS(SqliteStore{{.path = (folder.path() / "robots.sqlite").string()}},
                       doctest::Contains("Permission denied"), store_error);
  CHECK_THROWS_WITH_AS(SqliteStore{{.path = (folder.path() / "none" / "robots.sqlite").string()}},
                       doctest::Contains("No such file or directory"), store_error);
}

TEST_CASE("A file that cannot be written says what to permit") {
  const temporary_folder folder;
  const std::string path = (folder.path() / "robots.sqlite").string();
  SqliteStore{{.path = path}}.publish("key", "value", 1h);
  ::chmod(path.c_str(), 0444);
  ::chmod(folder.path().c_str(), 0555);
  const ordinary_user nobody;
  CHECK_THROWS_WITH_AS(SqliteStore{{.path = path}},
                       doctest::Contains("Permit this process to write the file and its folder"),
                       store_error);
}

TEST_CASE("A store whose file is locked at the start works once the file is free") {
  const temporary_folder folder;
  const std::string path = (folder.path() / "robots.sqlite").string();
  bool is_old = false;
  SUBCASE("an empty file") {}
  SUBCASE("a store") { is_old = true; }
  if (is_old) {
    SqliteStore{{.path = path}}.publish("key", "value", 1h);
  }
  sqlite3* other = nullptr;
  REQUIRE(::sqlite3_open(path.c_str(), &other) == SQLITE_OK);
  REQUIRE(::sqlite3_exec(other, "PRAGMA locking_mode=EXCLUSIVE; BEGIN EXCLUSIVE", nullptr, nullptr,
                         nullptr) == SQLITE_OK);
  SqliteStore store{{.path = path, .timeout = 1ms}};
  CHECK_THROWS_WITH_AS(store.publish("key", "value", 1h), doctest::Contains("is locked"),
                       store_error);
  CHECK_THROWS_AS(store.watch([](std::string_view) {}), store_error);
  ::sqlite3_close(other);
  store.publish("key", "other", 1h);
  CHECK(store.load("key") == "other");
  store.watch([](std::string_view) {});
}

TEST_CASE("An empty file becomes a store") {
  const temporary_folder folder;
  write_file(in(folder).path, "");
  SqliteStore store{in(folder)};
  store.publish("https://example.com", "value", 1h);
  CHECK(store.load("https://example.com") == "value");
}

TEST_CASE("A damaged log is ignored, and a folder in its place is an error") {
  const temporary_folder folder;
  const sqlite_options options = in(folder);
  SqliteStore{options}.publish("https://example.com", "value", 1h);
  for (const std::string& octets :
       {std::string{}, std::string(10, 'x'), std::string(100'000, '\xFF')}) {
    for (const char* suffix : {"-wal", "-shm"}) {
      write_file(options.path + suffix, octets);
      CHECK(SqliteStore{options}.load("https://example.com") == "value");
    }
  }
  fs::remove(options.path + "-wal");
  fs::create_directory(options.path + "-wal");
  CHECK(refusal(options).find("unable to open") != std::string::npos);
}

TEST_CASE("A file that is damaged while it is open is an error, not a signal") {
  const temporary_folder folder;
  const sqlite_options options = in(folder);
  SqliteStore store{options};
  for (int i = 0; i < 2'000; ++i) {
    store.publish("https://site" + std::to_string(i) + ".example", std::string(3'000, 'x'), 1h);
  }
  fs::resize_file(options.path, 100'000);
  int lost = 0;
  for (int i = 0; i < 2'000; ++i) {
    try {
      lost += store.load("https://site" + std::to_string(i) + ".example") ? 0 : 1;
    } catch (const store_error&) {
      ++lost;
    }
  }
  CHECK(lost > 0);
}

TEST_CASE("No file content ends the process, or leads to the value of another site") {
  const temporary_folder folder;
  const sqlite_options options = in(folder, 2 * mebibyte);
  {
    SqliteStore store{options};
    for (std::size_t i = 0; i < 150; ++i) {
      const std::string site = "https://site" + std::to_string(i * 7 % 100) + ".example";
      store.publish(site, robots::detail::encode(robots::test::numbered_record(site, i)), 24h);
      static_cast<void>(store.try_lease(site, 1h));
      store.announce(site);
    }
  }  // the destructor empties the log
  const std::string whole = text_of(options.path);
  const std::size_t pages = whole.size() / 4'096;
  const char* const said = std::getenv("ROBOTS_DAMAGES");
  const int rounds = said != nullptr ? std::stoi(said) : 30;
  std::mt19937 random{7};
  int refused = 0;
  for (int round = 0; round < rounds; ++round) {
    std::string damaged = whole;
    for (std::size_t changes = 1 + random() % 3; changes > 0; --changes) {
      // Damage in the first pages, and in the headers of pages, does the most harm.
      const std::size_t page = random() % 3 == 0 ? random() % 2 : random() % pages;
      const std::size_t position = page * 4'096 + random() % (random() % 2 == 0 ? 160 : 4'096);
      const auto flipped = static_cast<unsigned char>(damaged[position]) ^ 1U;
      damaged[position] = static_cast<char>(random() % 3 == 0 ? random() : flipped);
    }
    if (round % 10 == 0) {  // one page becomes zeros or a copy of another page
      const std::size_t page = random() % pages * 4'096;
      damaged.replace(page, 4'096,
                      round % 20 == 0 ? std::string(4'096, '\0')
                                      : whole.substr(random() % pages * 4'096, 4'096));
    }
    write_file(options.path, damaged);
    fs::remove(options.path + "-wal");
    fs::remove(options.path + "-shm");
    try {
      SqliteStore store{options};
      for (const std::string& key : keys_of(store)) {
        const auto value = store.load(key);
        CHECK((!value || !robots::detail::decode(*value).value ||
               robots::test::is_whole(key, *value)));
      }
      for (std::size_t i = 0; i < 100; ++i) {
        const std::string site = "https://site" + std::to_string(i) + ".example";
        store.publish(site, robots::detail::encode(robots::test::numbered_record(site, i)), 24h);
        store.erase("https://site" + std::to_string(i * 31 % 100) + ".example");
        static_cast<void>(store.try_lease(site, 1ms));
      }
    } catch (const store_error&) {
      ++refused;
    }
  }
  MESSAGE(refused, " of ", rounds, " damaged files were refused");
  CHECK(refused > rounds / 10);
}

TEST_CASE("A full store drops the oldest records and stays within its bounds") {
  const temporary_folder folder;
  const sqlite_options options = in(folder, mebibyte);
  SqliteStore store{options};
  std::vector<std::string> published;
  for (int i = 0; i < 3'000; ++i) {
    published.push_back("https://site" + std::to_string(i) + ".example");
    store.publish(published.back(), std::string(700 + static_cast<std::size_t>(i % 5'000), 'x'),
                  i % 2 == 0 ? 1h : 24h);
    REQUIRE(store.load(published.back()));
  }
  const std::vector<std::string> stored = keys_of(store);
  CHECK(stored.size() > 100);
  CHECK(std::vector<std::string>(published.end() - static_cast<std::ptrdiff_t>(stored.size()),
                                 published.end()) == stored);
  CHECK(fs::file_size(options.path) <= mebibyte);
}

TEST_CASE("A full store makes room for values of every size") {
  const temporary_folder folder;
  const sqlite_options options = in(folder, mebibyte);
  SqliteStore store{options};
  std::mt19937 random{5};
  for (int i = 0; i < 2'000; ++i) {
    const std::string key = "https://site" + std::to_string(random() % 400) + ".example";
    const std::string value(random() % (random() % 4 == 0 ? 131'000 : 3'000),
                            static_cast<char>('a' + i % 26));
    store.publish(key, value, 1h);
    REQUIRE((store.load(key) == value));
  }
  CHECK(fs::file_size(options.path) <= mebibyte);
}

TEST_CASE("A value above an eighth of max_bytes is refused, and the other values stay") {
  const temporary_folder folder;
  SqliteStore store{in(folder, mebibyte)};
  store.publish("https://example.com", "value", 1h);
  CHECK_THROWS_AS(store.publish("https://example.com", std::string(mebibyte / 8, 'x'), 1h),
                  store_error);
  CHECK(store.load("https://example.com") == "value");
  store.publish("https://example.com", std::string(mebibyte / 8 - 19, 'x'), 1h);
  CHECK(store.load("https://example.com")->size() == mebibyte / 8 - 19);
}

TEST_CASE("A store whose limit has become smaller drops the oldest records step by step") {
  const temporary_folder folder;
  {
    SqliteStore store{in(folder, 16 * mebibyte)};
    for (int i = 0; i < 2'500; ++i) {
      store.publish("https://site" + std::to_string(i) + ".example", std::string(3'000, 'x'), 1h);
    }
  }
  SqliteStore store{in(folder, 2 * mebibyte)};
  for (int i = 0; i < 10; ++i) {
    store.publish("https://new" + std::to_string(i) + ".example", "value", 1h);
  }
  CHECK(keys_of(store).size() < 600);
  CHECK(store.load("https://site2499.example"));
}

TEST_CASE("If the disk is full, a store drops the oldest records") {
  const temporary_folder folder;
  const sqlite_options options = in(folder);
  SqliteStore store{options};
  std::vector<std::string> published;
  const auto publish = [&](std::size_t octets) {
    published.push_back("https://site" + std::to_string(published.size()) + ".example");
    store.publish(published.back(), std::string(octets, 'x'), 1h);
    return store.load(published.back())->size() == octets;
  };
  bool are_there = true;
  {
    const full_disk full{3 * mebibyte};
    for (std::size_t i = 0; i < 4'000; ++i) {
      are_there = publish(700 + i % 5'000) && are_there;
    }
    are_there = publish(mebibyte) && are_there;
    are_there = publish(700) && are_there;
    store.erase(published.back());
    published.pop_back();
  }
  CHECK(are_there);
  CHECK(fs::file_size(options.path) <= 3 * mebibyte);
  const std::vector<std::string> stored = keys_of(store);
  CHECK(stored.size() > 50);
  CHECK(std::vector<std::string>(published.end() - static_cast<std::ptrdiff_t>(stored.size()),
                                 published.end()) == stored);
}

TEST_CASE("If the disk is full, a store drops the oldest records to store a large one") {
  const temporary_folder folder;
  SqliteStore store{in(folder)};
  const full_disk full{6 * mebibyte};
  for (int i = 0; i < 60; ++i) {
    const std::string key = "https://site" + std::to_string(i) + ".example";
    CHECK_NOTHROW(store.publish(key, std::string(680'000, 'x'), 1h));
    CHECK(store.load(key));
  }
}

TEST_CASE("A disk without space causes an error, and the store works again once there is space") {
  const temporary_folder folder;
  SqliteStore store{in(folder)};
  store.publish("https://example.com", "value", 1h);
  std::string said;
  {
    const full_disk full{0};
    try {
      store.publish("https://other.example", std::string(1'000'000, 'x'), 1h);
    } catch (const store_error& error) {
      said = error.what();
    }
  }
  CHECK_MESSAGE(said.find(in(folder).path) != std::string::npos, said);
  CHECK(store.load("https://example.com") == "value");
  store.publish("https://other.example", std::string(1'000'000, 'x'), 1h);
  CHECK(store.load("https://other.example"));
}

TEST_CASE(
    "Records expire if the clock was set back by more than a minute after their publication") {
  const temporary_folder folder;
  SqliteStore store{in(folder)};
  store.publish("https://example.com", "value", 1h);
  REQUIRE(store.try_lease("https://example.com", 1h));
  const auto move = [&](int seconds) {
    const std::string time = std::to_string(seconds * 1'000);
    change_as_stranger(in(folder).path,
                       "UPDATE records SET since = since + " + time + ", until = until + " + time);
  };
  move(50);
  CHECK(store.load("https://example.com") == "value");
  CHECK(!store.try_lease("https://example.com", 1h));
  CHECK(keys_of(store).size() == 1);
  move(30);
  CHECK(!store.load("https://example.com"));
  CHECK(keys_of(store).empty());
  CHECK(store.try_lease("https://example.com", 1h));
}

TEST_CASE("A damaged index never returns the record of another site") {
  const temporary_folder folder;
  {
    SqliteStore store{in(folder)};
    store.publish("https://a.example", "for a", 1h);
    store.publish("https://b.example", "for b", 1h);
  }
  change_as_stranger(in(folder).path,
                     "CREATE TEMP TABLE hashes AS SELECT number, hash FROM records;"
                     "UPDATE records SET hash ="
                     " (SELECT hash FROM hashes WHERE hashes.number = 3 - records.number)");
  SqliteStore store{in(folder)};
  CHECK(!store.load("https://a.example"));
  CHECK(!store.load("https://b.example"));
}

TEST_CASE("A publication deletes expired records even if there is room") {
  const temporary_folder folder;
  SqliteStore store{in(folder)};
  for (int i = 0; i < 10; ++i) {
    store.publish("https://short" + std::to_string(i) + ".example", std::string(500'000, 'x'), 1ms);
  }
  const auto size = fs::file_size(in(folder).path);
  CHECK(
      robots::test::comes_true(robots::test::real_time{}, [&] { return keys_of(store).empty(); }));
  for (int i = 0; i < 30; ++i) {
    store.publish("https://example.com", std::string(500'000, 'x'), 1h);
  }
  CHECK(fs::file_size(in(folder).path) < size + 2 * mebibyte);
}

TEST_CASE("A record with a lifetime of 100 years does not stop the removal of expired records") {
  const temporary_folder folder;
  const sqlite_options options = in(folder, mebibyte);
  SqliteStore store{options};
  for (const char* name : {"ruling://a.example", "ruling://b.example", "ruling://c.example"}) {
    store.publish(name, "x", std::chrono::years{100});
  }
  for (int i = 0; i < 3'000; ++i) {
    store.publish("https://site" + std::to_string(i) + ".example", std::string(2'000, 'x'), 1ms);
  }
  CHECK(store.load("ruling://a.example"));
  CHECK(store.load("ruling://b.example"));
  CHECK(store.load("ruling://c.example"));
}

TEST_CASE("A listing has every unexpired value, oldest first, and its callback can use the store") {
  const temporary_folder folder;
  SqliteStore store{in(folder)};
  std::vector<std::string> expected;
  for (int i = 0; i < 5'000; ++i) {
    expected.push_back("https://site" + std::to_string(i * 7 % 5'000) + ".example");
    store.publish(expected.back(), "value", 1h);
  }
  store.publish("https://over.example", "value", 1ms);
  CHECK(robots::test::comes_true(robots::test::real_time{},
                                 [&] { return !store.load("https://over.example"); }));
  CHECK(keys_of(store) == expected);
  store.for_each([&](std::string_view key, std::chrono::milliseconds left) {
    CHECK(left <= 1h);
    store.erase(key);
  });
  CHECK(keys_of(store).empty());
}

TEST_CASE("A store can be opened again after its file was deleted") {
  const temporary_folder folder;
  const sqlite_options options = in(folder);
  SqliteStore store{options};
  store.publish("https://example.com", "value", 1h);
  for (const char* suffix : {"", "-wal", "-shm"}) {
    fs::remove(options.path + suffix);
  }
  SqliteStore other{options};
  CHECK(other.load("https://example.com") == std::nullopt);
  other.publish("https://example.com", "new", 1h);
  CHECK(store.load("https://example.com") == "value");
  CHECK(other.load("https://example.com") == "new");
}

TEST_CASE("The timeout of a file works at its extremes or is refused") {
  using std::chrono::milliseconds;
  const robots::test::temporary_folder folder;
  int accepted = 0;
  for (const milliseconds timeout : robots::test::extremes<milliseconds>) {
    try {
      robots::SqliteStore store{{.path = (folder.path() / "store").string(), .timeout = timeout}};
      store.publish("key", "value", milliseconds::max());
      CHECK(store.load("key") == "value");
      ++accepted;
    } catch (const std::invalid_argument&) {
      continue;
    }
  }
  CHECK(accepted >= 2);
}

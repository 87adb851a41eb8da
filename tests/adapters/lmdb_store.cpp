#include <robots/adapters/lmdb_store.hpp>

#include "adapters/lmdb_records.hpp"
#include "store/store_conformance.hpp"
#include "support/extremes.hpp"
#include "support/temporary_folder.hpp"

#include <doctest/doctest.h>
#include <lmdb.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

using namespace std::chrono_literals;
using robots::lmdb_options;
using robots::LmdbStore;
using robots::store_error;
using robots::test::temporary_folder;

namespace fs = std::filesystem;

namespace {

constexpr std::size_t mebibyte = std::size_t{1} << 20U;

lmdb_options in(const temporary_folder& folder, std::size_t max_bytes = 64 * mebibyte) {
  return {.path = (folder.path() / "robots.lmdb").string(), .max_bytes = max_bytes};
}

/// What the constructor says of a file.
std::string refusal(const lmdb_options& options) {
  try {
    const LmdbStore store{options};
    return "none";
  } catch (const store_error& error) {
    return error.what();
  }
}

void write_file(const std::string& path, std::string_view octets) {
  std::ofstream{path, std::ios::binary} << octets;
}

std::string read_file(const std::string& path) {
  std::ifstream stream{path, std::ios::binary};
  return {std::istreambuf_iterator<char>{stream}, {}};
}

/// Changes a file as any program could, with LMDB alone.
void change_as_stranger(const std::string& path, const std::function<void(MDB_txn*)>& change) {
  MDB_env* environment = nullptr;
  MDB_txn* transaction = nullptr;
  REQUIRE(::mdb_env_create(&environment) == 0);
  REQUIRE(::mdb_env_set_maxdbs(environment, 8) == 0);
  REQUIRE(::mdb_env_open(environment, path.c_str(), MDB_NOSUBDIR, 0644) == 0);
  REQUIRE(::mdb_txn_begin(environment, nullptr, 0, &transaction) == 0);
  change(transaction);
  REQUIRE(::mdb_txn_commit(transaction) == 0);
  ::mdb_env_close(environment);
}

void put_as_stranger(MDB_txn* transaction, const char* table, std::string key, std::string value) {
  MDB_dbi where{};
  REQUIRE(::mdb_dbi_open(transaction, table, table == nullptr ? 0U : unsigned{MDB_CREATE},
                         &where) == 0);
  MDB_val wanted{key.size(), key.data()};
  MDB_val given{value.size(), value.data()};
  REQUIRE(::mdb_put(transaction, where, &wanted, &given, 0) == 0);
}

std::vector<std::string> keys_of(LmdbStore& store) {
  std::vector<std::string> keys;
  store.for_each([&](std::string_view key, std::chrono::milliseconds left) {
    CHECK(left > 0ms);
    keys.emplace_back(key);
  });
  return keys;
}

}  // namespace

TEST_CASE("LmdbStore is a shared store") {
  const temporary_folder folder;
  robots::test::store_conformance([&] { return LmdbStore{in(folder)}; });
}

TEST_CASE("LmdbStore is a shared store when each change is flushed, and none is given up") {
  const temporary_folder folder;
  LmdbStore store{{.path = (folder.path() / "robots.lmdb").string(),
                   .timeout = std::chrono::milliseconds::max(),
                   .flush = true}};
  store.publish("https://example.com", "value", 1h);
  CHECK(store.load("https://example.com") == "value");
}

TEST_CASE("options that cannot be are a mistake") {
  const temporary_folder folder;
  CHECK_THROWS_AS(LmdbStore{lmdb_options{}}, std::invalid_argument);
  CHECK_THROWS_AS(LmdbStore{in(folder, mebibyte - 1)}, std::invalid_argument);
  lmdb_options options = in(folder);
  options.timeout = 0ms;
  CHECK_THROWS_AS(LmdbStore{options}, std::invalid_argument);
}

TEST_CASE("one process has a file open with one set of options, whatever the file is called") {
  const temporary_folder folder;
  const lmdb_options options = in(folder);
  const LmdbStore store{options};
  CHECK_THROWS_AS(LmdbStore{in(folder, 2 * mebibyte)}, std::invalid_argument);
  fs::create_symlink(options.path, folder.path() / "other name");
  LmdbStore other{
      {.path = (folder.path() / "other name").string(), .max_bytes = options.max_bytes}};
  other.publish("https://example.com", "value", 1h);
  CHECK(LmdbStore{options}.load("https://example.com") == "value");
}

TEST_CASE("a file that is not of a store is refused with what to do about it") {
  const temporary_folder folder;
  const lmdb_options options = in(folder);
  const auto says = [&](std::string_view part) {
    const std::string said = refusal(options);
    CHECK_MESSAGE(said.find(part) != std::string::npos, said);
    CHECK_MESSAGE(said.find(options.path) != std::string::npos, said);
  };
  SUBCASE("a text") {
    write_file(options.path, "User-agent: *\nDisallow:\n");
    says("no file of LMDB. Name another file; or");
    CHECK(read_file(options.path) == "User-agent: *\nDisallow:\n");
  }
  SUBCASE("zeros") {
    write_file(options.path, std::string(100'000, '\0'));
    says("no file of LMDB");
  }
  SUBCASE("a folder") {
    fs::create_directory(options.path);
    says("directory");
  }
  SUBCASE("a file in a folder that is not there") {
    CHECK(refusal({.path = (folder.path() / "no" / "robots.lmdb").string()}).find("No such file") !=
          std::string::npos);
  }
  SUBCASE("a device") {
    CHECK(refusal({.path = "/dev/null"}).find("no regular file") != std::string::npos);
  }
  SUBCASE("a file that this user may not write") {
    if (::geteuid() != 0) {
      write_file(options.path, "");
      fs::permissions(options.path, fs::perms::owner_read);
      says("Permission denied");
    }
  }
  SUBCASE("an LMDB file of another program") {
    change_as_stranger(options.path, [](MDB_txn* transaction) {
      put_as_stranger(transaction, nullptr, "key", "value");
    });
    says("belongs to another program");
  }
  SUBCASE("an LMDB file of another program, with tables") {
    change_as_stranger(options.path, [](MDB_txn* transaction) {
      put_as_stranger(transaction, "values", "key", "value");
      put_as_stranger(transaction, "others", "key", "value");
    });
    says("belongs to another program");
  }
  SUBCASE("an LMDB file of another program, with tables of our names") {
    change_as_stranger(options.path, [](MDB_txn* transaction) {
      put_as_stranger(transaction, "values", "key", "value");
    });
    says("belongs to another program");
  }
  SUBCASE("a store in another format") {
    {
      const LmdbStore store{options};
    }
    change_as_stranger(options.path, [](MDB_txn* transaction) {
      put_as_stranger(transaction, nullptr, "robots-cpp store", "2");
    });
    says("another format");
  }
  SUBCASE("a store that was cut off") {
    {
      LmdbStore store{options};
      for (int i = 0; i < 100; ++i) {
        store.publish("https://site" + std::to_string(i) + ".example", std::string(5'000, 'x'), 1h);
      }
    }
    const std::string whole = read_file(options.path);
    for (const std::size_t size : {whole.size() / 2, std::size_t{8'192}, std::size_t{5'000},
                                   std::size_t{4'096}, std::size_t{100}, std::size_t{1}}) {
      write_file(options.path, std::string_view{whole}.substr(0, size));
      CHECK(refusal(options) != "none");
    }
    write_file(options.path, whole);
    CHECK(refusal(options) == "none");
  }
}

TEST_CASE("an empty file becomes a store") {
  const temporary_folder folder;
  write_file(in(folder).path, "");
  LmdbStore store{in(folder)};
  store.publish("https://example.com", "value", 1h);
  CHECK(store.load("https://example.com") == "value");
}

TEST_CASE("the lock beside the file is made anew when nobody uses it, whatever it holds") {
  const temporary_folder folder;
  const lmdb_options options = in(folder);
  LmdbStore{options}.publish("https://example.com", "value", 1h);
  for (const std::string& octets :
       {std::string{}, std::string(10, 'x'), std::string(100'000, '\xFF')}) {
    write_file(options.path + "-lock", octets);
    CHECK(LmdbStore{options}.load("https://example.com") == "value");
  }
  fs::remove(options.path + "-lock");
  CHECK(LmdbStore{options}.load("https://example.com") == "value");
  fs::remove(options.path + "-lock");
  fs::create_directory(options.path + "-lock");
  CHECK(refusal(options).find("cannot be opened by LMDB") != std::string::npos);
}

TEST_CASE("no octets of a file end the process that opens it, and no value is made of others") {
  const temporary_folder folder;
  const lmdb_options options = in(folder, 2 * mebibyte);
  {
    LmdbStore store{options};
    for (std::size_t i = 0; i < 150; ++i) {
      const std::string site = "https://site" + std::to_string(i * 7 % 100) + ".example";
      store.publish(site, encode(robots::test::numbered_record(site, i)), 24h);
      static_cast<void>(store.try_lease(site, 1h));
      store.announce(site);
    }
  }
  const std::string whole = read_file(options.path);
  const std::size_t pages = whole.size() / 4'096;
  const char* const said = std::getenv("ROBOTS_DAMAGES");
  const int rounds = said != nullptr ? std::stoi(said) : 30;
  std::mt19937 random{7};
  int refused = 0;
  for (int round = 0; round < rounds; ++round) {
    std::string damaged = whole;
    for (std::size_t changes = 1 + random() % 3; changes > 0; --changes) {
      // The heads of pages matter most, and the first pages more than others.
      const std::size_t page = random() % 3 == 0 ? random() % 2 : random() % pages;
      const std::size_t at = page * 4'096 + random() % (random() % 2 == 0 ? 160 : 4'096);
      const auto flipped = static_cast<unsigned char>(damaged[at]) ^ 1U;
      damaged[at] = static_cast<char>(random() % 3 == 0 ? random() : flipped);
    }
    if (round % 10 == 0) {  // a page that was never written, or another one in its place
      const std::size_t page = random() % pages * 4'096;
      damaged.replace(page, 4'096,
                      round % 20 == 0 ? std::string(4'096, '\0')
                                      : whole.substr(random() % pages * 4'096, 4'096));
    }
    write_file(options.path, damaged);
    try {
      LmdbStore store{options};
      for (const std::string& key : keys_of(store)) {
        const auto value = store.load(key);
        CHECK((!value || !robots::decode(*value).record || robots::test::is_whole(key, *value)));
      }
      for (std::size_t i = 0; i < 100; ++i) {
        const std::string site = "https://site" + std::to_string(i) + ".example";
        store.publish(site, encode(robots::test::numbered_record(site, i)), 24h);
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

TEST_CASE("a full store drops what was published longest ago, and stays within its bounds") {
  const temporary_folder folder;
  const lmdb_options options = in(folder, mebibyte);
  LmdbStore store{options};
  std::vector<std::string> published;
  for (int i = 0; i < 3'000; ++i) {
    published.push_back("https://site" + std::to_string(i) + ".example");
    store.publish(published.back(), std::string(700 + static_cast<std::size_t>(i % 5'000), 'x'),
                  i % 2 == 0 ? 1h : 24h);
    REQUIRE(store.load(published.back()));
  }
  const std::vector<std::string> kept = keys_of(store);
  CHECK(kept.size() > 100);
  CHECK(std::vector<std::string>(published.end() - static_cast<std::ptrdiff_t>(kept.size()),
                                 published.end()) == kept);
  CHECK(fs::file_size(options.path) <= mebibyte);
}

TEST_CASE("a full store makes room for values of every size") {
  const temporary_folder folder;
  const lmdb_options options = in(folder, mebibyte);
  LmdbStore store{options};
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

TEST_CASE("a value of more than an eighth of the room is refused, and what was there stays") {
  const temporary_folder folder;
  LmdbStore store{in(folder, mebibyte)};
  store.publish("https://example.com", "value", 1h);
  CHECK_THROWS_AS(store.publish("https://example.com", std::string(mebibyte / 8, 'x'), 1h),
                  store_error);
  CHECK(store.load("https://example.com") == "value");
  store.publish("https://example.com", std::string(mebibyte / 8 - 19, 'x'), 1h);
  CHECK(store.load("https://example.com")->size() == mebibyte / 8 - 19);
}

TEST_CASE("a store that was made smaller drops the oldest little by little") {
  const temporary_folder folder;
  {
    LmdbStore store{in(folder, 16 * mebibyte)};
    for (int i = 0; i < 2'500; ++i) {
      store.publish("https://site" + std::to_string(i) + ".example", std::string(3'000, 'x'), 1h);
    }
  }
  LmdbStore store{in(folder, 2 * mebibyte)};
  for (int i = 0; i < 10; ++i) {
    store.publish("https://new" + std::to_string(i) + ".example", "value", 1h);
  }
  CHECK(keys_of(store).size() < 500);
  CHECK(store.load("https://site2499.example"));
}

TEST_CASE("what is over goes when something is published, even if there is room") {
  const temporary_folder folder;
  LmdbStore store{in(folder)};
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

TEST_CASE("a listing has every value that holds, the oldest first, and may call the store") {
  const temporary_folder folder;
  LmdbStore store{in(folder)};
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

TEST_CASE("a file that was deleted while it was open can be made again") {
  const temporary_folder folder;
  const lmdb_options options = in(folder);
  LmdbStore store{options};
  store.publish("https://example.com", "value", 1h);
  fs::remove(options.path);
  fs::remove(options.path + "-lock");
  LmdbStore other{options};
  CHECK(other.load("https://example.com") == std::nullopt);
  other.publish("https://example.com", "new", 1h);
  CHECK(store.load("https://example.com") == "value");
  CHECK(other.load("https://example.com") == "new");
}

TEST_CASE("The timeout of LMDB works at its extremes or is refused") {
  using std::chrono::milliseconds;
  const robots::test::temporary_folder folder;
  int accepted = 0;
  for (const milliseconds timeout : robots::test::extremes<milliseconds>) {
    try {
      robots::LmdbStore store{{.path = (folder.path() / "store").string(), .timeout = timeout}};
      store.publish("key", "value", milliseconds::max());
      CHECK(store.load("key") == "value");
      ++accepted;
    } catch (const std::invalid_argument&) {
      continue;
    }
  }
  CHECK(accepted >= 2);
}

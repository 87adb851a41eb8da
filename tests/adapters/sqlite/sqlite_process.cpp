// Another process for the tests of SqliteStore. Its arguments are FILE, MAX_BYTES and one of:
//
//     work NUMBER             publishes, erases and leases until the process is killed
//     hang KEY                publishes KEY, and reads the file until the process is killed
//     publish KEY VALUE       publishes VALUE for an hour
//     erase KEY               erases KEY
//     lease KEY MILLISECONDS  exits with 0 if it gets the lease of KEY
//     holds KEY VALUE         exits with 0 if the value of KEY is VALUE
#include "adapters/sqlite/sqlite_records.hpp"
#include <robots/adapters/sqlite/sqlite_store.hpp>
#include <robots/policy/codec.hpp>

#include <sqlite3.h>
#include <unistd.h>

#include <chrono>
#include <cstddef>
#include <exception>
#include <iostream>
#include <string>
#include <vector>

namespace {

using namespace std::chrono_literals;

/// Publishes, erases and leases. Publishes the number of its rounds under "progress/NUMBER".
[[noreturn]] void work(robots::SqliteStore& store, const std::string& number) {
  for (std::size_t round = 0;; ++round) {
    const std::string site = "https://site" + std::to_string(round * 7 % 300) + ".example";
    if (const auto lease = store.try_lease(site, 1h)) {
      store.publish(site, robots::detail::encode(robots::test::numbered_record(site, round)), 24h);
      store.release(*lease);
    }
    static_cast<void>(store.load("https://site" + std::to_string(round % 300) + ".example"));
    if (round % 5 == 4) {
      store.erase("https://site" + std::to_string(round * 3 % 300) + ".example");
    }
    store.publish("progress/" + number, std::to_string(round), 1h);
  }
}

/// Publishes a key, and keeps a read transaction open, which any program can do.
[[noreturn]] void hang(const robots::sqlite_options& options, robots::SqliteStore& store,
                       const std::string& key) {
  sqlite3* reader = nullptr;
  ::sqlite3_open(options.path.c_str(), &reader);
  ::sqlite3_exec(reader, "BEGIN; SELECT count(*) FROM records", nullptr, nullptr, nullptr);
  store.publish(key, "value", 1h);
  for (;;) {
    ::pause();
  }
}

int run(const std::vector<std::string>& words) {
  const robots::sqlite_options options{
      .path = words.at(1), .max_bytes = std::stoul(words.at(2)), .timeout = 20s};
  robots::SqliteStore store{options};
  const std::string& kind = words.at(3);
  const std::string& key = words.at(4);
  if (kind == "work") {
    work(store, key);
  } else if (kind == "hang") {
    hang(options, store, key);
  } else if (kind == "publish") {
    store.publish(key, words.at(5), 1h);
  } else if (kind == "erase") {
    store.erase(key);
  } else if (kind == "lease") {
    return store.try_lease(key, std::chrono::milliseconds{std::stol(words.at(5))}) ? 0 : 1;
  } else if (kind == "holds") {
    return store.load(key) == words.at(5) ? 0 : 1;
  }
  return 0;
}

}  // namespace

int main(int count, char** words) {
  try {
    return run({words, words + count});
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 2;
  }
}

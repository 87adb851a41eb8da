// What a test has other processes do with an LmdbStore:
//
//     robots_lmdb_process FILE MAX_BYTES work NUMBER      publishes, erases and leases until killed
//     robots_lmdb_process FILE MAX_BYTES hang KEY         publishes KEY, and reads until killed
//     robots_lmdb_process FILE MAX_BYTES publish KEY VALUE
//     robots_lmdb_process FILE MAX_BYTES erase KEY
//     robots_lmdb_process FILE MAX_BYTES lease KEY MILLISECONDS
//     robots_lmdb_process FILE MAX_BYTES holds KEY VALUE  exit status 0 if that is its value
#include "adapters/lmdb_records.hpp"
#include <robots/adapters/detail/lmdb_file.hpp>
#include <robots/adapters/lmdb_store.hpp>
#include <robots/policy/codec.hpp>

#include <chrono>
#include <cstddef>
#include <exception>
#include <iostream>
#include <string>
#include <vector>

namespace {

using namespace std::chrono_literals;

/// Counts its rounds under "progress/NUMBER".
[[noreturn]] void work(robots::LmdbStore& store, const std::string& number) {
  for (std::size_t round = 0;; ++round) {
    const std::string site = "https://site" + std::to_string(round * 7 % 300) + ".example";
    if (const auto lease = store.try_lease(site, 1h)) {
      store.publish(site, encode(robots::test::numbered_record(site, round)), 24h);
      store.release(*lease);
    }
    static_cast<void>(store.load("https://site" + std::to_string(round % 300) + ".example"));
    if (round % 5 == 4) {
      store.erase("https://site" + std::to_string(round * 3 % 300) + ".example");
    }
    store.publish("progress/" + number, std::to_string(round), 1h);
  }
}

/// Publishes a key while it reads, and reads on.
[[noreturn]] void hang(const robots::lmdb_options& options, robots::LmdbStore& store,
                       const std::string& key) {
  const auto file = robots::adapters_detail::lmdb_file::open(options);
  const robots::adapters_detail::lmdb_file::snapshot read{*file};
  store.publish(key, "value", 1h);
  for (;;) {
    ::pause();
  }
}

int run(const std::vector<std::string>& words) {
  const robots::lmdb_options options{
      .path = words.at(1), .max_bytes = std::stoul(words.at(2)), .timeout = 20s};
  robots::LmdbStore store{options};
  const std::string& what = words.at(3);
  const std::string& key = words.at(4);
  if (what == "work") {
    work(store, key);
  } else if (what == "hang") {
    hang(options, store, key);
  } else if (what == "publish") {
    store.publish(key, words.at(5), 1h);
  } else if (what == "erase") {
    store.erase(key);
  } else if (what == "lease") {
    return store.try_lease(key, std::chrono::milliseconds{std::stol(words.at(5))}) ? 0 : 1;
  } else if (what == "holds") {
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

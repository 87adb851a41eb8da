// SqliteStore in several processes, and in processes that are killed. ROBOTS_KILL_ROUNDS is the
// number of rounds.
#include "adapters/sqlite/sqlite_records.hpp"
#include "store/store_conformance.hpp"
#include "support/child_process.hpp"
#include "support/temporary_folder.hpp"
#include "support/text_of.hpp"
#include <robots/adapters/sqlite/sqlite_store.hpp>

#include <doctest/doctest.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

using namespace std::chrono_literals;
using robots::sqlite_options;
using robots::SqliteStore;
using robots::test::child_process;
using robots::test::comes_true;
using robots::test::real_time;
using robots::test::temporary_folder;
using robots::test::text_of;

namespace {

/// A file, and processes that use it.
class shared_file {
 public:
  explicit shared_file(std::size_t max_bytes) : max_bytes_{max_bytes} {}

  [[nodiscard]] SqliteStore open(std::chrono::milliseconds timeout = 20s) const {
    return SqliteStore{sqlite_options{.path = path(), .max_bytes = max_bytes_, .timeout = timeout}};
  }
  [[nodiscard]] std::string path() const { return (folder_.path() / "robots.sqlite").string(); }

  /// Returns the output of the processes of `start`.
  [[nodiscard]] std::string log() const { return text_of(folder_.path() / "log"); }

  /// Starts a process, and does not wait for it.
  [[nodiscard]] std::unique_ptr<child_process> start(std::vector<std::string> words) const {
    words.insert(words.begin(), {ROBOTS_SQLITE_PROCESS, path(), std::to_string(max_bytes_)});
    return std::make_unique<child_process>(words, (folder_.path() / "log").string());
  }

  /// Runs a process to its end. Returns its exit status, or -1 if a signal ended it.
  [[nodiscard]] int run(std::vector<std::string> words) const { return run(path(), words); }

  /// Like `run(words)`, but the process opens the file under another name.
  [[nodiscard]] int run(const std::string& name, std::vector<std::string> words) const {
    words.insert(words.begin(), {ROBOTS_SQLITE_PROCESS, name, std::to_string(max_bytes_)});
    std::vector<char*> arguments;
    for (std::string& word : words) {
      arguments.push_back(word.data());
    }
    arguments.push_back(nullptr);
    pid_t child = 0;
    int ended = -1;
    REQUIRE(::posix_spawn(&child, arguments.front(), nullptr, nullptr, arguments.data(), environ) ==
            0);
    ::waitpid(child, &ended, 0);
    return WIFEXITED(ended) ? WEXITSTATUS(ended) : -1;
  }

 private:
  temporary_folder folder_;
  std::size_t max_bytes_;
};

/// Returns the number of rounds that a process has finished.
std::size_t progress(SqliteStore& store, const std::string& number) {
  const auto round = store.load("progress/" + number);
  return round ? std::stoul(*round) + 1 : 0;
}

std::size_t kill_rounds() {
  const char* const said = std::getenv("ROBOTS_KILL_ROUNDS");
  return said != nullptr ? std::stoul(said) : 8;
}

/// The number of all values and of whole values in a file, without the keys under "progress/".
struct tally {
  std::size_t values = 0;
  std::size_t whole = 0;
};
tally read_all(SqliteStore& store) {
  tally counted;
  store.for_each([&](std::string_view key, std::chrono::milliseconds /*left*/) {
    const auto value = store.load(key);
    if (value && !key.starts_with("progress/")) {
      ++counted.values;
      counted.whole += robots::test::is_whole(key, *value) ? 1 : 0;
    }
  });
  return counted;
}

}  // namespace

TEST_CASE("Processes share one file, and later processes find its records") {
  const shared_file file{std::size_t{16} << 20U};
  CHECK(file.run({"publish", "https://example.com", "first"}) == 0);
  CHECK(file.run({"holds", "https://example.com", "first"}) == 0);
  SqliteStore store = file.open();
  CHECK(store.load("https://example.com") == "first");
  CHECK(file.run({"publish", "https://example.com", "second"}) == 0);
  CHECK(store.load("https://example.com") == "second");
  store.publish("https://example.com", "third", 1h);
  CHECK(file.run({"holds", "https://example.com", "third"}) == 0);
  CHECK(file.run({"erase", "https://example.com"}) == 0);
  CHECK(store.load("https://example.com") == std::nullopt);
}

TEST_CASE("Writes of processes that open the file by a symbolic link are not lost") {
  const shared_file file{std::size_t{16} << 20U};
  SqliteStore store = file.open();
  const std::string link = file.path() + "-by-another-name";
  std::filesystem::create_symlink(file.path(), link);
  CHECK(file.run(link, {"publish", "https://example.com", "theirs"}) == 0);
  CHECK(store.load("https://example.com") == "theirs");
  store.publish("https://other.example", "ours", 1h);
  CHECK(store.load("https://example.com") == "theirs");
  CHECK(file.run(link, {"holds", "https://other.example", "ours"}) == 0);
}

TEST_CASE("A lease excludes other processes, even after its holder has ended") {
  const shared_file file{std::size_t{16} << 20U};
  SqliteStore store = file.open();
  const auto lease = store.try_lease("https://example.com", 1h);
  REQUIRE(lease);
  CHECK(file.run({"lease", "https://example.com", "1000"}) == 1);
  store.release(*lease);
  CHECK(file.run({"lease", "https://example.com", "1500"}) == 0);
  CHECK(!store.try_lease("https://example.com", 1h));
  CHECK(comes_true(real_time{}, [&] { return store.try_lease("https://example.com", 1h); }));
}

TEST_CASE("An erasure in another process is reported within a second") {
  const shared_file file{std::size_t{16} << 20U};
  SqliteStore store = file.open();
  robots::test::told_keys keys;
  store.watch(keys.listener());
  CHECK(file.run({"erase", "https://example.com"}) == 0);
  const auto start = std::chrono::steady_clock::now();
  CHECK(comes_true(real_time{}, [&] { return keys.has("https://example.com"); }));
  CHECK(std::chrono::steady_clock::now() - start < 1s);
}

TEST_CASE("Every record is whole after four processes were killed while they wrote") {
  std::mt19937 random{13};
  for (const std::size_t megabytes : {4U, 64U}) {  // 4 MiB get full, 64 MiB do not
    const shared_file file{megabytes << 20U};
    std::size_t values = 0;
    for (std::size_t round = 0; round < kill_rounds(); ++round) {
      std::optional<SqliteStore> watching;
      if (round % 2 == 0) {
        watching.emplace(file.open());  // else the last process is killed
      }
      std::vector<std::unique_ptr<child_process>> killed;
      for (int i = 0; i < 4; ++i) {
        killed.push_back(file.start({"work", std::to_string(round) + "/" + std::to_string(i)}));
      }
      const std::string first = std::to_string(round) + "/0";
      const std::size_t enough = 1 + random() % 60;
      {
        SqliteStore store = file.open();
        const bool worked =
            comes_true(real_time{}, [&] { return progress(store, first) >= enough; });
        REQUIRE_MESSAGE(worked, file.log());
      }
      killed.clear();
      SqliteStore store = file.open();
      const tally found = read_all(store);
      CHECK(found.whole == found.values);
      values += found.values;
      store.publish("progress/last", "written after them", 1h);
      CHECK(store.load("progress/last") == "written after them");
    }
    CHECK(values > 0);
    CHECK(std::filesystem::file_size(file.path()) <= megabytes << 20U);
  }
}

TEST_CASE(
    "A process that hangs while it writes never blocks readers, and blocks writers for their "
    "timeout") {
  const shared_file file{std::size_t{16} << 20U};
  SqliteStore store = file.open(300ms);
  store.publish("https://example.com", "value", 1h);
  const auto other = file.start({"work", "0"});
  REQUIRE(comes_true(real_time{}, [&] { return progress(store, "0") > 5; }));
  bool was_refused = false;
  for (int tries = 0; tries < 200 && !was_refused; ++tries) {
    other->freeze();
    const auto start = std::chrono::steady_clock::now();
    try {
      store.announce("https://example.com");
    } catch (const robots::store_error&) {
      was_refused = true;
      CHECK(std::chrono::steady_clock::now() - start < 10s);
      CHECK(store.load("https://example.com") == "value");
    }
    other->resume();
    const std::size_t before = progress(store, "0");
    REQUIRE(comes_true(real_time{}, [&] { return progress(store, "0") > before; }));
  }
  CHECK(was_refused);
  store.announce("https://example.com");
}

TEST_CASE("The log grows while a process reads without end, and is reused later") {
  const shared_file file{std::size_t{1} << 20U};
  SqliteStore store = file.open(300ms);
  auto other = file.start({"hang", "https://example.com"});
  REQUIRE(comes_true(real_time{}, [&] { return store.load("https://example.com"); }));
  const std::string value(100'000, 'x');
  for (int i = 0; i < 100; ++i) {
    store.publish("https://site" + std::to_string(i) + ".example", value, 1h);
  }
  CHECK((store.load("https://site99.example") == value));
  CHECK(std::filesystem::file_size(file.path()) <= std::size_t{1} << 20U);
  const auto log = [&] { return std::filesystem::file_size(file.path() + "-wal"); };
  const auto largest = log();
  CHECK(largest > 5'000'000);
  other.reset();
  for (int i = 0; i < 50; ++i) {
    store.publish("https://other" + std::to_string(i) + ".example", value, 1h);
  }
  CHECK((store.load("https://other49.example") == value));
  CHECK(log() < largest + 1'000'000);
}

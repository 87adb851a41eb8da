#include <robots/adapters/audit/audit_trail.hpp>

#include "adapters/audit/audit_sample.hpp"
#include "support/child_process.hpp"
#include "support/extremes.hpp"
#include "support/temporary_folder.hpp"
#include <robots/adapters/audit/audit_verify.hpp>
#include <robots/policy/decision.hpp>
#include <robots/policy/judge.hpp>

#include <doctest/doctest.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <memory>
#include <new>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace {
std::atomic<bool> disk_fails{false};
thread_local bool has_no_memory = false;
std::atomic<int> refusals{0};  // failed allocations
}  // namespace

// ThreadSanitizer has its own operator new and replaces this weak one: then only the disk fails.
// If g++ inlines this one, it reports a mismatch of allocation functions.
[[gnu::weak, gnu::noinline]] void* operator new(std::size_t size) {
  void* const got = has_no_memory ? nullptr : std::malloc(size);
  refusals += got == nullptr ? 1 : 0;
  return got != nullptr ? got : throw std::bad_alloc{};
}
[[gnu::weak, gnu::noinline]] void operator delete(void* gone) noexcept { std::free(gone); }
[[gnu::weak, gnu::noinline]] void operator delete(void* gone, std::size_t) noexcept {
  std::free(gone);
}

// The functions below replace functions of the C library.
extern "C" int fdatasync(int file) {
  has_no_memory = disk_fails;
  if (has_no_memory) {
    errno = EIO;
    return -1;
  }
  return ::fsync(file);
}
extern "C" ssize_t read(int file, void* to, std::size_t size) {
  if (disk_fails) {
    errno = EIO;
    return -1;
  }
  return ::syscall(SYS_read, file, to, size);
}

namespace {

using namespace std::chrono_literals;
using robots::audit_error;
using audit_fault = robots::audit_result::fault_kind;
using robots::audit_options;
using robots::AuditTrail;
using robots::verify_audit;
using robots::test::count_of;
using robots::test::files_of;
using robots::test::lines_of;
using robots::test::temporary_folder;

robots::cache_options crawler() {
  return {.user_agent = "FooBot", .fallback = robots::fallback_policy::rfc9309()};
}

/// Reports the events of a site to a trail.
struct sample {
  explicit sample(std::string text = "User-agent: *\nDisallow: /private\n") {
    retrieved.outcome = robots::outcome::success;
    retrieved.status = 200;
    retrieved.url = retrieved.final_url = "https://example.com/robots.txt";
    retrieved.body = std::move(text);
    rules = robots::detail::judge(retrieved, "FooBot",
                                  {.fallback = robots::fallback_policy::rfc9309()}, {}, {});
  }

  void retrieve(const AuditTrail& trail) const {
    trail.on(robots::retrieval_event{{.site = "https://example.com"}, *rules, retrieved, 3ms});
  }
  void decide(const AuditTrail& trail, std::string_view url = "https://example.com/private") const {
    trail.on(robots::decision_event{
        {.site = "https://example.com"}, url, robots::decide(rules, url, {})});
  }

  robots::record retrieved;
  std::shared_ptr<const robots::policy> rules;
};

struct trail_folder {
  [[nodiscard]] std::string path() const { return (folder.path() / "audit").string(); }
  [[nodiscard]] audit_options options() const { return {.path = path()}; }
  [[nodiscard]] std::vector<std::string> files() const { return files_of(path()); }
  [[nodiscard]] std::vector<std::string> lines() const { return lines_of(files()); }

  temporary_folder folder;
};

}  // namespace

TEST_CASE("A text, its policy and every decision are recorded once") {
  const trail_folder folder;
  {
    const AuditTrail trail{folder.options(), crawler()};
    const sample site;
    for (int i = 0; i < 3; ++i) {
      site.retrieve(trail);
      site.decide(trail);
    }
    CHECK(trail.flush());
    CHECK(trail.stats().entries == folder.lines().size());
  }
  const auto lines = folder.lines();
  CHECK(count_of(lines, "trail") == 1);
  CHECK(count_of(lines, "crawler") == 1);
  CHECK(count_of(lines, "directives") == 1);
  CHECK(count_of(lines, "body") == 1);
  CHECK(count_of(lines, "retrieval") == 3);
  CHECK(count_of(lines, "policy") == 0);
  CHECK(count_of(lines, "decision") == 3);
  CHECK(verify_audit(folder.files()).fault == audit_fault::none);
}

TEST_CASE("A policy without an event is described when a decision depends on it") {
  const trail_folder folder;
  {
    const AuditTrail trail{folder.options(), crawler()};
    const sample site;
    site.decide(trail);
    site.decide(trail);
  }
  CHECK(count_of(folder.lines(), "policy") == 1);
  CHECK(count_of(folder.lines(), "directives") == 1);
}

TEST_CASE("A share of the decisions and all other events are recorded") {
  const trail_folder folder;
  audit_options options = folder.options();
  options.share = 0.1;
  {
    const AuditTrail trail{options, crawler()};
    const sample site;
    for (int i = 0; i < 1'000; ++i) {
      site.decide(trail);
    }
    site.retrieve(trail);
  }
  const std::size_t decisions = count_of(folder.lines(), "decision");
  CHECK(decisions > 30);
  CHECK(decisions < 300);
  CHECK(count_of(folder.lines(), "retrieval") == 1);
}

TEST_CASE("A trail continues in the next file when one is full, and when it is opened again") {
  const trail_folder folder;
  audit_options options = folder.options();
  options.file_bytes = 4'000;
  for (int run = 0; run < 3; ++run) {
    const AuditTrail trail{options, crawler()};
    const sample site;
    for (int i = 0; i < 20; ++i) {
      site.decide(trail);
    }
  }
  CHECK(folder.files().size() > 4);
  const auto found = verify_audit(folder.files());
  CHECK_MESSAGE(found.fault == audit_fault::none, found.text);
  CHECK(count_of(folder.lines(), "decision") == 60);
  for (const std::string& file : folder.files()) {
    CHECK(std::filesystem::file_size(file) < 8'000);
    CHECK(count_of(lines_of({file}), "crawler") >= 1);
  }
}

TEST_CASE("Only one trail at a time writes to a path") {
  const trail_folder folder;
  const AuditTrail trail{folder.options(), crawler()};
  CHECK_THROWS_AS((AuditTrail{folder.options(), crawler()}), audit_error);
  const AuditTrail copy{trail};
  sample{}.decide(trail);
  sample{}.decide(copy);
  CHECK(trail.flush());
  CHECK(count_of(folder.lines(), "decision") == 2);
}

TEST_CASE("A second trail is refused even if the lock file was deleted") {
  const trail_folder folder;
  const AuditTrail trail{folder.options(), crawler()};
  REQUIRE(trail.flush());
  std::filesystem::remove(folder.path() + ".lock");
  sample{}.decide(trail);
  REQUIRE(trail.flush());
  CHECK_THROWS_AS((AuditTrail{folder.options(), crawler()}), audit_error);
}

TEST_CASE("A trail continues in the next file after its file was moved") {
  const trail_folder folder;
  const sample site;
  const std::string moved = folder.path() + ".old";
  {
    const AuditTrail trail{folder.options(), crawler()};
    site.retrieve(trail);
    site.decide(trail);
    REQUIRE(trail.flush());
    std::filesystem::rename(folder.path() + ".000001.jsonl", moved);
    site.decide(trail);
    CHECK(trail.flush());  // the earlier entries are in the moved file
    CHECK(trail.stats().last_file == 2);
    CHECK(trail.stats().lost == 0);
  }
  CHECK(folder.files() == std::vector{folder.path() + ".000002.jsonl"});
  const auto found = verify_audit({moved, folder.files().front()});
  CHECK_MESSAGE(found.fault == audit_fault::none, found.text);
  CHECK(count_of(lines_of({moved}), "decision") == 1);
  CHECK(count_of(folder.lines(), "decision") == 1);
  CHECK(count_of(folder.lines(), "gap") == 1);
  REQUIRE(found.notes.size() == 2);
  CHECK(found.notes[0].find("audit.000001.jsonl") != std::string::npos);
  CHECK(found.notes[0].find("moved") != std::string::npos);
}

TEST_CASE("The entries of a deleted file count as lost, and flush returns false") {
  const trail_folder folder;
  const sample site;
  const std::string file = folder.path() + ".000001.jsonl";
  {
    const AuditTrail trail{folder.options(), crawler()};
    site.retrieve(trail);
    site.decide(trail);
    REQUIRE(trail.flush());
    SUBCASE("deleted") { std::filesystem::remove(file); }
    SUBCASE("replaced by an empty one") {
      std::filesystem::remove(file);
      robots::test::write_lines(file, {});
    }
    SUBCASE("cut off") { std::filesystem::resize_file(file, 0); }
    SUBCASE("deleted with the lock file") {
      std::filesystem::remove(file);
      std::filesystem::remove(folder.path() + ".lock");
    }
    CHECK(!trail.flush());
    CHECK(trail.stats().lost == 2);
    site.decide(trail);
    CHECK(!trail.flush());
    CHECK(trail.stats().lost == 2);
    CHECK(trail.stats().failure.empty());
  }
  const std::string next = folder.path() + ".000002.jsonl";
  CHECK(count_of(lines_of({next}), "decision") == 1);
  CHECK(count_of(lines_of({next}), "gap") == 1);
  CHECK(count_of(lines_of({next}), "directives") == 1);  // described again
  CHECK(verify_audit({next}).fault == audit_fault::none);
}

TEST_CASE(
    "A trail whose files and lock are deleted does not write into the files of another trail") {
  const trail_folder folder;
  const sample site;
  const AuditTrail trail{folder.options(), crawler()};
  REQUIRE(trail.flush());
  std::filesystem::remove(folder.path() + ".000001.jsonl");
  std::filesystem::remove(folder.path() + ".lock");
  const AuditTrail other{folder.options(), crawler()};
  site.decide(trail);
  CHECK(!trail.flush());
  CHECK(trail.stats().lost == 1);
  CHECK(!trail.stats().failure.empty());
  CHECK(other.flush());
  CHECK(folder.files() == std::vector{folder.path() + ".000001.jsonl"});
}

TEST_CASE("A trail that cannot be written says why") {
  const trail_folder folder;
  CHECK_THROWS_AS((AuditTrail{{.path = ""}, crawler()}), std::invalid_argument);
  CHECK_THROWS_AS((AuditTrail{{.path = folder.path() + "/no/folder"}, crawler()}), audit_error);
  audit_options options = folder.options();
  options.signing_key = robots::test::public_key;
  CHECK_THROWS_WITH_AS(
      (AuditTrail{options, crawler()}),
      "audit_options: signing_key is not a private Ed25519 key in PEM without a password; "
      "openssl genpkey -algorithm ed25519 makes one",
      audit_error);
}

TEST_CASE(
    "A trail refuses a crawler if a robots.txt of the maximum size is too long for a line of the "
    "trail") {
  const trail_folder folder;
  robots::cache_options greedy = crawler();
  greedy.parse.max_bytes = std::size_t{5} << 20U;
  CHECK_THROWS_AS((AuditTrail{folder.options(), greedy}), std::invalid_argument);
}

TEST_CASE("The incomplete last line of a killed process is cut off and reported") {
  const trail_folder folder;
  {
    const AuditTrail trail{folder.options(), crawler()};
  }
  const std::string file = folder.files().front();
  const auto size = std::filesystem::file_size(file);
  std::filesystem::resize_file(file, size - 10);
  CHECK(verify_audit(folder.files()).fault == audit_fault::torn);
  {
    const AuditTrail trail{folder.options(), crawler()};
  }
  const auto found = verify_audit(folder.files());
  CHECK_MESSAGE(found.fault == audit_fault::none, found.text);
  CHECK(count_of(folder.lines(), "torn") == 1);
  // A process can be killed before it has written the first entry of a file.
  audit_options options = folder.options();
  options.file_bytes = 1;
  {
    const AuditTrail trail{options, crawler()};
  }
  std::filesystem::resize_file(folder.files().back(), 5);
  {
    const AuditTrail trail{folder.options(), crawler()};
  }
  const auto again = verify_audit(folder.files());
  CHECK_MESSAGE(again.fault == audit_fault::none, again.text);
}

TEST_CASE("A share outside 0 to 1 is refused") {
  const trail_folder folder;
  for (const double share : {-0.1, 1.1, std::numeric_limits<double>::quiet_NaN()}) {
    audit_options options = folder.options();
    options.share = share;
    CHECK_THROWS_WITH_AS((AuditTrail{options, crawler()}),
                         doctest::Contains("and must be from 0 to 1"), std::invalid_argument);
  }
}

TEST_CASE("The next process signs the unsigned entries of a killed process, and says so") {
  const trail_folder folder;
  audit_options options = folder.options();
  options.signing_key = robots::test::signing_key;
  options.sign_every = 10;
  const sample site;
  for (int run = 0; run < 3; ++run) {
    {
      const AuditTrail trail{options, crawler()};
      for (int i = 0; i < 7; ++i) {
        site.decide(trail);
      }
    }
    const std::string last = folder.lines().back();  // the signature at the end
    const std::string file = folder.files().back();
    std::filesystem::resize_file(file, std::filesystem::file_size(file) - last.size() - 1);
    const auto found = verify_audit(folder.files(), robots::test::public_key);
    CHECK_MESSAGE(found.fault == audit_fault::none, found.text);
    REQUIRE(!found.notes.empty());
    CHECK((run == 0 || found.notes.front().ends_with("were signed only now")));
  }
}

TEST_CASE("A trail does not continue after a line that is not an entry") {
  const trail_folder folder;
  robots::test::write_lines(folder.path() + ".000001.jsonl", {"something else"});
  CHECK_THROWS_AS((AuditTrail{folder.options(), crawler()}), audit_error);
}

TEST_CASE("A file that cannot be read is left as it is") {
  const trail_folder folder;
  const sample site;
  {
    const AuditTrail trail{folder.options(), crawler()};
    site.retrieve(trail);
    site.decide(trail);
  }
  const auto lines = folder.lines();
  disk_fails = true;
  CHECK_THROWS_AS((AuditTrail{folder.options(), crawler()}), audit_error);
  disk_fails = false;
  CHECK(folder.lines() == lines);
}

TEST_CASE("While the disk is full, decisions continue, and the trail states how many are lost") {
  const trail_folder folder;
  struct ::rlimit before{};
  ::getrlimit(RLIMIT_FSIZE, &before);
  const auto old = ::signal(SIGXFSZ, SIG_IGN);
  const sample site;
  {
    const AuditTrail trail{folder.options(), crawler()};
    site.retrieve(trail);
    CHECK(trail.flush());
    struct ::rlimit full = before;
    full.rlim_cur = std::filesystem::file_size(folder.files().front()) + 100;
    ::setrlimit(RLIMIT_FSIZE, &full);
    for (int i = 0; i < 5; ++i) {
      site.decide(trail);
    }
    CHECK(!trail.flush());
    CHECK(trail.stats().lost == 5);
    CHECK(!trail.stats().failure.empty());
    CHECK(verify_audit(folder.files()).fault == audit_fault::none);
    ::setrlimit(RLIMIT_FSIZE, &before);
    CHECK(trail.flush());  // flush writes again without a new event
    CHECK(trail.stats().failure.empty());
    CHECK(count_of(folder.lines(), "lost") == 1);
    site.decide(trail);
    CHECK(trail.flush());
  }
  ::signal(SIGXFSZ, old);
  const auto lines = folder.lines();
  CHECK(count_of(lines, "decision") == 1);
  REQUIRE(count_of(lines, "lost") == 1);
  const auto found = verify_audit(folder.files());
  CHECK_MESSAGE(found.fault == audit_fault::none, found.text);
  bool is_told = false;
  for (const std::string& note : found.notes) {
    is_told = is_told || note.find("5 events could not be recorded") != std::string::npos;
  }
  CHECK(is_told);
}

TEST_CASE("Lost writes of a disk are reported even if there is no memory left") {
  const trail_folder folder;
  const sample site;
  const AuditTrail trail{folder.options(), crawler()};
  site.decide(trail);
  CHECK(trail.flush());
  disk_fails = true;
  site.decide(trail);
  CHECK(!trail.flush());
  CHECK(trail.stats().failure == "the disk may have lost what was written");
  site.decide(trail);
  CHECK(!trail.flush());
  CHECK(trail.stats().lost == (refusals > 0 ? 1 : 0));
  disk_fails = false;
  CHECK(!trail.flush());
}

TEST_CASE("A pipe without a reader blocks neither decisions nor the end of the trail") {
  const trail_folder folder;
  const std::string file = folder.path() + ".000001.jsonl";
  REQUIRE(::mkfifo(file.c_str(), 0600) == 0);
  const sample site{"User-agent: *\n" + std::string(100'000, '#')};
  audit_options options = folder.options();
  options.queue_bytes = 300'000;
  options.close_within = 10ms;
  SUBCASE("when callers never wait") { options.longest_wait = 0ms; }
  SUBCASE("when callers wait for a short time") { options.longest_wait = 1ms; }
  std::uint64_t lost = 0;
  {
    const AuditTrail trail{options, crawler()};
    for (int i = 0; i < 20; ++i) {
      site.retrieve(trail);
      site.decide(trail);
    }
    CHECK(!trail.flush(10ms));
    lost = trail.stats().lost;
  }
  CHECK(lost > 0);
  // The abandoned thread ends once the pipe is read.
  const int reader = ::open(file.c_str(), O_RDONLY | O_NONBLOCK);
  std::array<char, 65'536> read{};
  while (::access((folder.path() + ".lock").c_str(), F_OK) == 0) {
    if (::read(reader, read.data(), read.size()) == 0) {
      break;
    }
    std::this_thread::yield();
  }
  ::close(reader);
}

TEST_CASE("Decisions that come faster than the disk writes are all recorded") {
  const trail_folder folder;
  audit_options options = folder.options();
  options.queue_bytes = 50'000;  // small, so that four threads fill it
  {
    const AuditTrail trail{options, crawler()};
    const sample site;
    site.retrieve(trail);
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < 4; ++thread) {
      threads.emplace_back([&] {
        for (int i = 0; i < 2'500; ++i) {
          site.decide(trail);
        }
      });
    }
    threads.clear();
    CHECK(trail.flush());
    CHECK(trail.stats().lost == 0);
  }
  CHECK(count_of(folder.lines(), "decision") == 10'000);
}

TEST_CASE("While the disk hangs, only the decisions in the queue keep their policies alive") {
  const trail_folder folder;
  const std::string file = folder.path() + ".000001.jsonl";
  REQUIRE(::mkfifo(file.c_str(), 0600) == 0);
  audit_options options = folder.options();
  options.queue_bytes = 1'000'000;
  options.longest_wait = 0ms;
  options.close_within = 10ms;
  std::string text = "User-agent: *\n";
  for (int i = 0; i < 2'000; ++i) {
    text += "Disallow: /some/path/" + std::to_string(i) + '\n';
  }
  std::vector<std::weak_ptr<const robots::policy>> policies;
  const AuditTrail trail{options, crawler()};
  for (int i = 0; i < 60; ++i) {
    const sample site{text};
    site.decide(trail);
    policies.emplace_back(site.rules);
  }
  std::size_t alive = 0;
  for (const auto& one : policies) {
    const auto amount = one.lock();
    alive += amount ? amount->memory_bytes() : 0;
  }
  CHECK(alive <= options.queue_bytes);
  CHECK(trail.stats().lost > 0);
}

TEST_CASE("The trail of a killed process is intact up to its incomplete last line, and continues") {
  std::mt19937 random{7};
  const trail_folder setup;
  std::size_t decisions = 0;
  for (int round = 0; round < 6; ++round) {
    {
      const robots::test::child_process writer{
          {ROBOTS_AUDIT_PROCESS, setup.path(), round % 2 == 0 ? "30000" : "1000000"},
          (setup.folder.path() / "log").string()};
      const std::size_t enough = decisions + 1 + random() % 400;
      while (count_of(setup.lines(), "decision") < enough && !writer.has_ended()) {
        std::this_thread::yield();
      }
      REQUIRE(!writer.has_ended());
    }
    const auto killed = verify_audit(setup.files());
    CHECK_MESSAGE((killed.fault == audit_fault::none || killed.fault == audit_fault::torn),
                  killed.text);
    decisions = count_of(setup.lines(), "decision");
  }
  {
    const AuditTrail trail{setup.options(), crawler()};
  }
  const auto found = verify_audit(setup.files());
  CHECK_MESSAGE(found.fault == audit_fault::none, found.text);
  CHECK(count_of(setup.lines(), "trail") >= 7);
}

TEST_CASE("A trail that lives as long as the process is written to its end") {
  const trail_folder trail;
  robots::test::child_process writer{{ROBOTS_AUDIT_PROCESS, trail.path(), "1000000", "100"},
                                     (trail.folder.path() / "log").string()};
  CHECK(writer.wait() == 0);
  const auto found = verify_audit(trail.files());
  CHECK_MESSAGE(found.fault == audit_fault::none, found.text);
  CHECK(count_of(trail.lines(), "decision") == 100);
}

TEST_CASE("The durations of an audit trail work at their extremes or are refused") {
  using std::chrono::milliseconds;
  const robots::test::temporary_folder folder;
  const robots::cache_options crawler{.user_agent = "FooBot/1.0",
                                      .fallback = robots::fallback_policy::rfc9309()};
  int accepted = 0;
  for (const milliseconds time : robots::test::extremes<milliseconds>) {
    for (int option = 0; option < 3; ++option) {
      robots::audit_options options{
          .path = (folder.path() / ("trail" + std::to_string(accepted))).string()};
      if (option == 0) {
        options.close_within = time;
      } else if (option == 1) {
        options.longest_wait = time;
      } else {
        options.flush_every = time;
      }
      try {
        robots::AuditTrail trail{options, crawler};
        trail.on(robots::halt_event{{.site = "example.com"}, robots::halt_reason::by_hand});
        CHECK(trail.flush());
        ++accepted;
      } catch (const std::invalid_argument&) {
        continue;
      }
    }
  }
  CHECK(accepted == 16);  // two of 18 have a negative flush_every
}

#include <robots/rulings/quarantine.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <utility>

using robots::policy;
using robots::rulings_detail::quarantine;

namespace {

std::shared_ptr<const policy> denial() {
  return std::make_shared<const policy>(robots::fallback_action::deny_all, "FooBot",
                                        robots::record_head{});
}

}  // namespace

TEST_CASE("Several malformed files in a row lead into quarantine, and a release ends it") {
  quarantine held{2};
  held.note_malformed("a", denial);
  CHECK(held.find("a") == nullptr);
  held.note_malformed("a", denial);
  const auto found = held.find("a");
  REQUIRE(found);
  CHECK(found->basis() == robots::policy_basis::deny_all);
  CHECK(held.find("b") == nullptr);
  CHECK(held.sites().size() == 1);
  held.note_malformed("a", denial);
  CHECK(held.find("a") == found);

  held.release("a");
  held.release("never there");
  CHECK(held.find("a") == nullptr);
  CHECK(held.sites().empty());
  held.note_malformed("a", denial);
  CHECK(held.find("a") == nullptr);
}

TEST_CASE("With a limit of 0, no site is quarantined") {
  quarantine none{0};
  for (int i = 0; i < 100; ++i) {
    none.note_malformed("a", denial);
  }
  CHECK(none.find("a") == nullptr);
}

TEST_CASE("Memory is bounded: old watched sites are forgotten, and sites in quarantine stay") {
  quarantine held{2};
  held.note_malformed("first", denial);
  held.note_malformed("first", denial);
  for (int i = 0; i < 70'000; ++i) {
    held.note_malformed(std::to_string(i), denial);
  }
  held.note_malformed("69999", denial);
  CHECK(held.find("69999") != nullptr);
  CHECK(held.find("first") != nullptr);
  held.note_malformed("0", denial);
  CHECK(held.find("0") == nullptr);  // the count of this site began again
  CHECK(held.size() == 2);
}

TEST_CASE("A call for a watched site is fast, however many sites are watched") {
  quarantine held{2};
  for (int i = 0; i < 65'536; ++i) {
    held.note_malformed(std::to_string(i), denial);
  }
  const auto longest = [&held](int first, int count) {
    auto most = std::chrono::nanoseconds{0};
    for (int i = first; i < first + count; ++i) {
      const std::string key = std::to_string(i);
      const auto began = std::chrono::steady_clock::now();
      held.note_malformed(key, denial);
      most = std::max(most, std::chrono::nanoseconds{std::chrono::steady_clock::now() - began});
    }
    return most;
  };
  auto best = std::chrono::nanoseconds::max();  // of 20 rounds, since the machine can be busy
  for (int round = 0; round < 20; ++round) {
    best = std::min(best, longest(100'000 + 100 * round, 100));
  }
  CHECK(best < std::chrono::microseconds{500});  // a scan of all takes milliseconds
  held.note_malformed("65535", denial);
  CHECK(held.find("65535") != nullptr);  // only the oldest were forgotten
}

TEST_CASE("If the quarantine is full, no further site enters it") {
  quarantine held{1};
  const auto policy = denial();
  for (int i = 0; i < 65'536; ++i) {
    held.note_malformed(std::to_string(i), [&policy] { return policy; });
  }
  held.note_malformed("one more", denial);
  CHECK(held.find("one more") == nullptr);
  CHECK(held.size() == 65'536);
  held.release("0");
  held.note_malformed("one more", denial);
  CHECK(held.find("one more") != nullptr);
}

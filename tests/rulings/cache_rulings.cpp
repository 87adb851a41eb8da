#include <robots/rulings/cache_rulings.hpp>

#include <robots/http/site.hpp>
#include <robots/observe/observer.hpp>
#include <robots/policy/fallback.hpp>
#include <robots/policy/policy.hpp>
#include <robots/policy/record.hpp>
#include <robots/time/clock.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

using robots::policy;

namespace {

std::shared_ptr<const policy> denial() {
  return std::make_shared<const policy>(robots::fallback_action::deny_all, "FooBot",
                                        robots::record_head{});
}

/// Ignores all events.
struct no_listener final : robots::detail::event_teller {
  robots::wall_time wall() noexcept override { return {}; }
  void tell(const robots::any_event& /*event*/) noexcept override {}
};

/// The rulings of a cache that puts a site into quarantine after some malformed files in a row.
struct quarantine {
  explicit quarantine(int files) : quarantine_after{files} {}

  void note_malformed(const std::string& key) { rulings.note_malformed(key, {}, denial); }
  std::shared_ptr<const policy> find(const std::string& key) {
    return rulings.find(robots::parse_site(key).value());
  }

  int quarantine_after;
  robots::crawler_names crawler = "FooBot";
  std::function<bool(std::string_view)> is_high_risk;
  robots::detail::any_fallback_policy fallback = robots::fallback_policy::strict();
  no_listener listener;
  robots::rulings_detail::site_rulings rulings{{.crawler = crawler,
                                                .excluded = {},
                                                .sign_off = {},
                                                .is_high_risk = is_high_risk,
                                                .quarantine_after = quarantine_after,
                                                .fallback = fallback},
                                               listener};
};

std::string site(int number) { return std::to_string(number) + ".example"; }

}  // namespace

TEST_CASE("Several malformed files in a row lead into quarantine, and a release ends it") {
  quarantine held{2};
  held.note_malformed("a");
  CHECK(held.find("a") == nullptr);
  held.note_malformed("a");
  const auto found = held.find("a");
  REQUIRE(found);
  CHECK(found->basis() == robots::policy_basis::deny_all);
  CHECK(held.find("b") == nullptr);
  CHECK(held.rulings.all_quarantined() == std::vector<std::string>{"a"});
  held.note_malformed("a");
  CHECK(held.find("a") == found);

  held.rulings.release("a");
  held.rulings.release("never-there.example");
  CHECK(held.find("a") == nullptr);
  CHECK(held.rulings.all_quarantined().empty());
  held.note_malformed("a");
  CHECK(held.find("a") == nullptr);
}

TEST_CASE("With a limit of 0, no site is quarantined") {
  quarantine none{0};
  for (int i = 0; i < 100; ++i) {
    none.note_malformed("a");
  }
  CHECK(none.find("a") == nullptr);
}

TEST_CASE("Memory is bounded: old watched sites are forgotten, and sites in quarantine stay") {
  quarantine held{2};
  held.note_malformed("first");
  held.note_malformed("first");
  for (int i = 0; i < 70'000; ++i) {
    held.note_malformed(site(i));
  }
  held.note_malformed(site(69999));
  CHECK(held.find(site(69999)) != nullptr);
  CHECK(held.find("first") != nullptr);
  held.note_malformed(site(0));
  CHECK(held.find(site(0)) == nullptr);  // the count of this site began again
  CHECK(held.rulings.quarantined_count() == 2);
}

TEST_CASE("A call for a watched site is fast, however many sites are watched") {
  quarantine held{2};
  for (int i = 0; i < 65'536; ++i) {
    held.note_malformed(site(i));
  }
  const auto longest = [&held](int first, int count) {
    auto most = std::chrono::nanoseconds{0};
    for (int i = first; i < first + count; ++i) {
      const std::string key = site(i);
      const auto began = std::chrono::steady_clock::now();
      held.note_malformed(key);
      most = std::max(most, std::chrono::nanoseconds{std::chrono::steady_clock::now() - began});
    }
    return most;
  };
  auto best = std::chrono::nanoseconds::max();  // of 20 rounds, since the machine can be busy
  for (int round = 0; round < 20; ++round) {
    best = std::min(best, longest(100'000 + 100 * round, 100));
  }
  CHECK(best < std::chrono::microseconds{500});  // a scan of all takes milliseconds
  held.note_malformed(site(65535));
  CHECK(held.find(site(65535)) != nullptr);  // only the oldest were forgotten
}

TEST_CASE("If the quarantine is full, no further site enters it") {
  quarantine held{1};
  for (int i = 0; i < 65'536; ++i) {
    held.note_malformed(site(i));
  }
  held.note_malformed("one-more.example");
  CHECK(held.find("one-more.example") == nullptr);
  CHECK(held.rulings.quarantined_count() == 65'536);
  held.rulings.release(site(0));
  held.note_malformed("one-more.example");
  CHECK(held.find("one-more.example") != nullptr);
}

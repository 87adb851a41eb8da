#include <robots/observe/observers.hpp>

#include <robots/cache/basic_robots_cache.hpp>
#include <robots/observe/observer.hpp>
#include <robots/policy/decision.hpp>
#include <robots/policy/policy.hpp>
#include <robots/store/lru_storage.hpp>
#include <robots/testing/manual_clock.hpp>
#include <robots/testing/scripted_fetcher.hpp>

#include <doctest/doctest.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

static_assert(robots::Observer<robots::observers<robots::NullObserver, robots::NullObserver>>);

using robots::decision_event;
using robots::far_store_event;
using robots::NullObserver;
using robots::observers;
using robots::retrieval_event;

using events = std::shared_ptr<std::vector<std::string>>;

/// Records the events that it gets, under its name.
struct Diary {
  std::string name;
  events heard;

  void on(const retrieval_event& retrieved) {
    heard->push_back(name + " retrieved " + std::string{retrieved.site});
  }
  void on(const decision_event& decided) {
    heard->push_back(name + " decided " + std::string{decided.url});
  }
};

struct StoreDiary : Diary {
  using Diary::on;
  void on(const far_store_event& changed) {
    heard->push_back(name + (changed.up ? " up" : " down"));
  }
};

struct ThrowsAnything {
  void on(const retrieval_event&) { throw std::runtime_error{"no disk"}; }
  void on(const decision_event&) { throw 1; }
  void on(const far_store_event&) { throw std::runtime_error{"no disk"}; }
};

}  // namespace

TEST_CASE("Observers get all events in order, even if one of them throws") {
  const events seen = std::make_shared<std::vector<std::string>>();
  using both = observers<Diary, ThrowsAnything, StoreDiary>;
  robots::ScriptedFetcher web;
  web.otherwise(robots::ScriptedFetcher::ok("User-agent: *\nDisallow: /a\n"));
  robots::basic_robots_cache<robots::ScriptedFetcher, robots::ManualClock, robots::LruStorage<4>,
                             both>
      cache{{.user_agent = "FooBot", .fallback = robots::fallback_policy::strict()},
            web,
            {},
            {},
            observers{Diary{"a", seen}, ThrowsAnything{}, StoreDiary{{"b", seen}}}};
  CHECK(cache.allowed("https://example.com/"));
  CHECK(*seen == std::vector<std::string>{
                     "a retrieved https://example.com", "b retrieved https://example.com",
                     "a decided https://example.com/", "b decided https://example.com/"});
  CHECK(cache.stats().observer_failures == 2);
}

TEST_CASE("Events of shared stores reach only observers that handle them") {
  const events seen = std::make_shared<std::vector<std::string>>();
  observers all{Diary{"a", seen}, ThrowsAnything{}, StoreDiary{{"b", seen}}, NullObserver{}};
  CHECK_FALSE(robots::detail::tell(all, far_store_event{{}, false, "down"}));
  CHECK_FALSE(robots::detail::tell(all, far_store_event{{}, true, {}}));
  CHECK(*seen == std::vector<std::string>{"b down", "b up"});
}

TEST_CASE("Observers can contain observers") {
  const events seen = std::make_shared<std::vector<std::string>>();
  observers all{NullObserver{}, observers{ThrowsAnything{}, StoreDiary{{"b", seen}}}};
  CHECK_FALSE(robots::detail::tell(all, far_store_event{{}, true, {}}));
  CHECK(seen->size() == 1);
}

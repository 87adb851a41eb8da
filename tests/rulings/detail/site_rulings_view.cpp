// A SiteRulings as one cache sees it: the events, and the answers after which it halts a site.
#include <robots/rulings/detail/site_rulings_view.hpp>

#include <robots/fetch/exchange.hpp>
#include <robots/fetch/outcome.hpp>
#include <robots/http/site.hpp>
#include <robots/observe/event_teller.hpp>
#include <robots/observe/events.hpp>
#include <robots/observe/observer.hpp>
#include <robots/policy/any_fallback_policy.hpp>
#include <robots/policy/fallback.hpp>
#include <robots/policy/policy.hpp>
#include <robots/policy/record.hpp>
#include <robots/rep/read/crawler_names.hpp>
#include <robots/rep/rules/crawler_directives.hpp>
#include <robots/rulings/rulings_view.hpp>
#include <robots/rulings/site_rulings.hpp>
#include <robots/testing/memory_ruling_ledger.hpp>
#include <robots/time/clock.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace robots::test::seen {

using namespace std::chrono_literals;
using enum ruling_effect;

namespace {

constexpr const char* open_rules = "User-agent: *\nDisallow: /a\n";
constexpr const char* everything = "User-agent: *\nDisallow: /\n";
constexpr const char* other_rules = "User-agent: *\nDisallow: /\nCrawl-delay: 9\n";

/// Keeps the events about rulings, and calls `on_event` with each.
struct hearing final : detail::event_teller {
  wall_time wall() noexcept override { return {}; }
  void tell(const any_event& event) noexcept override {
    if (const auto* const halt = event.get_if<halt_event>()) {
      heard.push_back((halt->resumed ? "resumed " : "halted ") + std::string{halt->site});
    } else if (const auto* const quarantine = event.get_if<quarantine_event>()) {
      heard.push_back((quarantine->released ? "freed " : "quarantined ") +
                      std::string{quarantine->site});
    } else if (const auto* const given = event.get_if<override_event>()) {
      heard.push_back("override " + std::string{to_string(given->value)});
    }
    if (on_event) {
      on_event();
    }
  }
  [[nodiscard]] std::vector<std::string> take() { return std::exchange(heard, {}); }

  std::vector<std::string> heard{};
  std::function<void()> on_event{};
};

/// One process of a crawl: its rulings, and the view of its cache. It has no thread.
struct process {
  explicit process(const MemoryRulingLedger& shared)
      : rulings{rulings_options{.ledger = std::make_shared<MemoryRulingLedger>(shared),
                                .poll = 0ms,
                                .halt_hostile = true}} {}

  /// The robots.txt of example.com is `text`, fetched by this process or, if `is_from_store`, by
  /// another one.
  void on_answer(std::string_view text, std::chrono::hours when, bool is_from_store = false,
                 bool turned_hostile = false) {
    auto latest = policy_of(text, when);
    const std::shared_ptr<const call_context> no_context;
    const std::atomic<bool> is_forgotten = false;
    static_cast<void>(view->on_answer({.site_key = "https://example.com",
                                       .context = no_context,
                                       .before = before,
                                       .after = latest,
                                       .now = time_point{when},
                                       .is_forgotten = is_forgotten,
                                       .is_from_store = is_from_store,
                                       .turned_hostile = turned_hostile}));
    before = std::move(latest);
  }

  [[nodiscard]] ruling_effect effect() const { return rulings.find("example.com").effect; }

  hearing observer{};
  crawler_names names{"FooBot"};
  detail::any_fallback_policy fallback{fallback_policy::rfc9309()};
  SiteRulings rulings;
  std::unique_ptr<rulings_view> view = rulings.view({.teller = observer,
                                                     .crawler = names,
                                                     .fallback = fallback,
                                                     .renew = [](const site& /*asked*/) {},
                                                     .on_denied = [](std::string_view) {}});
  std::shared_ptr<const policy> before{};

 private:
  [[nodiscard]] static std::shared_ptr<const policy> policy_of(std::string_view text,
                                                               std::chrono::hours when) {
    record_head source{{.outcome = outcome::success, .status = 200}};
    source.fetched_at = std::chrono::sys_seconds{when};
    return std::make_shared<const policy>(directives_for(text, "FooBot/1.0"), source,
                                          time_point{when});
  }
};

}  // namespace

TEST_CASE("Rulings that ended before a process began are no events, and accept no other rules") {
  const MemoryRulingLedger shared;
  process first{shared};
  first.on_answer(open_rules, 1h);
  first.on_answer(everything, 2h);
  CHECK(first.effect() == halted);
  (void)first.rulings.resume("example.com");
  (void)first.rulings.override_with("example.com", site_override::deny);
  (void)first.rulings.end_override("example.com");
  (void)first.rulings.quarantine("other.example");

  process late{shared};
  late.on_answer(open_rules, 3h);  // from an older copy, before the first reading of the ledger
  CHECK(late.rulings.catch_up());
  CHECK(late.observer.take() == std::vector<std::string>{"quarantined other.example"});
  late.on_answer(other_rules, 4h);
  CHECK(late.effect() == halted);

  // A ruling that ends later is an event, also if it began and ended between two readings.
  CHECK(late.rulings.catch_up());
  (void)late.observer.take();
  CHECK(first.rulings.catch_up());
  (void)first.rulings.end_quarantine("other.example");
  (void)first.rulings.halt("third.example");
  (void)first.rulings.resume("third.example");
  CHECK(late.rulings.catch_up());
  CHECK(late.observer.take() == std::vector<std::string>{"freed other.example",
                                                         "halted third.example",
                                                         "resumed third.example"});
}

TEST_CASE("After a quarantine or a halt by hand, a site that turns hostile is still halted") {
  for (const bool is_quarantine : {true, false}) {
    process one{MemoryRulingLedger{}};
    one.on_answer(open_rules, 1h);
    if (is_quarantine) {
      (void)one.rulings.quarantine("example.com");
      (void)one.rulings.end_quarantine("example.com");
    } else {
      (void)one.rulings.halt("example.com");
      (void)one.rulings.resume("example.com");
    }
    CHECK(one.effect() == none);
    one.on_answer(everything, 2h);
    CHECK(one.effect() == halted);
  }
}

TEST_CASE("After a second closing of a site, too, one resume is enough for all processes") {
  const MemoryRulingLedger shared;
  process first{shared};
  process second{shared};
  const auto catch_up = [&] {
    CHECK(first.rulings.catch_up());
    CHECK(second.rulings.catch_up());
  };
  first.on_answer(open_rules, 1h);
  second.on_answer(open_rules, 1h, true);
  for (const std::chrono::hours closed : {2h, 4h}) {
    first.on_answer(everything, closed);
    CHECK(first.effect() == halted);
    catch_up();
    (void)first.rulings.resume("example.com");
    catch_up();
    second.on_answer(everything, closed, true, true);  // the record of the first process
    CHECK(second.effect() == none);
    first.on_answer(open_rules, closed + 1h);
    second.on_answer(open_rules, closed + 1h, true);
    catch_up();
  }
  second.on_answer(everything, 6h, true, true);
  CHECK(second.effect() == halted);
}

TEST_CASE("An observer may look up other sites, and make orders, during the first reading") {
  const MemoryRulingLedger shared;
  (void)process{shared}.rulings.halt("example.com");
  process one{shared};
  one.observer.on_event = [&] {
    one.view->wait_until_ready({}, {});
    CHECK(one.rulings.find("other.example").effect == none);
    (void)one.rulings.halt("second.example");
  };
  one.view->wait_until_ready({}, {});
  CHECK(one.observer.take() ==
        std::vector<std::string>{"halted example.com", "halted second.example"});
  CHECK(one.rulings.unsent() == 0);
}

}  // namespace robots::test::seen

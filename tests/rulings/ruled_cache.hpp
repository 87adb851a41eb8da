// A cache whose rulings are a `SiteRulings`, over a scripted web, and the events that it sends.
#pragma once

#include "cache/cache_fixture.hpp"
#include <robots/cache/basic_robots_cache.hpp>
#include <robots/observe/events.hpp>
#include <robots/policy/policy_change.hpp>
#include <robots/rulings/site_rulings.hpp>
#include <robots/testing/memory_ruling_ledger.hpp>
#include <robots/usage/license_link.hpp>

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace robots::test {

inline constexpr const char* everything = "User-agent: *\nDisallow: /\n";

/// Keeps the events about rulings, changes and refusals. Copies share them.
class Witness {
 public:
  using texts = std::vector<std::string>;

  void on(const halt_event& event) {
    note(event, (event.resumed ? "resumed " : "halted ") + std::string{to_string(event.reason)});
  }
  void on(const sign_off_event& event) {
    note(event, event.given ? "signed" : event.awaited ? "awaits a sign-off" : "unsigned");
  }
  void on(const quarantine_event& event) { note(event, event.released ? "freed" : "quarantined"); }
  void on(const override_event& event) {
    note(event, "override " + std::string{to_string(event.value)});
  }
  void on(const access_revoked_event& event) {
    note(event, "revoked " + std::string{event.url} + " " + std::to_string(event.status));
  }
  void on(const licence_demanded_event& event) {
    note(event, "demands a licence for " + std::string{event.url} + " " +
                    std::to_string(event.status) + " " + event.demand.challenge);
  }
  void on(const policy_change_event& event) {
    const auto interval = std::chrono::duration_cast<std::chrono::minutes>(event.interval);
    note(event, "changed by " + std::to_string(static_cast<int>(100 * event.changes.share())) +
                    " % in " + std::to_string(interval.count()) + " min" +
                    (event.fast ? ", fast" : "") +
                    (event.turned_hostile ? ", hostile to " + std::string{event.crawler} : ""));
  }

  [[nodiscard]] texts take() const { return std::exchange(*heard_, {}); }

 private:
  void note(const event_base& event, const std::string& text) const {
    heard_->push_back(std::string{event.site} + ": " + text);
  }

  std::shared_ptr<texts> heard_ = std::make_shared<texts>();
};

using ruled_cache =
    basic_robots_cache<ScriptedFetcher, ManualClock, LruStorage<64>, Witness, SiteRulings>;

/// One process of a crawl. Without a ledger, its rulings are its own.
struct ruled_process {
  explicit ruled_process(rulings_options options = {},
                         cache_options crawler = foo_bot_that_asks_once(),
                         const ManualClock& own_clock = ManualClock{})
      : clock{own_clock},
        cache{std::move(crawler), web, clock, {}, witness, SiteRulings{std::move(options)}} {}

  [[nodiscard]] SiteRulings& rulings() { return cache.rulings(); }
  [[nodiscard]] std::string reason(std::string_view url = home) {
    return reason_of(cache.check(url));
  }
  [[nodiscard]] bool is_halted(std::string_view url = home) {
    return rulings().find(url).effect == ruling_effect::halted;
  }
  [[nodiscard]] bool is_quarantined(std::string_view url = home) {
    return rulings().find(url).effect == ruling_effect::quarantined;
  }
  void refresh(fetch_response response, std::string_view site = robots_url) {
    web.on(std::string{site}, std::move(response));
    static_cast<void>(cache.refresh(site));
  }

  /// Drives a look-up as far as possible without waiting, like an event loop.
  void drive(look_up& work) {
    for (look_up::step step = work.next(); std::holds_alternative<fetch_request>(step);
         step = work.next()) {
      work.on_response(web.fetch(std::get<fetch_request>(step)));
    }
  }

  ScriptedFetcher web;
  ManualClock clock;
  Witness witness;
  ruled_cache cache;
};

}  // namespace robots::test

// Compiled once, in cache_fixture_ruled.cpp.
extern template class robots::basic_robots_cache<robots::ScriptedFetcher, robots::ManualClock,
                                                 robots::LruStorage<64>, robots::test::Witness,
                                                 robots::SiteRulings>;

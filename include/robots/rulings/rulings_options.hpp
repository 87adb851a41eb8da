#pragma once

#include <robots/rulings/ruling_ledger.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace robots {

/// The answer of a process that has a ledger, but has not read it yet.
enum class unread_ledger : std::uint8_t {
  denies,   ///< every site is denied until the ledger was read once
  ignored,  ///< there are no rulings yet, except those of this process
};

/// The options of `SiteRulings`.
struct rulings_options {
  /// The ledger that all processes of the crawl share. Null keeps the rulings in this process, and
  /// loses them with it. Give each `SiteRulings` its own object.
  std::shared_ptr<RulingLedger> ledger{};
  /// The name of the maker of orders that state no other: a program, a machine or a person.
  std::string maker = "robots-cpp";
  /// The time between two questions to the ledger about new orders. A message of the ledger and a
  /// lost connection lead to a question at once. With 0, there is no thread: call
  /// `SiteRulings::catch_up` yourself.
  std::chrono::milliseconds poll{1'000};
  /// The answer for all sites until the ledger was read for the first time. After that, the process
  /// goes on with the rulings that it knows while the ledger cannot be reached.
  unread_ledger without_ledger = unread_ledger::denies;
  /// High-risk sites: `gov` names a whole top-level domain, `example.com` a host and its
  /// subdomains. Such a site is denied until `SiteRulings::sign_off` (the pipeline guide:
  /// "mandatory manual sign-off").
  std::vector<std::string> needs_sign_off{};
  /// Returns true if `host` is high-risk, too. Any thread can call it. If it throws, the host is
  /// high-risk.
  std::function<bool(std::string_view host)> is_high_risk{};

  /// If true, a site is halted when its robots.txt denies everything and the previous robots.txt
  /// did not. If false, the rules of the site apply. A `policy_change_event` reports the change in
  /// both cases. If empty, `fallback_policy::halts_hostile` of the cache decides: `strict()` halts
  /// the site, and the other presets do not (the pipeline guide).
  std::optional<bool> halt_hostile{};
  /// If true, `halt_hostile` also halts a site that denies everything to one of
  /// `cache_options::other_agents`, and did not before. In both cases, a `policy_change_event`
  /// names this crawler.
  bool halt_hostile_to_others = false;
  /// A site is halted if all fetches of its robots.txt have failed for this time
  /// (`outcome::unreachable` or `server_error`). The time is checked only at a fetch, so the halt
  /// can come later. With 0, the first failure halts the site. Empty means never (the pipeline
  /// guide).
  std::optional<std::chrono::seconds> halt_unreachable_after{};
  /// If true, a site is halted that revokes access: `basic_robots_cache::report_response` returns
  /// true, or the site begins to answer the request for its robots.txt with 401 or 403
  /// (the pipeline guide).
  bool halt_revoked = false;
  /// The number of malformed files in a row after which a site goes into quarantine; 0 means never.
  /// A malformed file does not count if `cache_options::fallback` applies its rules
  /// (`fallback_action::parse`). `SiteRulings::end_quarantine` ends the quarantine (the pipeline
  /// guide).
  int quarantine_after = 3;
  /// The maximum number of halts and quarantines by alarms that are in force in the whole crawl. A
  /// person can list and end so many, and memory is bounded if somebody makes sites without end.
  /// Further alarms are only reported: the robots.txt of the site decides, and
  /// `SiteRulings::dropped_alarms` counts them. Orders of people are not limited.
  std::size_t most_alarms = 65'536;
  /// A number from 0 to 1. A change is fast if its share of changed rules and lines
  /// (`change_report::share`) is above this number (the pipeline guide: ">30% directive delta").
  /// `policy_change_event::fast` reports a fast change.
  double fast_change_share = 0.3;
  /// The time for which a change counts. The time begins at the last fetch of the old rules. The
  /// newest change is fast if the shares of all counted changes add up to more than
  /// `fast_change_share`. If empty, each change is judged alone (the pipeline guide).
  std::optional<std::chrono::seconds> fast_change_within{};
};

}  // namespace robots

#pragma once

#include <robots/rulings/ruling_ledger.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
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
};

}  // namespace robots

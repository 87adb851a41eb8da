#pragma once

#include <robots/base/inline.hpp>
#include <robots/policy/decision_reason.hpp>
#include <robots/policy/policy.hpp>
#include <robots/rep/rules/verdict.hpp>

#include <chrono>
#include <memory>
#include <optional>
#include <string>

namespace robots {

/// Whether a crawler may fetch a URL, and all that the answer rests on.
struct decision {
  bool allowed = false;                                   ///< the URL may be fetched
  decision_reason reason = decision_reason::invalid_url;  ///< why
  robots::verdict verdict{};                       ///< the rule; its views live as long as `policy`
  std::shared_ptr<const robots::policy> policy{};  ///< what it rests on; never null
  std::chrono::nanoseconds age{0};                 ///< since the rules in force were fetched
  bool from_cache = false;                         ///< a kept entry answered: nothing was fetched
  bool stale = false;  ///< that entry is no longer fresh, and is being renewed

  /// The Crawl-delay in force for the crawler on this site.
  [[nodiscard]] std::optional<std::chrono::milliseconds> crawl_delay() const noexcept {
    return policy ? policy->crawl_delay() : std::nullopt;
  }
};

/// One sentence for people: the answer, the rule and its line, or the row of the failure table.
[[nodiscard]] std::string explain(const decision& answer);

}  // namespace robots

#ifndef ROBOTS_COMPILED
#include <robots/policy/decision.ipp>
#endif

// What robots-check tells about one URL.
#pragma once

#include <robots/policy/decision.hpp>
#include <robots/policy/policy.hpp>
#include <robots/rep/rules/explanation.hpp>

#include <chrono>
#include <optional>
#include <string_view>

namespace robots::check {

/// One URL, asked about once. Holds references.
struct answer {
  std::string_view url;                               ///< as it was given
  const decision& what;                               ///< the cache's answer
  std::string_view file;                              ///< whose rules were used; empty: the site's
  unsigned round = 0;                                 ///< from 1, when asked several times
  std::optional<std::chrono::nanoseconds> elapsed{};  ///< how long the answer took, when asked for
  std::optional<explanation> why{};                   ///< how the rules came to it, when asked for

  /// Whether there are rules, or a failure to get any, that have an age.
  [[nodiscard]] bool has_source() const noexcept { return !what.policy->refused(); }

  /// Whether a robots.txt was read, so that rules can be explained.
  [[nodiscard]] bool has_rules() const noexcept {
    const policy_basis basis = what.policy->basis();
    return basis == policy_basis::rules || basis == policy_basis::last_good;
  }

  /// Where the rules came from. A file was never asked for over HTTP, whatever the cache thinks.
  [[nodiscard]] record_head source() const {
    record_head result = what.policy->source();
    if (!file.empty() && has_source()) {
      result.status = 0;
      result.url = result.final_url = file;
    }
    return result;
  }
};

}  // namespace robots::check

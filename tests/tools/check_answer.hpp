// The output of robots-check about one URL.
#pragma once

#include <robots/policy/decision.hpp>
#include <robots/policy/policy.hpp>
#include <robots/rep/read/file_findings.hpp>
#include <robots/rep/rules/explanation.hpp>
#include <robots/usage/permission.hpp>

#include <chrono>
#include <optional>
#include <string_view>
#include <vector>

namespace robots::check {

/// The answer about one URL. Holds references.
struct answer {
  std::string_view url;     ///< the URL as the user gave it
  const decision& decided;  ///< the decision of the cache
  std::string_view file;    ///< the file with the rules, or empty for the site's robots.txt
  unsigned round = 0;       ///< the round from 1 with --repeat, else 0
  std::optional<std::chrono::nanoseconds> elapsed{};  ///< the time of the answer, with --timing
  std::optional<explanation> why{};                   ///< the rules that matched, with --explain
  std::vector<diagnostic> mistakes{};     ///< warnings and errors of the file, with --explain
  std::vector<permission> permissions{};  ///< the answers for purposes, with --purpose

  /// Returns true if a robots.txt was asked for, with or without success.
  [[nodiscard]] bool has_source() const noexcept { return !decided.policy->refusal_reason(); }

  /// Returns true if a robots.txt was read, so that rules can be explained.
  [[nodiscard]] bool has_rules() const noexcept {
    const policy_basis basis = decided.policy->basis();
    return basis == policy_basis::rules || basis == policy_basis::last_good;
  }

  /// Returns the source of the rules. If the rules come from a file, the source has its name
  /// instead of the URL and the status that `FileFetcher` made up.
  [[nodiscard]] record_head source() const {
    record_head result = decided.policy->last_retrieval();
    if (!file.empty() && has_source()) {
      result.status = 0;
      result.url = result.final_url = file;
    }
    return result;
  }
};

}  // namespace robots::check

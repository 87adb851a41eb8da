#pragma once

#include <robots/base/enum_text.hpp>
#include <robots/rep/read/directive.hpp>
#include <robots/rep/rules/verdict.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace robots {

/// The changes between two robots.txt files for one crawler.
struct change_report {
  /// The ways in which a rule changes.
  enum class change_kind : std::uint8_t {
    added,      ///< the old text has no such rule
    removed,    ///< the new text has no such rule
    loosened,   ///< the new rule allows more or denies less
    tightened,  ///< the new rule allows less or denies more
  };

  /// Returns the name of the enumerator.
  [[nodiscard]] friend constexpr std::string_view to_string(change_kind kind) noexcept {
    return base::enum_text<change_kind::tightened>(kind,
                                                   {"added", "removed", "loosened", "tightened"});
  }

  /// A rule, and its line in the old or new text.
  struct placed_pattern {
    std::string pattern{};   ///< the pattern, as written
    std::uint32_t line = 0;  ///< the line number, 1-based
  };

  /// An added, removed or changed rule.
  struct rule_change {
    change_kind change = change_kind::added;  ///< the kind of change
    rule_kind kind = rule_kind::allow;        ///< the kind of the rule, before and after
    std::optional<placed_pattern> before{};   ///< the rule in the old text; empty if added
    std::optional<placed_pattern> after{};    ///< the rule in the new text; empty if removed
    /// A target that only one of the texts allows. The example is empty if the search was stopped
    /// early. Then it is unknown whether the rule changes a verdict.
    std::string example{};
    bool example_allowed = false;  ///< true if the new text allows `example`
  };

  /// An added, removed or changed line that is not a rule.
  struct line_change {
    directive_kind kind = directive_kind::unknown;  ///< the kind of the line
    std::optional<std::string> before{};            ///< the old value; empty if added
    std::optional<std::string> after{};             ///< the new value; empty if removed
  };

  std::vector<rule_change> rules{};  ///< sorted by `after.line`; removed rules by `before.line`
  std::vector<line_change> lines{};  ///< sorted by kind, then by value
  std::size_t unchanged = 0;         ///< the number of rules and lines that both texts have
  /// True if all rules were fully compared. If false, it is unknown whether a rule without an
  /// example changes a verdict.
  bool complete = true;

  /// Returns true if the comparison was complete and found no change.
  [[nodiscard]] bool same() const noexcept { return rules.empty() && lines.empty(); }

  /// Returns the number of changed rules and lines. A replaced rule is counted once.
  [[nodiscard]] std::size_t changed() const noexcept { return rules.size() + lines.size(); }

  /// Returns the share of changed rules and lines, from 0 to 1: `changed()` divided by the number
  /// of all rules and lines.
  [[nodiscard]] double share() const noexcept {
    const std::size_t all = changed() + unchanged;
    return all == 0 ? 0.0 : static_cast<double>(changed()) / static_cast<double>(all);
  }
};

}  // namespace robots

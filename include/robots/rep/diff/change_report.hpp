#pragma once

#include <robots/base/enum_text.hpp>
#include <robots/rep/read/directive.hpp>
#include <robots/rep/rules/verdict.hpp>

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace robots {

/// How a rule has changed.
enum class change_kind : std::uint8_t {
  added,      ///< there was none like it
  removed,    ///< there is none like it
  loosened,   ///< one that allows more, or denies less, has taken its place
  tightened,  ///< one that allows less, or denies more, has taken its place
};

/// The name of a kind of change, as its enumerator is spelled.
[[nodiscard]] constexpr std::string_view to_string(change_kind kind) noexcept {
  return base::enum_text<change_kind::tightened>(kind,
                                                 {"added", "removed", "loosened", "tightened"});
}

/// A rule as it stands in one of two texts.
struct placed_pattern {
  std::string pattern{};   ///< as written
  std::uint32_t line = 0;  ///< 1-based
};

/// A rule that makes a difference between two texts.
struct rule_change {
  change_kind change = change_kind::added;  ///< how
  rule_kind kind = rule_kind::allow;        ///< of both, where there are two
  std::optional<placed_pattern> before{};   ///< in the old text; nothing if it was added
  std::optional<placed_pattern> after{};    ///< in the new text; nothing if it was removed
  /// A target that is allowed by one text only; empty where none was found within the steps of
  /// `diff`, so that the rule may make no difference at all.
  std::string example{};
  bool example_allowed = false;  ///< by the new text
};

/// What a line other than a rule says, in a form that is the same for all spellings of it.
struct stated_line {
  directive_kind kind = directive_kind::unknown;  ///< what the line is about
  std::string value{};                            ///< what it says

  [[nodiscard]] friend auto operator<=>(const stated_line&, const stated_line&) = default;
};

/// A line other than a rule that was added, removed or changed.
struct line_change {
  directive_kind kind = directive_kind::unknown;  ///< what it is about
  std::optional<std::string> before{};            ///< what it said; nothing if it was added
  std::optional<std::string> after{};             ///< what it says; nothing if it was removed
};

/// What has changed from one text to another for one crawler.
struct change_report {
  std::vector<rule_change> rules{};  ///< by their lines in the new text, or else in the old one
  std::vector<line_change> lines{};  ///< by kind, then by what they say
  std::size_t unchanged = 0;         ///< rules and lines that both texts have
  /// All rules were compared to the end. Else those without an example may make no difference.
  bool complete = true;

  /// Returns true if no change was found. Never true if the rules were not compared to the end.
  [[nodiscard]] bool same() const noexcept { return rules.empty() && lines.empty(); }

  /// How many rules and lines have changed; one that has taken the place of another counts once.
  [[nodiscard]] std::size_t changed() const noexcept { return rules.size() + lines.size(); }

  /// The share of all rules and lines that has changed, from 0 to 1 (the pipeline guide's
  /// "directive delta").
  [[nodiscard]] double share() const noexcept {
    const std::size_t all = changed() + unchanged;
    return all == 0 ? 0.0 : static_cast<double>(changed()) / static_cast<double>(all);
  }
};

}  // namespace robots

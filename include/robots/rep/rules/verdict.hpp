#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace robots {

/// The two kinds of rule (RFC 9309, section 2.2.2).
enum class rule_kind : std::uint8_t { allow, disallow };

/// The name of a kind of rule, as WEB::ROBOTS spells it.
[[nodiscard]] constexpr std::string_view to_string(rule_kind kind) noexcept {
  return kind == rule_kind::allow ? "allow" : "disallow";
}

/// Whether a target may be fetched, and the rule that decided it (WEB::ROBOTS's MATCH).
///
/// The views point into the `document` or `rule_set` that was asked and live as long as it does; of
/// a document, `user_agent` into what it was asked about.
struct verdict {
  /// The target may be fetched.
  bool allowed = true;
  /// Kind of the deciding rule; nothing when no rule matched, or for /robots.txt itself.
  std::optional<rule_kind> directive{};
  /// The deciding rule's pattern, as written in the file.
  std::optional<std::string_view> pattern{};
  /// The product token that was asked about, as it was spelled; "*" when the rules of `*` applied
  /// or no crawler was named.
  std::string_view user_agent{};
  /// 1-based line of the deciding rule; 0 when there is none.
  std::uint32_t line = 0;
  /// The rules were not compared to the end, and so the target is not allowed: its normal form has
  /// more than 65,536 octets, or comparing would take too long (`rule_set::match` says how long).
  bool undecided = false;
  /// The target is /robots.txt itself, which no rule can deny (RFC 9309, section 2.2.2).
  bool exempt = false;
};

}  // namespace robots

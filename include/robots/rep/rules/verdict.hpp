#pragma once

#include <robots/base/enum_text.hpp>

#include <cstdint>
#include <optional>
#include <string_view>

namespace robots {

/// The two kinds of rule (RFC 9309, section 2.2.2).
enum class rule_kind : std::uint8_t { allow, disallow };

/// Returns `allow` or `disallow`.
[[nodiscard]] constexpr std::string_view to_string(rule_kind kind) noexcept {
  return kind == rule_kind::allow ? "allow" : "disallow";
}

/// The reason why the rules of a group apply to a crawler (RFC 9309, section 2.2.1).
enum class group_choice : std::uint8_t {
  own,       ///< a group names the crawler
  everyone,  ///< no group names the crawler, and `*` has a group
  none,      ///< no group applies, so everything is allowed
};

/// Returns the name of the enumerator.
[[nodiscard]] constexpr std::string_view to_string(group_choice choice) noexcept {
  return base::enum_text<group_choice::none>(choice, {"own", "everyone", "none"});
}

/// The answer to "Is this crawler allowed to fetch this target, and why?" (source: the function
/// MATCH of WEB::ROBOTS, see tests/requirements.md).
///
/// The views refer to the `document` or `rule_set` that was asked, and live as long as that object.
/// In a document's verdict, `user_agent` refers to the argument of `document::match`.
struct verdict {
  bool allowed = true;  ///< true if the crawler is allowed to fetch the target
  /// The kind of the deciding rule, or empty if no rule decided.
  std::optional<rule_kind> directive{};
  std::optional<std::string_view> pattern{};  ///< the deciding rule's pattern, as written
  /// The crawler's product token, as the caller spelled it. It is "*" if the rules of `*` apply, or
  /// if the caller named no crawler.
  std::string_view user_agent{};
  std::uint32_t line = 0;  ///< the 1-based line of the deciding rule, or 0 if no rule decided
  /// True if the target is denied because not all rules could be compared: the normal form of the
  /// target exceeds 65,536 octets, or comparing takes too long, or the user agent is a path or a
  /// URL, so that `user_agent` is this text. See `rule_set::allows`.
  bool undecided = false;
  /// True if the target is /robots.txt itself, which no rule can deny (RFC 9309, section 2.2.2).
  bool exempt = false;
  /// True if the user agent names no crawler, such as a browser's header, so that only the groups
  /// of `*` were asked. Only `document::match` and `rule_set::explain` set this member.
  bool nameless = false;
};

}  // namespace robots

#pragma once

#include <robots/rep/read/detail/dialect_traits.hpp>
#include <robots/rep/read/directive.hpp>
#include <robots/rep/read/parse_options.hpp>
#include <robots/rep/rules/verdict.hpp>
#include <robots/rep/text/detail/normal_form.hpp>
#include <robots/rep/text/detail/octet_word.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace robots::rep_detail {

/// A pattern ready for matching: literals in normal form with a single `*` between them, and no `*`
/// at the end.
struct compiled_pattern {
  std::string_view text{};
  bool anchored = false;  ///< true if the target must end where the pattern ends

  friend constexpr auto operator<=>(const compiled_pattern&, const compiled_pattern&) = default;
};

/// A written pattern in parts: the body, a `$` at the end, and a `/` to add at the start.
struct pattern_source {
  std::string_view body{};
  bool anchored = false;
  bool leading_slash = false;

  /// Splits a written pattern. `$` is an anchor only at the end (RFC 9309, section 2.2.3).
  [[nodiscard]] static constexpr pattern_source of(std::string_view written,
                                                   bool prepend_slash = false) noexcept {
    pattern_source source{.body = written};
    if (written.ends_with('$')) {
      source.body.remove_suffix(1);
      source.anchored = true;
    }
    source.leading_slash = prepend_slash && !written.starts_with('/') && !written.starts_with('*');
    return source;
  }
};

/// Returns true if compiling changes at most the end of the pattern.
[[nodiscard]] constexpr bool is_compiled(const pattern_source& source,
                                         const normal_form& form) noexcept {
  return !source.leading_slash && is_normal(source.body, form) &&
         source.body.find("**") == std::string_view::npos;
}

/// Compiles a pattern, and passes each octet of the result to `put`.
template <class Put>
constexpr void write_compiled(const pattern_source& source, const normal_form& form, Put put) {
  if (source.leading_slash) {
    put('/');
  }
  bool star = false;
  write_normal(source.body, form, [&](char c) {
    if (!(star && c == '*')) {
      put(c);
    }
    star = c == '*';
  });
}

/// Returns the number of octets of the normal form, including wildcards and the anchor (RFC 9309,
/// section 2.2.2: "most octets"). A literal `$` adds one octet, although its normal form is %24.
[[nodiscard]] constexpr std::uint32_t specificity(const pattern_source& source,
                                                  const normal_form& form) noexcept {
  std::uint32_t octets = (source.anchored ? 1U : 0U) + (source.leading_slash ? 1U : 0U);
  write_normal(source.body, form, [&](char) { ++octets; });
  for (const char c : source.body) {
    octets -= c == '$' && form.action(c) != octet_action::keep ? 2U : 0U;
  }
  return octets;
}

/// Makes a pattern from the compiled text `text`. Removes wildcards at the end. Also removes an
/// anchor that follows a wildcard, since such an anchor has no effect.
[[nodiscard]] constexpr compiled_pattern finish(std::string_view text, bool anchored) noexcept {
  if (text.ends_with('*')) {
    anchored = false;
  }
  while (text.ends_with('*')) {
    text.remove_suffix(1);
  }
  return {.text = text, .anchored = anchored};
}

[[nodiscard]] constexpr rule_kind rule_kind_of(directive_kind line) noexcept {
  return line == directive_kind::allow ? rule_kind::allow : rule_kind::disallow;
}

/// The rank of a rule. The matching rule with the highest rank decides.
using rule_rank = std::uint64_t;

/// Returns the rank by RFC 9309, section 2.2.2. The rule with more octets ranks higher, then the
/// rule of the kind that `tie` prefers, then the earlier rule.
[[nodiscard]] constexpr rule_rank rank_of(std::uint32_t specificity, rule_kind kind,
                                          std::uint32_t line, tie_break tie) noexcept {
  const bool is_preferred = (kind == rule_kind::allow) == (tie == tie_break::allow);
  return (rule_rank{2} * specificity + (is_preferred ? 1 : 0)) << 32U | (0xFFFF'FFFFU - line);
}

/// Calls `use` with each pattern of a rule. An empty rule has no pattern (RFC 9309, section 2.2.2:
/// `empty-pattern`). In `dialect::google`, `Allow: /x/index.html` has a second pattern for `/x/`.
template <class Use>
constexpr void for_each_pattern(rule_kind kind, std::string_view value,
                                const parse_options& options, const dialect_traits& traits,
                                Use use) {
  if (value.empty()) {
    return;
  }
  use(pattern_source::of(value, options.prepend_slash));
  if (kind != rule_kind::allow || !traits.index_html_is_directory) {
    return;
  }
  const auto slash = value.find_last_of('/');
  if (slash != std::string_view::npos && value.substr(slash).starts_with("/index.htm")) {
    use(pattern_source{.body = value.substr(0, slash + 1), .anchored = true});
  }
}

}  // namespace robots::rep_detail

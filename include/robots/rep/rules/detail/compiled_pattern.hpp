#pragma once

#include <robots/rep/text/detail/normal_form.hpp>
#include <robots/rep/text/detail/octet_word.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace robots::rep_detail {

/// A pattern ready to be matched: literals in normal form with single `*` between them, none at
/// the end.
struct compiled_pattern {
  std::string_view text{};
  bool anchored = false;  ///< the target must end where the pattern does

  friend constexpr auto operator<=>(const compiled_pattern&, const compiled_pattern&) = default;
};

/// The source of a pattern: the part before an end anchor, and the text that is added around it.
struct pattern_source {
  std::string_view body{};
  bool anchored = false;
  bool leading_slash = false;

  /// RFC 9309, section 2.2.3: `$` designates the end of the match pattern only at its end, and
  /// `*` any characters, so that behind a final one no anchor has an effect.
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

[[nodiscard]] constexpr bool has_double_star(std::string_view text) noexcept {
  return text.find("**") != std::string_view::npos;
}

/// Returns true if compiling changes nothing but the end of the pattern, so that no text must be
/// made.
[[nodiscard]] constexpr bool is_compiled(const pattern_source& source,
                                         const normal_form& form) noexcept {
  return !source.leading_slash && is_normal(source.body, form) && !has_double_star(source.body);
}

/// Writes the compiled text of a pattern that is not compiled yet, octet by octet, to `put`.
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

/// Octets of the normal form, wildcard and anchor included: the "most octets" of the RFC (RFC 9309,
/// section 2.2.2). A literal `$` counts as it is written.
[[nodiscard]] constexpr std::uint32_t specificity(const pattern_source& source,
                                                  const normal_form& form) noexcept {
  std::uint32_t octets = (source.anchored ? 1U : 0U) + (source.leading_slash ? 1U : 0U);
  write_normal(source.body, form, [&](char) { ++octets; });
  for (const char c : source.body) {
    octets -= c == '$' && form.action(c) != octet_action::keep ? 2U : 0U;
  }
  return octets;
}

/// The pattern whose compiled text, save for wildcards at its end, is `text`.
[[nodiscard]] constexpr compiled_pattern finish(std::string_view text, bool anchored) noexcept {
  if (text.ends_with('*')) {
    anchored = false;
  }
  while (text.ends_with('*')) {
    text.remove_suffix(1);
  }
  return {.text = text, .anchored = anchored};
}

}  // namespace robots::rep_detail

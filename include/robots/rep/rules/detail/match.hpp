#pragma once

#include <robots/base/config.hpp>
#include <robots/rep/read/detail/dialect_traits.hpp>
#include <robots/rep/read/directive.hpp>
#include <robots/rep/read/parse_options.hpp>
#include <robots/rep/rules/detail/search.hpp>
#include <robots/rep/rules/verdict.hpp>
#include <robots/rep/text/detail/normal_form.hpp>
#include <robots/rep/text/detail/octet_word.hpp>
#include <robots/rep/text/detail/target_path.hpp>

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

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
    source.leading_slash = prepend_slash && !begins_as_pattern(written);
    return source;
  }
};

/// Returns true if compiling does not change the pattern, except for a final `*`, `$` or `*$`.
[[nodiscard]] constexpr bool is_compiled(const pattern_source& source,
                                         const normal_form& form) noexcept {
  return !source.leading_slash && is_normal(source.body, form) &&
         source.body.find("**") == std::string_view::npos;
}

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
/// section 2.2.2: "most octets"). A `$` that is not an anchor counts as one octet, although its
/// normal form is %24.
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

/// Returns the rank by RFC 9309, section 2.2.2. The rule with more octets ranks higher. Ties go to
/// the kind that `tie` prefers, then to the earlier rule.
[[nodiscard]] constexpr rule_rank rank_of(std::uint32_t specificity, rule_kind kind,
                                          std::uint32_t line, tie_break tie) noexcept {
  const bool is_preferred = (kind == rule_kind::allow) == (tie == tie_break::allow);
  return (rule_rank{2} * specificity + (is_preferred ? 1 : 0)) << 32U | (0xFFFF'FFFFU - line);
}

/// Calls `use` with each pattern of a rule. An empty rule has no pattern (RFC 9309, section 2.2.2:
/// `empty-pattern`). In `dialect::google`, `Allow: /x/index.html` also has the pattern `/x/$`.
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

/// The maximum number of steps for one query. These steps take tens of milliseconds. They are
/// enough to search a URL of 8,000 octets (RFC 9110, section 4.1) for a thousand literals.
inline constexpr std::size_t max_match_steps = std::size_t{1} << 23U;

/// Limits the work of a query. A step takes at most a few nanoseconds.
class step_budget {
 public:
  constexpr explicit step_budget(std::int64_t steps) noexcept : left_(steps) {}

  /// Subtracts `steps`. The result can be negative, but cannot overflow, since no query takes 2^63
  /// steps.
  constexpr void spend(std::size_t steps) noexcept { left_ -= static_cast<std::int64_t>(steps); }

  [[nodiscard]] constexpr bool exceeded() const noexcept { return left_ < 0; }
  [[nodiscard]] constexpr std::size_t left() const noexcept {
    return exceeded() ? 0 : static_cast<std::size_t>(left_);
  }

 private:
  std::int64_t left_;
};

/// Returns true if `target`, in normal form, matches `pattern` (RFC 9309, sections 2.2.2 and
/// 2.2.3). Returns false if a search exceeds the budget `steps`.
///
/// For each literal that follows a `*`, uses the first occurrence. A later occurrence would leave
/// less text for the rest of the pattern. Searches for the last literal first. So a target without
/// this literal is rejected at once. Takes time linear in pattern and target.
[[nodiscard]] constexpr bool matches(const compiled_pattern& pattern, std::string_view target,
                                     step_budget& steps) noexcept {
  const std::string_view text = pattern.text;
  auto star = find_octet(text, '*');
  if (!begins_with(target, {text.data(), star})) {
    return false;
  }
  if (star == text.size()) {
    return !pattern.anchored || target.size() == star;
  }
  const auto find_in = [&steps](std::string_view part, std::string_view literal) {
    const literal_search found = find_literal(part, literal);
    steps.spend(found.steps);
    return steps.exceeded() ? std::string_view::npos : found.place;
  };
  // Most patterns have one star. Then `rfind`, which reads octet by octet, is not needed.
  const std::size_t next_star = star + 1 + find_octet(behind(text, star + 1), '*');
  const std::size_t last_star = next_star == text.size() ? star : text.rfind('*');
  const std::string_view last = behind(text, last_star + 1);
  target.remove_prefix(star);
  std::size_t last_at = std::string_view::npos;
  if (!pattern.anchored) {
    last_at = find_in(target, last);
  } else if (target.ends_with(last)) {
    last_at = target.size() - last.size();
  }
  if (last_at == std::string_view::npos) {
    return false;
  }
  const char* const last_place = target.data() + last_at;
  while (star != last_star) {
    const std::string_view rest = behind(text, star + 1);
    const std::string_view literal{rest.data(), find_octet(rest, '*')};
    const std::size_t place = find_in(target, literal);
    if (place == std::string_view::npos) {
      return false;
    }
    star += 1 + literal.size();
    target.remove_prefix(place + literal.size());
  }
  return target.data() <= last_place ||
         (!pattern.anchored && find_in(target, last) != std::string_view::npos);
}

/// A rule set compares a target with its rules only if the normal form of the target is at most
/// this long. Servers accept only shorter targets.
inline constexpr std::size_t max_normal_target = 65'536;

template <class Put>
constexpr void write_target(const target_path& path, const normal_form& form, Put put) {
  if (path.leading_slash) {
    put('/');
  }
  write_normal(path.text, form, put);
}

/// Calls `use` with the normal form of a target, cut after `max_normal_target + 1` octets. If `use`
/// gets more than `max_normal_target` octets, the form is too long. The function is not inlined,
/// since most targets do not need the large buffer.
template <class Use>
ROBOTS_NOINLINE constexpr auto use_rewritten(const target_path& path, const normal_form& form,
                                             Use use) {
  std::array<char, max_normal_target + 1> buffer;  // NOLINT(*-member-init): filled below
  std::size_t size = 0;
  const auto put = [&](char c) {
    if (size < buffer.size()) {
      buffer[size++] = c;
    }
  };
  write_target(path, form, put);
  return use(std::string_view{buffer.data(), size});
}

/// Returns true if `target` is a path with query that is its own normal form in every dialect. Most
/// targets are. One pass over the octets decides this.
[[nodiscard]] constexpr bool is_plain_path(std::string_view target) noexcept {
  // This is faster than `starts_with("//")`, which calls a function.
  const bool is_path =
      !target.empty() && target[0] == '/' && (target.size() == 1 || target[1] != '/');
  return is_path && is_graphic_without<'%', '$', '*', '#'>(target);
}

/// Returns the result of `use` for the normal form of `target`. If the target must be rewritten,
/// `use` gets at most the first `max_normal_target + 1` octets of the normal form.
template <class Use>
constexpr auto with_normal_target(std::string_view target, const dialect_traits& traits, Use use) {
  target_path path{.text = target};
  if (!is_plain_path(target)) {
    path = path_and_query(target, traits.lenient_targets);
    if (path.leading_slash || !is_normal(path.text, *traits.target_form)) {
      return use_rewritten(path, *traits.target_form, use);
    }
  }
  return use(path.text);
}

[[nodiscard]] constexpr std::vector<char> normal_target(std::string_view target,
                                                        const dialect_traits& traits) {
  std::vector<char> octets;
  write_target(path_and_query(target, traits.lenient_targets), *traits.target_form,
               [&](char c) { octets.push_back(c); });
  return octets;
}

[[nodiscard]] constexpr bool matches_target(const compiled_pattern& pattern,
                                            std::string_view target, const dialect_traits& traits) {
  step_budget steps{(std::numeric_limits<std::int64_t>::max)()};
  return with_normal_target(target, traits, [&](std::string_view text) {
    if (text.size() <= max_normal_target) {
      return matches(pattern, text, steps);
    }
    const std::vector<char> whole = normal_target(target, traits);
    return matches(pattern, {whole.data(), whole.size()}, steps);
  });
}

/// Returns true if no rule applies to `target`, which is in normal form. RFC 9309, section 2.2.2:
/// "The /robots.txt URI is implicitly allowed."
[[nodiscard]] constexpr bool is_exempt(std::string_view target,
                                       const dialect_traits& traits) noexcept {
  constexpr std::string_view path = "/robots.txt";
  return traits.robots_txt_always_allowed && begins_with(target, path) &&
         (target.size() == path.size() || target[path.size()] == '?');
}

}  // namespace robots::rep_detail

#pragma once

#include <robots/rep/read/parse_options.hpp>
#include <robots/rep/rules/detail/match.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace robots {

/// One compiled path pattern with `*` (any octets) and a final `$` (end of target). See RFC 9309,
/// section 2.2.3.
///
/// The text must outlive the pattern. A pattern allocates only if the text has `**` or is not in
/// normal form (RFC 9309, section 2.2.2). If it does not allocate, it can be a constant: `constexpr
/// pattern p{"/a*b$"};`.
class pattern {
 public:
  /// Compiles `text` in linear time. Accepts any octets, but a pattern that does not begin with `/`
  /// or `*` matches nothing.
  constexpr explicit pattern(std::string_view text, dialect reading = dialect::rfc9309)
      : text_(text), reading_(reading) {
    const rep_detail::normal_form& form = *rep_detail::traits_of(reading).rule_form;
    const auto source = rep_detail::pattern_source::of(text);
    specificity_ = rep_detail::specificity(source, form);
    if (!rep_detail::is_compiled(source, form)) {
      rep_detail::write_compiled(source, form, [this](char c) { rewritten_.push_back(c); });
    }
  }

  /// Returns true if `target`, an absolute URL or a path with query, matches. Takes time linear in
  /// pattern and target. Allocates only if the normal form of the target exceeds 65,536 octets.
  [[nodiscard]] constexpr bool matches(std::string_view target) const {
    return rep_detail::matches_target(compiled(), target, rep_detail::traits_of(reading_));
  }

  /// Returns the number of octets of the normal form. Of two matching rules, the rule with more
  /// octets decides.
  [[nodiscard]] constexpr std::uint32_t specificity() const noexcept { return specificity_; }

 private:
  [[nodiscard]] constexpr rep_detail::compiled_pattern compiled() const noexcept {
    const auto source = rep_detail::pattern_source::of(text_);
    const std::string_view rewritten{rewritten_.data(), rewritten_.size()};
    return rep_detail::finish(rewritten.empty() ? source.body : rewritten, source.anchored);
  }

  std::string_view text_;
  std::vector<char> rewritten_;  // the compiled text, if it differs from the written text
  std::uint32_t specificity_ = 0;
  dialect reading_;
};

namespace rep_detail {

/// A string literal as a template argument.
template <std::size_t N>
struct fixed_string {
  // NOLINTNEXTLINE(google-explicit-constructor): template arguments convert implicitly
  consteval fixed_string(const char (&literal)[N]) noexcept { std::copy_n(literal, N, text); }

  /// Returns the characters without the final NUL.
  [[nodiscard]] constexpr std::string_view view() const noexcept { return {text, N - 1}; }

  char text[N]{};  // public, as a template argument requires
};

}  // namespace rep_detail

/// A path pattern that is compiled with the program: `static_pattern<"/a*b$">::matches("/axxb")`.
///
/// Matches like `pattern` with `dialect::rfc9309`. A pattern that can never match is a compile
/// error.
template <rep_detail::fixed_string Text>
class static_pattern {
  static constexpr auto source = rep_detail::pattern_source::of(Text.view());
  static constexpr const rep_detail::normal_form& form = rep_detail::rfc9309_rule_form;

  static_assert(rep_detail::begins_as_pattern(Text.view()),
                "a path pattern begins with '/' or '*': no target can match this one");

  struct storage {
    std::array<char, 3 * Text.view().size() + 1> octets{};
    std::size_t size = 0;
  };

  static constexpr storage compiled = [] {
    storage result;
    rep_detail::write_compiled(source, form,
                               [&result](char c) { result.octets[result.size++] = c; });
    return result;
  }();

 public:
  /// Returns the same as `pattern::matches`.
  [[nodiscard]] static constexpr bool matches(std::string_view target) {
    return rep_detail::matches_target(
        rep_detail::finish({compiled.octets.data(), compiled.size}, source.anchored), target,
        rep_detail::rfc9309_traits);
  }
};

}  // namespace robots

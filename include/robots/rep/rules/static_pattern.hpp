#pragma once

#include <robots/rep/rules/detail/match.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

namespace robots {

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

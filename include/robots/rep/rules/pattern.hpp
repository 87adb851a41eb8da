#pragma once

#include <robots/rep/read/parse_options.hpp>
#include <robots/rep/rules/detail/match.hpp>
#include <robots/rep/rules/static_pattern.hpp>

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

}  // namespace robots

#pragma once

#include <robots/rep/document/detail/record.hpp>
#include <robots/rep/rules/detail/compiled_pattern.hpp>

#include <string_view>

namespace robots::detail {

/// The second pattern that `for_each_pattern` makes of a rule that ends in an index page.
[[nodiscard]] constexpr pattern_source index_pattern(std::string_view value) noexcept {
  return {.body = value.substr(0, value.rfind('/') + 1), .anchored = true};
}

/// What the pattern of a record of a rule that is not empty is compiled from.
[[nodiscard]] constexpr pattern_source source_of(const record& rule, std::string_view text,
                                                 bool prepend_slash) noexcept {
  const std::string_view value = rule.value(text);
  return rule.implied ? index_pattern(value) : pattern_source::of(value, prepend_slash);
}

/// The compiled pattern of a record of a rule that is not empty.
[[nodiscard]] constexpr compiled_pattern pattern_of(const record& rule, std::string_view text,
                                                    const pattern_source& source) noexcept {
  return finish(rule.made ? rule.made_text(text) : source.body, source.anchored);
}

}  // namespace robots::detail

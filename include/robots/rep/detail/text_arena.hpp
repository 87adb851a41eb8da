#pragma once

#include <robots/rep/detail/ascii.hpp>
#include <robots/rep/detail/compiled_pattern.hpp>
#include <robots/rep/detail/compiled_rule.hpp>

#include <cstdint>
#include <string_view>
#include <vector>

namespace robots::detail {

[[nodiscard]] constexpr text_span append(std::vector<char>& text, std::string_view octets) {
  const auto offset = static_cast<std::uint32_t>(text.size());
  text.insert(text.end(), octets.begin(), octets.end());
  return {.offset = offset, .size = static_cast<std::uint32_t>(octets.size())};
}

[[nodiscard]] constexpr text_span append_lower(std::vector<char>& text, std::string_view octets) {
  const text_span span = append(text, octets);
  for (std::uint32_t i = 0; i < span.size; ++i) {
    text[span.offset + i] = to_lower(text[span.offset + i]);
  }
  return span;
}

/// The rule whose pattern `source` lies at the start of `written`. When the pattern's compiled form
/// differs from what is written, it is appended to `text`.
[[nodiscard]] constexpr compiled_rule make_rule(std::vector<char>& text,
                                                const pattern_source& source, text_span written,
                                                const normal_form& form) {
  compiled_rule rule{.written = written};
  rule.compiled = {.offset = written.offset,
                   .size = static_cast<std::uint32_t>(source.body.size())};
  if (is_compiled(source, form)) {
    rule.specificity = rule.compiled.size + (source.anchored ? 1 : 0);
  } else {
    rule.specificity = specificity(source, form);
    rule.compiled.offset = static_cast<std::uint32_t>(text.size());
    write_compiled(source, form, [&text](char c) { text.push_back(c); });
    rule.compiled.size = static_cast<std::uint32_t>(text.size()) - rule.compiled.offset;
  }
  const compiled_pattern pattern = finish(rule.compiled.in(text), source.anchored);
  rule.compiled.size = static_cast<std::uint32_t>(pattern.text.size());
  rule.anchored = pattern.anchored;
  return rule;
}

}  // namespace robots::detail

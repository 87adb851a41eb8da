#pragma once

#include <robots/rep/detail/dialect_traits.hpp>
#include <robots/rep/detail/document_parts.hpp>
#include <robots/rep/detail/record.hpp>
#include <robots/rep/detail/rule_patterns.hpp>
#include <robots/rep/detail/text_arena.hpp>
#include <robots/rep/diagnostic.hpp>
#include <robots/rep/directive.hpp>
#include <robots/rep/parse_options.hpp>
#include <robots/rep/scan.hpp>

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>

namespace robots::detail {

/// Turns directives into records.
class document_builder {
 public:
  constexpr document_builder(std::string_view text, const parse_options& options)
      : source_(text.substr(0, text_limit(options))), options_(options) {
    parts_.text.assign(source_.begin(), source_.end());
    // A directive takes a line, and nearly always a colon.
    const auto lines = std::ranges::count(source_, '\n') + std::ranges::count(source_, '\r') + 1;
    const auto colons = std::ranges::count(source_, ':');
    parts_.records.reserve(static_cast<std::size_t>(std::min(lines, colons)));
  }

  constexpr void on_directive(const directive& line) {
    record entry{.key = span_of(line.key),
                 .kind = line.kind,
                 .starts_group = line.starts_group,
                 .in_group = line.in_group};
    entry.rule.written = span_of(line.value);
    entry.rule.line = line.line;
    entry.column = line.column;
    if (line.kind == directive_kind::user_agent) {
      entry.rule.compiled = append_lower(parts_.text, line.value);
    }
    if (is_rule(line.kind) && !line.value.empty()) {
      add_rules(line, entry);
    } else {
      parts_.records.push_back(entry);
    }
  }

  constexpr void on_diagnostic(const diagnostic& finding) { parts_.diagnostics.push_back(finding); }

  [[nodiscard]] constexpr document_parts finish(line_counts lines) && {
    parts_.lines = lines;
    return std::move(parts_);
  }

 private:
  [[nodiscard]] constexpr text_span span_of(std::string_view part) const noexcept {
    return {.offset = static_cast<std::uint32_t>(part.data() - source_.data()),
            .size = static_cast<std::uint32_t>(part.size())};
  }

  constexpr void add_rules(const directive& line, record entry) {
    const dialect_traits& traits = traits_of(options_.dialect);
    for_each_pattern(line.kind, line.value, options_, traits, [&](const pattern_source& source) {
      entry.rule = make_rule(parts_.text, source, span_of(line.value), *traits.rule_form);
      entry.rule.line = line.line;
      entry.rule.kind = line.kind == directive_kind::allow ? rule_kind::allow : rule_kind::disallow;
      parts_.records.push_back(entry);
      entry.implied = true;
    });
  }

  std::string_view source_;
  const parse_options& options_;
  document_parts parts_;
};

}  // namespace robots::detail

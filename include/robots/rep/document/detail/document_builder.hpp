#pragma once

#include <robots/base/ascii.hpp>
#include <robots/rep/document/detail/document_parts.hpp>
#include <robots/rep/document/detail/few_or_many.hpp>
#include <robots/rep/document/detail/plain_pattern.hpp>
#include <robots/rep/document/detail/record.hpp>
#include <robots/rep/document/detail/record_pattern.hpp>
#include <robots/rep/read/detail/dialect_traits.hpp>
#include <robots/rep/read/detail/most_lines.hpp>
#include <robots/rep/read/diagnostic.hpp>
#include <robots/rep/read/directive.hpp>
#include <robots/rep/read/parse_options.hpp>
#include <robots/rep/read/scan.hpp>
#include <robots/rep/rules/detail/compiled_pattern.hpp>
#include <robots/rep/rules/detail/rule_patterns.hpp>
#include <robots/rep/text/detail/octet_window.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace robots::detail {

/// Turns directives into records. The text is copied last, when it is known how much is made beside
/// it, so that all memory is taken in few pieces.
class document_builder {
 public:
  constexpr document_builder(std::string_view text, const parse_options& options) noexcept
      : source_(text.substr(0, text_limit(options))),
        window_(source_.data(), source_.data() + source_.size()),
        options_(options),
        traits_(traits_of(options.dialect)) {}

  [[gnu::always_inline]] constexpr void on_directive(const directive& line) {
    if (is_rule(line.kind) && traits_.index_html_is_directory) {
      add_patterns(line);
    } else {
      add(line, needs_making(line), false);
    }
  }

  constexpr void on_diagnostic(const diagnostic& found) {
    const auto write = [&](finding& place) {
      place = {.line = found.line, .column = found.column, .code = found.code};
    };
    findings_.add(write, [&] {
      if (is_large()) {
        return 32 * few_findings;
      }
      // A line of less than eight octets is reported once at most, others four times.
      const std::size_t lines = most_lines(source_);
      return lines + 3 * std::min(lines, source_.size() / 8);
    });
  }

  [[nodiscard]] constexpr document_parts finish(line_counts lines) && {
    document_parts parts{.records = std::move(records_).take(),
                         .diagnostics = std::move(findings_).take(),
                         .lines = lines};
    parts.octets.reserve(source_.size() + made_octets_);
    parts.octets.insert(parts.octets.end(), source_.begin(), source_.end());
    if (made_octets_ > 0) {
      for (record& entry : parts.records) {
        if (entry.made) {
          write_made(entry, parts.octets);
        }
      }
    }
    return parts;
  }

 private:
  /// A diagnostic without what its code says.
  struct finding {
    std::uint32_t line;
    std::uint32_t column;
    diagnostic_code code;
  };
  struct make_finding {
    [[nodiscard]] constexpr diagnostic operator()(const finding& found) const noexcept {
      return make_diagnostic(found.code, found.line, found.column);
    }
  };
  struct make_record {
    [[nodiscard]] constexpr record operator()(const record& entry) const noexcept { return entry; }
  };

  /// Of a text that is not large, the most memory that can be needed is taken at once. For a large
  /// one that could be far too much.
  [[nodiscard]] constexpr bool is_large() const noexcept {
    return source_.size() > std::size_t{64} << 10U;
  }

  static constexpr std::size_t few_records = 96;
  static constexpr std::size_t few_findings = 32;

  [[nodiscard]] static constexpr bool is_upper(char c) noexcept { return c >= 'A' && c <= 'Z'; }

  [[nodiscard]] constexpr std::size_t offset_of(std::string_view part) const noexcept {
    return static_cast<std::size_t>(part.data() - source_.data());
  }

  /// Whether the pattern is compiled by cutting off its end.
  [[nodiscard, gnu::always_inline]] constexpr bool is_plain(std::string_view value) const noexcept {
    if (!std::is_constant_evaluated() && !options_.prepend_slash &&
        is_plain_pattern(value, window_)) [[likely]] {
      return true;
    }
    return is_compiled(pattern_source::of(value, options_.prepend_slash), *traits_.rule_form);
  }

  /// A slash before it, and each octet encoded.
  [[nodiscard]] static constexpr std::size_t max_compiled_size(std::string_view pattern) noexcept {
    return 1 + 3 * pattern.size();
  }

  /// Whether what is kept of the value beside it differs from it: in a User-agent line its lower
  /// case, in a rule its compiled pattern.
  [[nodiscard, gnu::always_inline]] constexpr bool needs_making(
      const directive& line) const noexcept {
    if (is_rule(line.kind)) {
      return !line.value.empty() && !is_plain(line.value);
    }
    return line.kind == directive_kind::user_agent && std::ranges::any_of(line.value, is_upper);
  }

  [[gnu::always_inline]] constexpr void add(const directive& line, bool made, bool implied) {
    if (made) {
      made_octets_ += max_compiled_size(line.value);
    }
    const std::size_t offset = offset_of(line.value);
    const auto write = [&](record& place) {
      place.value_offset = static_cast<std::uint32_t>(offset);
      place.line = line.line;
      place.made_offset = 0;
      place.made_size = 0;
      place.value_size = static_cast<std::uint16_t>(line.value.size());
      place.key_distance = static_cast<std::uint16_t>(offset - offset_of(line.key));
      place.key_size = static_cast<std::uint16_t>(line.key.size());
      place.column = static_cast<std::uint16_t>(line.column);
      place.kind = line.kind;
      place.starts_group = line.starts_group;
      place.in_group = line.in_group;
      place.implied = implied;
      place.made = made;
    };
    records_.add(write, [&] {
      if (is_large()) {  // as dense as so far, and an eighth more
        return few_records * (source_.size() / (offset + 1)) * 9 / 8;
      }
      const std::size_t lines = most_lines(source_.substr(offset));
      return traits_.index_html_is_directory ? 2 * lines : lines;
    });
  }

  /// Adds a rule that may stand for two patterns.
  [[gnu::noinline]] constexpr void add_patterns(const directive& line) {
    add(line, needs_making(line), false);
    bool implied = false;
    for_each_pattern(line.kind, line.value, options_, traits_, [&](const pattern_source& source) {
      if (std::exchange(implied, true)) {
        add(line, !is_compiled(source, *traits_.rule_form), true);
      }
    });
  }

  constexpr void write_made(record& entry, std::vector<char>& octets) const {
    const std::size_t offset = octets.size();
    if (entry.kind == directive_kind::user_agent) {
      for (const char c : entry.value(source_)) {
        octets.push_back(to_lower(c));
      }
    } else {
      write_compiled(source_of(entry, source_, options_.prepend_slash), *traits_.rule_form,
                     [&octets](char c) { octets.push_back(c); });
    }
    entry.made_offset = static_cast<std::uint32_t>(offset);
    entry.made_size = static_cast<std::uint16_t>(octets.size() - offset);
  }

  std::string_view source_;
  octet_window window_;
  const parse_options& options_;
  const dialect_traits& traits_;
  few_or_many<record, make_record, few_records> records_;
  few_or_many<finding, make_finding, few_findings> findings_;
  std::size_t made_octets_ = 0;
};

}  // namespace robots::detail

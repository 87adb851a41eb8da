#pragma once

#include <robots/rep/read/detail/parse_delay.hpp>
#include <robots/rep/read/diagnostic.hpp>
#include <robots/rep/read/directive.hpp>
#include <robots/rep/read/file_findings.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace robots::rep_detail {

/// A directive in a `document`, stored as positions in the document's text. The parsed part of a
/// line has at most 16,663 octets, so a position in a line needs only two octets.
struct document_line {
  std::uint32_t value_offset = 0;
  std::uint32_t number = 0;
  std::uint16_t value_size = 0;
  std::uint16_t key_distance = 0;  ///< octets from the start of the key to the start of the value
  std::uint16_t key_size = 0;
  std::uint16_t column = 0;
  directive_kind kind = directive_kind::unknown;
  bool starts_group = false;
  bool starts_run = false;
  bool in_group = false;

  /// Makes the stored form of `line`, whose views must all be in `text`.
  [[nodiscard]] static constexpr document_line of(const directive& line,
                                                  std::string_view text) noexcept {
    return {.value_offset = static_cast<std::uint32_t>(line.value.data() - text.data()),
            .number = line.line,
            .value_size = static_cast<std::uint16_t>(line.value.size()),
            .key_distance = static_cast<std::uint16_t>(line.value.data() - line.key.data()),
            .key_size = static_cast<std::uint16_t>(line.key.size()),
            .column = static_cast<std::uint16_t>(line.column),
            .kind = line.kind,
            .starts_group = line.starts_group,
            .starts_run = line.starts_run,
            .in_group = line.in_group};
  }

  [[nodiscard]] constexpr std::string_view value(std::string_view text) const noexcept {
    return text.substr(value_offset, value_size);
  }

  [[nodiscard]] constexpr directive as_directive(std::string_view text) const noexcept {
    return {.kind = kind,
            .key = text.substr(value_offset - key_distance, key_size),
            .value = value(text),
            .line = number,
            .column = column,
            .starts_group = starts_group,
            .starts_run = starts_run,
            .in_group = in_group};
  }
};

/// Returns the lines before the first line in which the member that `mark` points to is true.
[[nodiscard]] constexpr std::span<const document_line> lines_before(
    std::span<const document_line> lines, bool document_line::* mark) noexcept {
  const auto marked = std::find_if(lines.begin(), lines.end(),
                                   [&](const document_line& line) { return line.*mark; });
  return lines.first(static_cast<std::size_t>(marked - lines.begin()));
}

/// Returns the first valid Crawl-delay in `lines`.
[[nodiscard]] constexpr std::optional<std::chrono::milliseconds> first_delay(
    std::span<const document_line> lines, std::string_view text) noexcept {
  for (const document_line& line : lines) {
    const bool is_delay = line.kind == directive_kind::crawl_delay;
    if (const auto delay = is_delay ? parse_delay(line.value(text)) : std::nullopt) {
      return delay;
    }
  }
  return std::nullopt;
}

/// All members of a `document` except the options.
struct document_parts {
  std::vector<char> octets{};
  std::vector<document_line> lines{};
  std::vector<diagnostic> diagnostics{};
  file_findings::line_counts counts{};

  [[nodiscard]] constexpr std::string_view text() const noexcept {
    return {octets.data(), octets.size()};
  }

  /// Passes every directive to `handler`.
  template <class Handler>
  constexpr void replay(Handler& handler) const {
    for (const document_line& line : lines) {
      handler.on_directive(line.as_directive(text()));
    }
  }
};

/// Makes the lines of a document from directives. The constructor allocates enough memory for the
/// lines of nearly any file.
class document_builder {
 public:
  constexpr document_builder(std::string_view text, document_parts& parts)
      : text_(text), parts_(parts) {
    parts_.octets = {text_.begin(), text_.end()};
    parts_.lines.reserve(expected_lines());
  }

  constexpr void on_directive(const directive& line) {
    parts_.lines.push_back(document_line::of(line, text_));
  }

  constexpr void on_diagnostic(const diagnostic& found) {
    if (parts_.diagnostics.empty()) {
      parts_.diagnostics.reserve(expected_lines() + 8);
    }
    parts_.diagnostics.push_back(found);
  }

 private:
  /// Returns a number of lines that nearly no text exceeds: the line `Disallow: /` has 12 octets.
  [[nodiscard]] constexpr std::size_t expected_lines() const noexcept { return text_.size() / 12; }

  std::string_view text_;
  document_parts& parts_;
};

}  // namespace robots::rep_detail

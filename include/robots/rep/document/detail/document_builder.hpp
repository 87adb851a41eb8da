#pragma once

#include <robots/rep/document/detail/document_line.hpp>
#include <robots/rep/read/diagnostic.hpp>
#include <robots/rep/read/directive.hpp>
#include <robots/rep/read/file_findings.hpp>

#include <cstddef>
#include <string_view>

namespace robots::rep_detail {

/// Everything that a `document` keeps.
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

/// Makes the lines of a document from directives. Allocates enough memory for nearly all files at
/// the start.
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
  /// Nearly every text has fewer lines than one that only repeats `Disallow: /`.
  [[nodiscard]] constexpr std::size_t expected_lines() const noexcept { return text_.size() / 12; }

  std::string_view text_;
  document_parts& parts_;
};

}  // namespace robots::rep_detail

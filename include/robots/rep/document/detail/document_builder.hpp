#pragma once

#include <robots/rep/document/detail/document_line.hpp>
#include <robots/rep/document/detail/document_parts.hpp>
#include <robots/rep/read/diagnostic.hpp>
#include <robots/rep/read/directive.hpp>

#include <cstddef>
#include <string_view>

namespace robots::rep_detail {

/// Turns directives into the lines of a document. Takes the memory that nearly all files need at
/// once.
class document_builder {
 public:
  constexpr document_builder(std::string_view text, document_parts& parts)
      : text_(text), parts_(parts) {}

  constexpr void expect_lines(std::size_t count) {
    parts_.octets = {text_.begin(), text_.end()};
    parts_.lines.reserve(count);
    expected_ = count;
  }

  constexpr void on_directive(const directive& line) {
    parts_.lines.push_back(document_line::of(line, text_));
  }

  constexpr void on_diagnostic(const diagnostic& found) {
    if (parts_.diagnostics.empty()) {
      parts_.diagnostics.reserve(expected_ + 8);
    }
    parts_.diagnostics.push_back(found);
  }

 private:
  std::string_view text_;
  document_parts& parts_;
  std::size_t expected_ = text_.size() / 12;  // lines in the text: a guess, until it is told
};

}  // namespace robots::rep_detail

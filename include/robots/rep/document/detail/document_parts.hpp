#pragma once

#include <robots/rep/document/detail/document_line.hpp>
#include <robots/rep/read/diagnostic.hpp>
#include <robots/rep/read/file_findings.hpp>

#include <string_view>
#include <vector>

namespace robots::rep_detail {

/// Everything that a `document` keeps.
struct document_parts {
  std::vector<char> octets{};
  std::vector<document_line> lines{};
  std::vector<diagnostic> diagnostics{};
  line_counts counts{};

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

}  // namespace robots::rep_detail

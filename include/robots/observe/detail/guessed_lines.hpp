#pragma once

#include <robots/rep/read/diagnostic.hpp>
#include <robots/rep/read/file_findings.hpp>

#include <cstddef>
#include <cstdint>

namespace robots::observe_detail {

/// The lines of a file that the reader understood by a guess: the key is misspelled, as in
/// `Disalow: /a`, or the colon is missing.
struct guessed_lines {
  std::size_t count = 0;    ///< their number, among the findings that a policy keeps
  std::uint32_t first = 0;  ///< the line number of the first of them; 0 if there is none

  /// Finds the guessed lines among the findings of a file.
  [[nodiscard]] static guessed_lines in(const file_findings& found) noexcept {
    guessed_lines result;
    for (const diagnostic& finding : found.diagnostics) {
      if (finding.code == diagnostic_code::misspelled_key ||
          finding.code == diagnostic_code::missing_colon) {
        result.first = result.count == 0 ? finding.line : result.first;
        ++result.count;
      }
    }
    return result;
  }
};

}  // namespace robots::observe_detail

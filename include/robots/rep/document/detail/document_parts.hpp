#pragma once

#include <robots/rep/document/detail/record.hpp>
#include <robots/rep/read/diagnostic.hpp>
#include <robots/rep/read/scan.hpp>

#include <string_view>
#include <vector>

namespace robots::detail {

/// Everything that a `document` keeps. In `octets` the file comes first, what was made from it
/// behind.
struct document_parts {
  std::vector<char> octets{};
  std::vector<record> records{};
  std::vector<diagnostic> diagnostics{};
  line_counts lines{};

  [[nodiscard]] constexpr std::string_view text() const noexcept {
    return {octets.data(), octets.size()};
  }
};

}  // namespace robots::detail

#pragma once

#include <robots/rep/detail/record.hpp>
#include <robots/rep/diagnostic.hpp>
#include <robots/rep/scan.hpp>

#include <vector>

namespace robots::detail {

/// Everything that a `document` keeps. In `text` the file comes first, what was made from it
/// behind.
struct document_parts {
  std::vector<char> text{};
  std::vector<record> records{};
  std::vector<diagnostic> diagnostics{};
  line_counts lines{};
};

}  // namespace robots::detail

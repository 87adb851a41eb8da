#pragma once

#include <robots/rep/read/diagnostic.hpp>
#include <robots/rep/read/line_counts.hpp>
#include <robots/rep/read/malformed_limit.hpp>

#include <vector>

namespace robots {

/// The problems of one robots.txt.
struct file_findings {
  using line_counts = robots::line_counts;  ///< counts of lines

  line_counts lines{};                    ///< counts of lines
  std::vector<diagnostic> diagnostics{};  ///< the first 32 findings, in file order
};

}  // namespace robots

#pragma once

#include <robots/rep/read/directive.hpp>

#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace robots::rep_detail {

/// What `read(line)`, an optional, makes of the lines of one kind; lines it cannot read are left
/// out.
template <class Read>
[[nodiscard]] constexpr auto read_lines(std::span<const directive> lines, directive_kind kind,
                                        Read read) {
  std::vector<typename std::invoke_result_t<Read, const directive&>::value_type> result;
  for (const directive& line : lines) {
    if (line.kind != kind) {
      continue;
    }
    if (auto value = read(line)) {
      result.push_back(*std::move(value));
    }
  }
  return result;
}

}  // namespace robots::rep_detail

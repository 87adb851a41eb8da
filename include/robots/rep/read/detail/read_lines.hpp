#pragma once

#include <robots/rep/read/directive.hpp>

#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace robots::rep_detail {

/// Returns the results of `parse(value)`, an optional or a value, for the lines of one kind, with
/// line numbers. Leaves out lines that it cannot read.
template <class Parse>
[[nodiscard]] constexpr auto read_lines(std::span<const directive> lines, directive_kind kind,
                                        Parse parse) {
  std::vector<typename decltype(std::optional{parse({})})::value_type> result;
  for (const directive& line : lines) {
    if (line.kind != kind) {
      continue;
    }
    if (std::optional value{parse(line.value)}) {
      if constexpr (requires { value->line; }) {
        value->line = line.line;
      }
      result.push_back(*std::move(value));
    }
  }
  return result;
}

}  // namespace robots::rep_detail

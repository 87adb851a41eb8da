#pragma once

#include <robots/base/inline.hpp>
#include <robots/rep/document/document.hpp>
#include <robots/rep/extensions/unknown_records.hpp>
#include <robots/rep/read/directive.hpp>

namespace robots {

ROBOTS_CONSTEXPR std::vector<unknown_record> unknown_records(const document& file) {
  std::vector<unknown_record> records;
  for (const directive& line : file.directives()) {
    if (line.kind == directive_kind::unknown) {
      records.push_back({.key = line.key, .value = line.value, .line = line.line});
    }
  }
  return records;
}

}  // namespace robots

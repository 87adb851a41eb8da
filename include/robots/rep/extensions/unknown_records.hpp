#pragma once

#include <robots/rep/document/document.hpp>
#include <robots/rep/read/directive.hpp>

#include <cstdint>
#include <string_view>
#include <vector>

namespace robots {

class document;

/// A line whose key this library does not know (RFC 9309, section 2.2.4). The views live as long
/// as the document.
struct unknown_record {
  std::string_view key{};    ///< as written
  std::string_view value{};  ///< as written
  std::uint32_t line = 0;    ///< 1-based

  [[nodiscard]] friend constexpr bool operator==(const unknown_record&,
                                                 const unknown_record&) = default;
};

/// The lines with a key and a value that mean nothing to this library, wherever they stand, in file
/// order. They have no effect on any verdict. Linear in the file.
[[nodiscard]] constexpr std::vector<unknown_record> unknown_records(const document& file);
std::vector<unknown_record> unknown_records(const document&&) = delete;

constexpr std::vector<unknown_record> unknown_records(const document& file) {
  std::vector<unknown_record> records;
  for (const directive& line : file.directives()) {
    if (line.kind == directive_kind::unknown) {
      records.push_back({.key = line.key, .value = line.value, .line = line.line});
    }
  }
  return records;
}

}  // namespace robots

#pragma once

#include <robots/rep/read/directive.hpp>

#include <cstdint>
#include <string_view>

namespace robots::detail {

/// One directive as a `document` keeps it: places in its text. What is read of a line has at most
/// 16,663 octets, so that places in it, and in what is made of it, need two octets only.
///
/// Without initial values, so that an array of it costs nothing to make.
struct record {
  std::uint32_t value_offset;
  std::uint32_t line;
  std::uint32_t made_offset;  ///< where what is made of the value begins, if anything is
  std::uint16_t made_size;
  std::uint16_t value_size;
  std::uint16_t key_distance;  ///< octets from the beginning of the key to that of the value
  std::uint16_t key_size;
  std::uint16_t column;
  directive_kind kind;
  bool starts_group;
  bool in_group;
  bool implied;  ///< stands in no line of its own, see `for_each_pattern`
  bool made;     ///< something is made of the value, see `made_text`

  [[nodiscard]] constexpr std::string_view key(std::string_view text) const noexcept {
    return text.substr(value_offset - key_distance, key_size);
  }
  [[nodiscard]] constexpr std::string_view value(std::string_view text) const noexcept {
    return text.substr(value_offset, value_size);
  }
  /// Of a User-agent line, the value in lower case; of a rule, the compiled pattern, save for
  /// wildcards at its end. Only of a `made` one: of others this is the value, or the part of it
  /// that `pattern_source` says.
  [[nodiscard]] constexpr std::string_view made_text(std::string_view text) const noexcept {
    return text.substr(made_offset, made_size);
  }

  [[nodiscard]] constexpr directive as_directive(std::string_view text) const noexcept {
    return {.kind = kind,
            .key = key(text),
            .value = value(text),
            .line = line,
            .column = column,
            .starts_group = starts_group,
            .in_group = in_group};
  }
};

static_assert(sizeof(record) == 28);

}  // namespace robots::detail
